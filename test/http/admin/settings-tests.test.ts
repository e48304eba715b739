import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { startMailServer } from "../../notices/mail-server.ts"
import type { TestGateway } from "../../support/gateway.ts"
import { startIssuer } from "../../users/fake-issuer.ts"
import { restart } from "./restart.ts"
import { ask, asked, errorOf, startManaged } from "./support.ts"

let gateway: TestGateway

beforeAll(async () => {
  gateway = await startManaged()
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
})

type Target = Parameters<typeof asked>[0]

async function settingNamed(target: Target, name: string): Promise<Record<string, unknown>> {
  const { changeable } = await asked(target, "GET", "/settings")
  return (changeable as Record<string, unknown>[]).find((one) => one["name"] === name) ?? {}
}

async function rejection(change: Record<string, string | null>): Promise<string> {
  const { param, message } = await errorOf(await ask(gateway, "PATCH", "/settings", change))
  return `${param}: ${message}`
}

/** Returns the contents of all database files of a gateway. */
function databaseBytes({ settings }: TestGateway): string {
  return readdirSync(settings.data)
    .filter((name) => name.startsWith("tollgate.db"))
    .map((name) => readFileSync(join(settings.data, name), "latin1"))
    .join("")
}

describe("a mail server entered in the console", () => {
  test("sends email immediately, and its URL is never shown again", async () => {
    const recipients: string[] = []
    await using server = await startMailServer((_, to) => recipients.push(...to))
    const smtp = `smtp://ada:secret@${server.address}`
    const from = "Tollgate <t@example.com>"
    const view = await asked(gateway, "PATCH", "/settings", {
      "notices.smtp": smtp,
      "notices.from": from,
    })
    expect(JSON.stringify(view)).not.toContain("ada:secret")
    expect(await settingNamed(gateway, "notices.smtp")).toMatchObject({
      value: null,
      is_secret: true,
      is_set: true,
      is_locked: false,
      problem: null,
    })
    expect(await settingNamed(gateway, "notices.from")).toMatchObject({
      value: from,
      is_secret: false,
      is_set: true,
    })
    expect(databaseBytes(gateway)).not.toContain("ada:secret")
    const { data } = await asked(gateway, "GET", "/audit?action=settings.change&limit=1")
    expect(data).toMatchObject([
      {
        before: { "notices.smtp": null, "notices.from": null },
        after: { "notices.smtp": "set", "notices.from": from },
      },
    ])
    const result = await asked(gateway, "POST", "/settings/email/test", {
      address: "Bob@example.com",
    })
    expect(result).toMatchObject({
      ok: true,
      message:
        "The mail server accepted the email to bob@example.com. If it does not arrive, check the spam folder.",
    })
    expect(recipients).toEqual(["bob@example.com"])
  })

  test("returns the cause and the next step, but not the password, if its test fails", async () => {
    await using server = await startMailServer(() => undefined)
    await asked(gateway, "PATCH", "/settings", {
      "notices.smtp": `smtp://ada:not-this-one@${server.address}`,
      "notices.from": "t@example.com",
    })
    const body = { address: "ada@example.com" }
    const wrong = await asked(gateway, "POST", "/settings/email/test", body)
    expect(wrong).toMatchObject({
      ok: false,
      message:
        "The mail server rejected the user or the password (EAUTH 535). Enter the address of the mail server again, with the right user and password. Special characters must be percent-encoded.",
    })
    await server[Symbol.asyncDispose]()
    const gone = await asked(gateway, "POST", "/settings/email/test", body)
    expect(gone).toMatchObject({ ok: false })
    expect(gone["message"]).toStartWith(
      "The connection to the mail server failed (ESOCKET). Check the host and the port",
    )
  })

  test("requires a sender and a valid URL", async () => {
    await asked(gateway, "PATCH", "/settings", { "notices.smtp": null, "notices.from": null })
    expect(await settingNamed(gateway, "notices.smtp")).toMatchObject({ is_set: false })
    expect(await rejection({ "notices.smtp": "smtp://mail.example.com" })).toBe(
      "notices.smtp: 'notices' needs both smtp and from to send mail. Add the other one.",
    )
    const invalid = await rejection({
      "notices.smtp": "https://ada:hidden@mail.example.com",
      "notices.from": "t@example.com",
    })
    expect(invalid).toStartWith("notices.smtp: 'notices.smtp' must be the address of a mail server")
    expect(invalid).not.toContain("hidden")
    const none = await asked(gateway, "POST", "/settings/email/test", { address: "c@example.com" })
    expect(none).toMatchObject({
      ok: false,
      message: "No mail server is configured: set notices.smtp and notices.from.",
    })
  })

  test("limits the number of test emails to a single recipient", async () => {
    const body = { address: "often@example.com" }
    const statuses: number[] = []
    for (let count = 0; count < 6; count++) {
      statuses.push((await ask(gateway, "POST", "/settings/email/test", body)).status)
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
  })
})

test("a mail server from the console survives a restart unless the settings file sets one", async () => {
  await using server = await startMailServer(() => undefined)
  await using first = await startManaged()
  const smtp = `smtp://ada:secret@${server.address}`
  await asked(first, "PATCH", "/settings", {
    "notices.smtp": smtp,
    "notices.from": "t@example.com",
  })
  const body = { address: "bob@example.com" }
  {
    await using again = await restart(first)
    expect(await asked(again, "POST", "/settings/email/test", body)).toMatchObject({ ok: true })
  }
  const mail = { smtp: "smtp://127.0.0.1:9", from: "file@example.com" }
  await using locked = await restart(first, { notices: { allowsPrivate: false, mail } }, [
    "notices.smtp",
    "notices.from",
  ])
  expect(await settingNamed(locked, "notices.smtp")).toMatchObject({
    value: null,
    is_locked: true,
    is_set: true,
  })
  expect(await settingNamed(locked, "notices.from")).toMatchObject({ value: "file@example.com" })
  expect(await asked(locked, "POST", "/settings/email/test", body)).toMatchObject({ ok: false })
  const change = { "notices.smtp": null, "notices.from": null }
  expect((await ask(locked, "PATCH", "/settings", change)).status).toBe(409)
})

describe("Stripe settings entered in the console", () => {
  const KEYS = { "stripe.secret_key": "rk_test_hidden", "stripe.webhook_secret": "whsec_hidden" }

  test("enable payments as soon as both secrets are saved, and the API never returns the secrets", async () => {
    expect((await asked(gateway, "GET", "/session"))["card_payments"]).toBe(false)
    expect(await rejection({ "stripe.secret_key": "rk_test_hidden" })).toBe(
      "stripe.secret_key: 'stripe' needs both secret_key and webhook_secret to sell credits by card. Add the other one.",
    )
    const view = await asked(gateway, "PATCH", "/settings", { ...KEYS, "stripe.currency": "EUR" })
    expect(JSON.stringify(view)).not.toContain("hidden")
    expect(view["effective"]).toMatchObject({
      stripe: { secret_key: "set", webhook_secret: "set", currency: "eur" },
    })
    expect((await asked(gateway, "GET", "/session"))["card_payments"]).toBe(true)
    const { data } = await asked(gateway, "GET", "/audit?action=settings.change&limit=1")
    expect(data).toMatchObject([
      { after: { "stripe.secret_key": "set", "stripe.webhook_secret": "set" } },
    ])
    expect(databaseBytes(gateway)).not.toContain("rk_test_hidden")
    const nothing = { "stripe.secret_key": null, "stripe.webhook_secret": null }
    await asked(gateway, "PATCH", "/settings", { ...nothing, "stripe.currency": null })
    expect((await asked(gateway, "GET", "/session"))["card_payments"]).toBe(false)
    const unset = await asked(gateway, "POST", "/settings/stripe/test")
    expect(unset).toMatchObject({ ok: false, message: expect.stringContaining("not configured") })
  })

  test("can be tested with a single request to Stripe, which changes nothing", async () => {
    const calls: string[] = []
    let status = 200
    using server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch(request) {
        const { pathname, search } = new URL(request.url)
        calls.push(`${request.method} ${pathname}${search}`)
        const error = { error: { type: "invalid_request_error", message: "of rk_test_hidden" } }
        const list = { object: "list", data: [], has_more: false, url: pathname }
        return Response.json(status === 200 ? list : error, { status })
      },
    })
    const stripe = {
      secretKey: "rk_test_hidden",
      webhookSecret: "whsec_hidden",
      currency: "usd",
      baseUrl: server.url.origin,
    }
    await using paying = await startManaged({ settings: { stripe } })
    const run = () => asked(paying, "POST", "/settings/stripe/test")
    expect(await run()).toMatchObject({
      ok: true,
      message: expect.stringMatching(/^Stripe accepts the key\. It is for test mode/),
    })
    expect(calls).toEqual(["GET /v1/checkout/sessions?limit=1"])
    for (const [next, message] of [
      [401, /^Stripe rejects the secret key\. Copy it again/],
      [403, /lacks a permission\. Give the restricted key/],
      [429, /too many calls\. Try again/],
      [500, /does not respond as expected\. Check/],
    ] as const) {
      status = next
      const result = await run()
      expect(result).toMatchObject({ ok: false, message: expect.stringMatching(message) })
      expect(JSON.stringify(result)).not.toContain("hidden")
    }
    expect(calls).toHaveLength(5)
  })
})

