import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { readdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { vendors } from "../../../src/vendors/index.ts"
import type { TestGateway } from "../../support/gateway.ts"
import { restart } from "./restart.ts"
import { ask, asked, errorOf, startManaged } from "./support.ts"

const SECRET = "sk-vendor-0123456789-never-shown"
const HEADER_SECRET = "team-secret-9876543210"
const PRICE = { input: "1", output: "2" }

let gateway: TestGateway

/** Starts a gateway without providers, and a vendor for which one is added. */
beforeAll(async () => {
  gateway = await startManaged({ settings: { providers: {}, models: {} } })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
})

interface Listed {
  readonly data: readonly Record<string, unknown>[]
}

async function provider(id: string): Promise<Record<string, unknown> | undefined> {
  const { data } = (await asked(gateway, "GET", "/providers")) as unknown as Listed
  return data.find((one) => one["id"] === id)
}

function entry(more: object = {}): object {
  return {
    vendor: "openai-compatible",
    base_url: `${gateway.simulator.url}/v1`,
    api_key: SECRET,
    ...more,
  }
}

async function rejection(method: string, path: string, body?: unknown): Promise<string> {
  const response = await ask(gateway, method, path, body)
  const text = await response.clone().text()
  expect(text).not.toContain(SECRET)
  const { param, message, error_type } = await errorOf(response)
  return `${response.status} ${error_type} ${param}: ${message}`
}

/** Returns all bytes that the gateway stores, except its secret files. */
function keptBytes(): string {
  const folder = gateway.settings.data
  return readdirSync(folder)
    .filter((name) => name.startsWith("tollgate.db"))
    .map((name) => readFileSync(join(folder, name), "latin1"))
    .join("\n")
}

describe("a provider that is added in the console", () => {
  test("serves its models to the official client immediately", async () => {
    const added = await asked(gateway, "POST", "/providers", {
      id: "mine",
      ...entry({ headers: { "X-Team": HEADER_SECRET } }),
    })
    expect(added).toMatchObject({
      id: "mine",
      vendor: "openai-compatible",
      vendor_name: "OpenAI-compatible server",
      base_url: `${gateway.simulator.url}/v1`,
      region: null,
      secrets: ["api_key", "headers.x-team"],
      known_models: true,
      origin: "console",
      is_locked: false,
      models: 0,
      unpriced_models: 0,
      health: { state: "unknown", until: null, successes: 0, failures: 0, last_error: null },
      problem: null,
      entry: { vendor: "openai-compatible", base_url: `${gateway.simulator.url}/v1` },
    })
    await asked(gateway, "PUT", "/models/mine/echo", {
      price: PRICE,
      context: 1000,
      max_output: 100,
    })

    const caller = await gateway.caller()
    const response = await caller.client.chat.completions.create({
      model: "mine/echo",
      messages: [{ role: "user", content: "Hello" }],
    })
    expect(response.choices[0]?.message.content).toBeString()
    const [request] = gateway.simulator.requests.slice(-1)
    expect(request?.headers["authorization"]).toBe(`Bearer ${SECRET}`)
    expect(request?.headers["x-team"]).toBe(HEADER_SECRET)
    expect(await provider("mine")).toMatchObject({
      models: 1,
      unpriced_models: 0,
      health: { state: "healthy", successes: 1, failures: 0 },
    })
  })

  test("never stores or returns its secrets in clear text", async () => {
    const texts = [
      keptBytes(),
      await (await ask(gateway, "GET", "/providers")).text(),
      await (await ask(gateway, "GET", "/settings")).text(),
      await (await ask(gateway, "GET", "/audit")).text(),
      JSON.stringify(gateway.heard),
    ]
    for (const text of texts) {
      expect(text).not.toContain(SECRET)
      expect(text).not.toContain(HEADER_SECRET)
      expect(text).not.toContain(Buffer.from(SECRET).toString("base64").slice(0, 20))
    }
    expect(texts[3]).toContain("provider.create")
    expect(texts[3]).toContain("headers.x-team")
  })

  test("keeps fields that are missing in a change, and removes fields that are set to null", async () => {
    await asked(gateway, "PATCH", "/providers/mine", {
      known_models: false,
      headers: { "X-More": "more" },
    })
    expect(await provider("mine")).toMatchObject({
      known_models: false,
      secrets: ["api_key", "headers.x-team", "headers.x-more"],
    })
    const caller = await gateway.caller()
    await caller.client.chat.completions.create({
      model: "mine/echo",
      messages: [{ role: "user", content: "Hello" }],
    })
    const headers = gateway.simulator.requests.at(-1)?.headers
    expect(headers?.["authorization"]).toBe(`Bearer ${SECRET}`)
    expect(headers?.["x-more"]).toBe("more")
    await asked(gateway, "PATCH", "/providers/mine", { headers: { "X-More": null } })
    expect(await provider("mine")).toMatchObject({ secrets: ["api_key", "headers.x-team"] })
  })

  test("requires the secrets to be entered again when it moves to another server", async () => {
    const elsewhere = { base_url: "http://203.0.113.9/v1" }
    expect(await rejection("PATCH", "/providers/mine", elsewhere)).toBe(
      "400 invalid_value base_url: The stored secrets would be sent to another address. Enter them again: api_key, headers.x-team.",
    )
    // Another path on the same server does not count as another address.
    await asked(gateway, "PATCH", "/providers/mine", { base_url: `${gateway.simulator.url}/v2` })
    await asked(gateway, "PATCH", "/providers/mine", { base_url: `${gateway.simulator.url}/v1` })
  })

  test("cannot change its vendor", async () => {
    expect(await rejection("PATCH", "/providers/mine", { vendor: "openai" })).toStartWith(
      "400 invalid_value vendor: A provider keeps its vendor.",
    )
  })

  test("cannot have the id of an existing provider, including providers that the settings file locks", async () => {
    expect(await rejection("POST", "/providers", { id: "mine", ...entry() })).toStartWith(
      "409 conflict id: There is a provider 'mine' already.",
    )
  })

  test("causes a conflict for the later of two simultaneous changes", async () => {
    const changes = ["a", "b", "c", "d"].map((name) =>
      ask(gateway, "PATCH", "/providers/mine", { headers: { [`X-${name}`]: name } }),
    )
    const statuses = (await Promise.all(changes)).map(({ status }) => status)
    expect(statuses).toContain(200)
    const won = statuses.filter((status) => status === 200).length
    expect(statuses.filter((status) => status === 409)).toHaveLength(statuses.length - won)
    const { secrets } = (await provider("mine")) as { secrets: string[] }
    // Each change that was reported as successful must be stored.
    expect(secrets.filter((name) => /^headers\.x-[a-d]$/.test(name))).toHaveLength(won)
  })

  test("disappears together with the settings of its models", async () => {
    await asked(gateway, "POST", "/providers", { id: "brief", ...entry() })
    await asked(gateway, "PUT", "/models/brief/echo", { price: PRICE })
    const response = await ask(gateway, "DELETE", "/providers/brief")
    expect(response.status).toBe(204)
    expect(await provider("brief")).toBeUndefined()
    expect(await rejection("GET", "/models/brief/echo")).toStartWith("404 model_not_found")
    expect(await rejection("DELETE", "/models/brief/echo")).toStartWith("404 not_found")
    expect(await rejection("DELETE", "/providers/brief")).toStartWith("404 not_found")
  })

  test("cannot be removed while models of other providers use it for deployments", async () => {
    await asked(gateway, "POST", "/providers", { id: "spare", ...entry() })
    await asked(gateway, "PUT", "/models/mine/both", {
      price: PRICE,
      deployments: [{ model: "echo" }, { provider: "spare", model: "echo" }],
    })
    expect(await rejection("DELETE", "/providers/spare")).toBe(
      "409 conflict null: The provider 'spare' is a deployment of 'mine/both'. Take it out of these models first.",
    )
    await ask(gateway, "DELETE", "/models/mine/both")
    expect((await ask(gateway, "DELETE", "/providers/spare")).status).toBe(204)
  })
})

describe("provider validation", () => {
  const cases: [string, object, string][] = [
    [
      "an unknown vendor",
      { vendor: "opnai" },
      "vendor: 'vendor' is not a known vendor. Did you mean",
    ],
    ["no address", { base_url: null }, "base_url: The provider needs a base_url"],
    ["an invalid address", { base_url: "ftp://x" }, "base_url: 'base_url' must be an address"],
    ["an invalid key", { api_key: "two words" }, "api_key: 'api_key' must be printable characters"],
    ["an unknown name", { apikey: "x" }, "apikey: 'apikey' is not known here. Did you mean"],
    ["an invalid header", { headers: { host: "x" } }, "headers.host: This header is set by"],
    [
      "a setting of another vendor",
      { region: "eu-west-1" },
      "region: 'region' is not a setting of vendor",
    ],
    ["an invalid flag", { known_models: 1 }, "known_models: "],
    ["an invalid dialect", { dialects: ["latin"] }, "dialects[0]: "],
    ["a list", { headers: [] }, "headers: 'headers' must hold names with values"],
  ]
  test.each(cases)("rejects a provider with %s", async (_, more, words) => {
    const said = await rejection("POST", "/providers", { id: "wrong", ...entry(more) })
    expect(said.replace(/^400 \w+ /, "")).toStartWith(words)
    expect(await provider("wrong")).toBeUndefined()
  })

  test("requires the fields that each vendor requires", async () => {
    const bedrock = { id: "wrong", vendor: "bedrock", access_key_id: "AK" }
    expect(await rejection("POST", "/providers", bedrock)).toBe(
      "400 invalid_value secret_access_key: The provider needs secret_access_key and region.",
    )
  })

  test("rejects a file path instead of a key", async () => {
    const vertex = { id: "wrong", vendor: "vertex", credentials: "/etc/passwd" }
    expect(await rejection("POST", "/providers", vertex)).toBe(
      "400 invalid_value credentials: 'credentials' must be Google credentials as JSON, which begins with '{'.",
    )
  })

  test.each(["", "Upper", "with space", "under_score", "a/b", "x".repeat(41), "__proto__"])(
    "rejects the id '%s'",
    async (id) => {
      expect(await rejection("POST", "/providers", { id, ...entry() })).toStartWith(
        "400 invalid_value id: 'id' must be lowercase letters",
      )
    },
  )

  test("does not expand environment variables", async () => {
    await asked(gateway, "POST", "/providers", { id: "literal", ...entry({ api_key: "${HOME}" }) })
    await asked(gateway, "PUT", "/models/literal/echo", { price: PRICE })
    const caller = await gateway.caller()
    await caller.client.chat.completions.create({
      model: "literal/echo",
      messages: [{ role: "user", content: "Hello" }],
    })
    expect(gateway.simulator.requests.at(-1)?.headers["authorization"]).toBe("Bearer ${HOME}")
    await ask(gateway, "DELETE", "/providers/literal")
  })
})

describe("the vendor list", () => {
  test("contains all vendors with the fields of their forms", async () => {
    const { data } = (await asked(gateway, "GET", "/providers/vendors")) as unknown as Listed
    expect(data.map(({ id }) => id).toSorted()).toEqual([...vendors.keys()].toSorted())
    const fieldsOf = (id: string): string[] => {
      const fields = data.find((one) => one["id"] === id)?.["fields"] as {
        name: string
        is_required: boolean
        is_secret: boolean
      }[]
      return fields.map(
        ({ name, is_required, is_secret }) =>
          `${name}${is_required ? "!" : ""}${is_secret ? "*" : ""}`,
      )
    }
    expect(fieldsOf("openai")).toEqual(["api_key!*", "base_url"])
    expect(fieldsOf("openai-compatible")).toEqual(["base_url!", "api_key*"])
    expect(fieldsOf("ollama")).toEqual(["api_key*", "base_url"])
    expect(fieldsOf("azure")).toEqual(["base_url!", "api_key!*"])
    expect(fieldsOf("bedrock")).toEqual([
      "api_key*",
      "region!",
      "access_key_id*",
      "secret_access_key*",
      "session_token*",
      "base_url",
    ])
    expect(fieldsOf("vertex")).toEqual(["credentials!*", "project", "location", "base_url"])
  })
})

describe("a provider test", () => {
  test("returns the models that the vendor lists", async () => {
    using vendor = Bun.serve({
      port: 0,
      fetch: (request) =>
        request.headers.get("authorization") === `Bearer ${SECRET}`
          ? Response.json({ data: [{ id: "small" }, { id: "large" }, { id: "small" }] })
          : Response.json({ error: "no" }, { status: 401 }),
    })
    const base = { vendor: "openai-compatible", base_url: vendor.url.origin }
    await asked(gateway, "POST", "/providers", { id: "good", ...base, api_key: SECRET })
    expect(await asked(gateway, "POST", "/providers/good/test")).toEqual({
      ok: true,
      message: "It accepts the credential, and lists 2 models.",
      duration_ms: expect.any(Number),
      models: ["large", "small"],
    })
    await asked(gateway, "PATCH", "/providers/good", { api_key: "another" })
    expect(await asked(gateway, "POST", "/providers/good/test")).toMatchObject({
      ok: false,
      message: expect.stringContaining("rejects the credential (401)"),
      models: null,
    })
    await vendor.stop(true)
    expect(await asked(gateway, "POST", "/providers/good/test")).toMatchObject({
      ok: false,
      message: expect.stringContaining("cannot be reached"),
    })
    await ask(gateway, "DELETE", "/providers/good")
    expect(await rejection("POST", "/providers/good/test")).toStartWith("404 not_found")
  })

  test("shows the first models of a long list, and the test of a model finds any listed model", async () => {
    const names = Array.from({ length: 30_000 }, (_, index) => `${index}-${"x".repeat(190)}`)
    const data = [...names.toReversed(), "y".repeat(501)].map((id) => ({ id }))
    using vendor = Bun.serve({ port: 0, fetch: () => Response.json({ data }) })
    const base = { vendor: "openai-compatible", base_url: vendor.url.origin }
    await asked(gateway, "POST", "/providers", { id: "long", ...base, api_key: SECRET })
    const { message, models } = await asked(gateway, "POST", "/providers/long/test")
    expect(message).toBe(
      "It accepts the credential, and lists 30000 models, of which the first 1000 are shown.",
    )
    expect(models).toEqual(names.slice(-1_000))
    await asked(gateway, "PUT", "/models/long/last", {
      price: { input: "1", output: "1" },
      deployments: [{ model: names[0] }],
    })
    expect(await asked(gateway, "POST", "/models/test", { model: "long/last" })).toMatchObject({
      data: [{ ok: true, is_listed: true }],
    })
    await ask(gateway, "DELETE", "/providers/long")
  })

  test("fails if the vendor returns a redirect or a web page", async () => {
    using site = Bun.serve({
      port: 0,
      fetch: ({ url }) =>
        url.includes("/moved/")
          ? Response.redirect("https://portal.example.com/login?token=canary")
          : new Response("<html>Sign in</html>", { headers: { "content-type": "text/html" } }),
    })
    const place = { vendor: "openai-compatible", api_key: SECRET }
    for (const [path, message] of [
      [
        "moved",
        "It redirects to https://portal.example.com (302), which the gateway does not follow: correct its base_url.",
      ],
      ["page", "It answers with a web page: correct its base_url."],
    ] as const) {
      const base_url = `${site.url.origin}/${path}/v1`
      await asked(gateway, "POST", "/providers", { id: path, ...place, base_url })
      const tested = await asked(gateway, "POST", `/providers/${path}/test`)
      expect(tested).toMatchObject({ ok: false, message, models: null })
      await ask(gateway, "DELETE", `/providers/${path}`)
    }
  })
})

test("a provider's health reports failures of its models without the vendor's messages", async () => {
  await asked(gateway, "POST", "/providers", {
    id: "dead",
    ...entry({ base_url: "http://127.0.0.1:9/v1" }),
  })
  await asked(gateway, "PUT", "/models/dead/echo", { price: PRICE })
  const caller = await gateway.caller()
  for (let count = 0; count < 3; count++) {
    const body = { model: "dead/echo", messages: [{ role: "user", content: "Hello" }] }
    expect((await caller.post("/v1/chat/completions", body)).status).toBeGreaterThanOrEqual(500)
  }
  expect(await provider("dead")).toMatchObject({
    health: {
      state: "cooling_down",
      until: expect.stringContaining("T"),
      successes: 0,
      failures: 3,
      last_error: expect.stringContaining("ECONNREFUSED"),
    },
  })
  await ask(gateway, "DELETE", "/providers/dead")
})

test("a lost key file causes an error with the remedy until the secrets are entered again", async () => {
  await using lost = await startManaged({ settings: { providers: {}, models: {} } })
  const body = {
    id: "mine",
    vendor: "openai-compatible",
    base_url: `${lost.simulator.url}/v1`,
    api_key: SECRET,
  }
  await asked(lost, "POST", "/providers", body)
  await asked(lost, "PUT", "/models/mine/echo", { price: PRICE })
  rmSync(join(lost.settings.data, "secrets", "provider-key"))
  await using again = await restart(lost)
  const { data } = (await asked(again, "GET", "/providers")) as unknown as Listed
  expect(data[0]).toMatchObject({
    id: "mine",
    origin: "console",
    secrets: [],
    base_url: body.base_url,
    problem: expect.stringContaining("secrets/provider-key"),
  })
  const tested = await asked(again, "POST", "/providers/mine/test")
  expect(tested).toMatchObject({
    ok: false,
    message: expect.stringContaining("give the secrets again"),
  })
  const unchanged = await ask(again, "PATCH", "/providers/mine", { known_models: false })
  expect(await errorOf(unchanged)).toMatchObject({ param: "api_key" })
  await asked(again, "PATCH", "/providers/mine", { api_key: "fresh" })
  expect((await asked(again, "GET", "/models/mine/echo"))["price"]).toEqual(PRICE)
})