describe("OpenID Connect issuers entered in the console", () => {
  const SECRET = "hidden-client-secret"

  async function listed(): Promise<unknown> {
    return (await asked(gateway, "GET", "/settings/issuers"))["data"]
  }

  test("appear on the sign-in page immediately, and the API never returns their secrets", async () => {
    await using issuer = await startIssuer()
    const body = { name: "Our company", issuer: issuer.url, client_id: "tollgate" }
    const path = "/settings/issuers/company"
    const made = await asked(gateway, "PUT", path, { ...body, client_secret: SECRET })
    const shown = { id: "company", ...body, has_client_secret: true }
    expect(made).toEqual(shown)
    expect(await asked(gateway, "GET", "/sign-in")).toMatchObject({
      oidc: [{ id: "company", name: "Our company" }],
    })
    const order = { provider: "company", return_to: "/console/" }
    const start = await ask(gateway, "POST", "/auth/sign-in/oidc", order)
    expect(start.status).toBe(200)
    expect(await asked(gateway, "POST", `${path}/test`)).toMatchObject({
      ok: true,
      message:
        "The discovery document is valid, and the issuer has 1 key. The client ID and the secret are checked at the first sign-in.",
    })
    await asked(gateway, "PUT", path, { ...body, client_id: "other" })
    expect(await listed()).toEqual([{ ...shown, client_id: "other" }])
    const settings = await (await ask(gateway, "GET", "/settings")).text()
    const audit = await (await ask(gateway, "GET", "/audit?action=issuer.*")).text()
    for (const text of [settings, audit, databaseBytes(gateway)]) expect(text).not.toContain(SECRET)
    expect(JSON.parse(audit)).toMatchObject({
      data: [
        { target: "company", after: { client_id: "other", client_secret: "set" } },
        { target: "company", before: null, after: { client_secret: "set" } },
      ],
    })
    expect((await ask(gateway, "DELETE", path)).status).toBe(204)
    expect(await listed()).toEqual([])
    expect((await ask(gateway, "DELETE", path)).status).toBe(404)
  })

  test("keep a stored secret only if the URL stays the same, and errors name the field", async () => {
    const issuer = "https://id.example.com"
    const body = { issuer, client_id: "tollgate", client_secret: SECRET }
    await asked(gateway, "PUT", "/settings/issuers/one", body)
    const rejectionOf = async (id: string, change: object): Promise<string> => {
      const response = await ask(gateway, "PUT", `/settings/issuers/${id}`, change)
      const { param, message } = await errorOf(response)
      return `${response.status} ${param}: ${message}`
    }
    expect(await rejectionOf("one", { issuer: "https://evil.example.com", client_id: "t" })).toBe(
      "400 client_secret: The stored secret would be sent to another address. Enter it again.",
    )
    expect(await rejectionOf("Two", body)).toStartWith("400 id: 'id' must be lowercase letters")
    expect(await rejectionOf("two", { ...body, issuer: "nowhere" })).toStartWith("400 issuer: ")
    expect(await rejectionOf("two", { ...body, issuer: "http://id.example.com" })).toStartWith(
      "400 issuer: 'issuer' must begin with https://",
    )
    await asked(gateway, "PUT", "/settings/issuers/two", { issuer, client_id: "public" })
    expect(await listed()).toMatchObject([
      { id: "one", has_client_secret: true },
      { id: "two", name: "two", has_client_secret: false },
    ])
    for (const id of ["one", "two"]) await ask(gateway, "DELETE", `/settings/issuers/${id}`)
    expect(await rejection({ "console.oidc": "x" })).toContain("cannot be changed here")
  })

  test("return the cause and the next step if their test fails", async () => {
    await using issuer = await startIssuer()
    const path = "/settings/issuers/faulty"
    const run = async () => (await asked(gateway, "POST", `${path}/test`))["message"]
    await asked(gateway, "PUT", path, { issuer: `${issuer.url}/v2.0`, client_id: "tollgate" })
    expect(await run()).toBe(
      "The issuer cannot be used: its description was rejected with status 404. Check the address of the issuer, including its path.",
    )
    await asked(gateway, "PUT", path, { issuer: issuer.url, client_id: "tollgate" })
    issuer.fault = "script"
    expect(await run()).toStartWith(
      "The issuer cannot be used: its discovery document has no HTTP URL as",
    )
    await issuer[Symbol.asyncDispose]()
    expect(await run()).toBe(
      "The issuer cannot be used: its description could not be fetched. Check the address of the issuer, and that the gateway can reach it.",
    )
    await ask(gateway, "DELETE", path)
    expect((await ask(gateway, "POST", `${path}/test`)).status).toBe(404)
  })

  test("survive a restart unless the settings file sets issuers", async () => {
    await using first = await startManaged()
    const body = { issuer: "https://id.example.com", client_id: "tollgate", client_secret: SECRET }
    await asked(first, "PUT", "/settings/issuers/mine", body)
    {
      await using again = await restart(first)
      expect(await asked(again, "GET", "/settings/issuers")).toMatchObject({
        data: [{ id: "mine", has_client_secret: true }],
        is_locked: false,
        problem: null,
      })
    }
    await using issuer = await startIssuer()
    const file = { console: { oidc: [issuer.settings], trustedOrigins: [] } }
    await using locked = await restart(first, file, ["console.oidc"])
    expect(await asked(locked, "GET", "/settings/issuers")).toMatchObject({
      data: [{ id: "company" }],
      is_locked: true,
    })
    expect((await ask(locked, "PUT", "/settings/issuers/mine", body)).status).toBe(409)
    expect((await ask(locked, "DELETE", "/settings/issuers/company")).status).toBe(409)
  })
})
