import { Database } from "bun:sqlite"
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { databaseFileIn } from "../../../src/store/sqlite/database-file.ts"
import { simulated, type TestGateway } from "../../support/gateway.ts"
import { restart } from "./restart.ts"
import { ADMIN_TOKEN, ask, asked, errorOf, startManaged } from "./support.ts"
import { until } from "../../support/until.ts"

let gateway: TestGateway

beforeAll(async () => {
  gateway = await startManaged({
    models: { "sim/painter": { kind: "image", price: { image: "40" } } },
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
})

interface Changeable {
  readonly name: string
  readonly value: string | null
  readonly default: string | null
  readonly is_locked: boolean
}

async function changeable(of: { readonly url: string }): Promise<Map<string, Changeable>> {
  const { changeable: list } = await asked(of, "GET", "/settings")
  return new Map((list as Changeable[]).map((one) => [one.name, one]))
}

async function rejection(change: unknown): Promise<string> {
  const response = await ask(gateway, "PATCH", "/settings", change)
  const { param, message, error_type } = await errorOf(response)
  return `${response.status} ${error_type} ${param}: ${message}`
}

describe("management API settings", () => {
  test("hide secrets", async () => {
    const text = await (await ask(gateway, "GET", "/settings")).text()
    expect(text).not.toContain(ADMIN_TOKEN)
    expect(text).not.toContain('"upstream"')
    const view = JSON.parse(text) as Record<string, unknown>
    expect(view).toMatchObject({
      effective: { admin_token: "set", multiplier: "1", providers: { sim: { api_key: "set" } } },
      file: null,
      version: "0.1.0",
    })
    expect([...(await changeable(gateway)).keys()]).toEqual([
      "multiplier",
      "aliases",
      "unknown_models",
      "defaults.image_model",
      "defaults.translation_model",
      "server.public_url",
      "timeouts.connect",
      "timeouts.first_byte",
      "timeouts.idle",
      "timeouts.total",
      "images.link_minutes",
      "images.mask",
      "images.rules",
      "limits.body_mb",
      "limits.response_mb",
      "limits.memory_mb",
      "limits.media_mb",
      "responses.keep",
      "responses.account_mb",
      "responses.total_mb",
      "notices.smtp",
      "notices.from",
      "stripe.secret_key",
      "stripe.webhook_secret",
      "stripe.currency",
    ])
  })

  test("change together and immediately, and can be reset to their defaults", async () => {
    const caller = await gateway.caller()
    const body = { model: "sim/echo", messages: [{ role: "user", content: "Hello" }] }
    const before = await caller.balance()
    await caller.post("/v1/chat/completions", body)
    await until(async () => (await caller.balance()) < before)
    const plain = before - (await caller.balance())

    const view = await asked(gateway, "PATCH", "/settings", {
      multiplier: "3",
      "timeouts.connect": "7s",
      "defaults.image_model": "sim/painter",
      "server.public_url": "https://models.example.com/",
    })
    expect(view["effective"]).toMatchObject({
      multiplier: "3",
      timeouts: { connect: "7s", first_byte: "2m" },
      defaults: { image_model: "sim/painter" },
      server: { public_url: "https://models.example.com" },
    })
    expect((await changeable(gateway)).get("timeouts.connect")).toMatchObject({
      value: "7s",
      default: "5s",
      is_locked: false,
    })
    const middle = await caller.balance()
    await caller.post("/v1/chat/completions", body)
    await until(async () => (await caller.balance()) < middle)
    expect(middle - (await caller.balance())).toBe(plain * 3n)

    await asked(gateway, "PATCH", "/settings", {
      multiplier: null,
      "timeouts.connect": null,
      "server.public_url": null,
      "defaults.image_model": null,
    })
    const after = await asked(gateway, "GET", "/settings")
    expect(after["effective"]).toMatchObject({ multiplier: "1", timeouts: { connect: "1m" } })
    expect(after["effective"]).not.toHaveProperty("server.public_url")
  })

  test("accept only aliases of existing models, which take effect immediately", async () => {
    const caller = await gateway.caller()
    const ask = async (): Promise<number> => (await caller.get("/v1/models/gpt-4o")).status
    expect(await ask()).toBe(404)
    const view = await asked(gateway, "PATCH", "/settings", { aliases: " gpt-4o = sim/echo " })
    expect(view["effective"]).toMatchObject({ aliases: { "gpt-4o": "sim/echo" } })
    expect(await ask()).toBe(200)
    expect(await rejection({ aliases: "gpt-4o=sim/none" })).toBe(
      "400 invalid_value aliases: 'aliases' refers to 'sim/none', which does not exist.",
    )
    expect(await rejection({ aliases: "gpt-4o" })).toStartWith(
      "400 invalid_value aliases: 'aliases' must be names",
    )
    expect(await ask()).toBe(200)
    await asked(gateway, "PATCH", "/settings", { aliases: null })
    expect(await ask()).toBe(404)
  })

  test("do not change if any of the new values is invalid", async () => {
    expect(await rejection({ multiplier: "2", "timeouts.total": "soon" })).toBe(
      "400 invalid_value timeouts.total: 'timeouts.total' must be a length of time such as 500ms, 10s, 5m or 1h, at most 24h.",
    )
    expect((await changeable(gateway)).get("multiplier")?.value).toBeNull()
    expect(await rejection({ multiplier: "-1" })).toStartWith(
      "400 invalid_value multiplier: 'multiplier' must not be negative",
    )
    expect(await rejection({ "server.public_url": "ftp://x" })).toStartWith(
      "400 invalid_value server.public_url: ",
    )
    expect(await rejection({ "defaults.image_model": "sim/echo" })).toBe(
      "400 invalid_value defaults.image_model: 'defaults.image_model' must be a model of kind image, and it is of kind chat.",
    )
    expect(await rejection({ "defaults.translation_model": "sim/painter" })).toContain(
      "must be a model of kind chat, and it is of kind image",
    )
    for (const name of ["admin_token", "server.port", "data", "limits.media_private"]) {
      expect(await rejection(JSON.stringify({ [name]: "x" }))).toContain("cannot be changed here")
    }
  })

  test("keep simultaneous changes to different settings", async () => {
    const names = ["images.link_minutes", "limits.media_mb", "timeouts.total"]
    const responses = await Promise.all(
      names.map((name) => ask(gateway, "PATCH", "/settings", { [name]: "30" })),
    )
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200])
    const view = await changeable(gateway)
    expect(names.map((name) => view.get(name)?.value)).toEqual(["30", "30", "30"])
    await asked(
      gateway,
      "PATCH",
      "/settings",
      Object.fromEntries(names.map((name) => [name, null])),
    )
  })

  test("appear in the audit log when they change", async () => {
    await asked(gateway, "PATCH", "/settings", { multiplier: "1.5" })
    await asked(gateway, "PATCH", "/settings", { multiplier: "1.5" })
    await asked(gateway, "PATCH", "/settings", { multiplier: null })
    const audit = await asked(gateway, "GET", "/audit?action=settings.change&limit=2")
    expect(audit["data"]).toMatchObject([
      { before: { multiplier: "1.5" }, after: { multiplier: null } },
      { before: { multiplier: null }, after: { multiplier: "1.5" } },
    ])
  })
})

test("changed settings survive a restart unless the settings file locks them", async () => {
  await using first = await startManaged({ settings: { models: {} } })
  await asked(first, "PATCH", "/settings", { multiplier: "2", "timeouts.connect": "9s" })
  await asked(first, "POST", "/providers", {
    id: "mine",
    vendor: "openai-compatible",
    base_url: `${first.simulator.url}/v1`,
    api_key: "sk-mine",
  })
  await asked(first, "PUT", "/models/mine/echo", { price: { input: "1", output: "2" } })
  const mine = { ...first.settings.providers["sim"], apiKey: "of-the-file", headers: {} }
  await using again = await restart(
    first,
    {
      multiplier: "1",
      providers: {
        ...first.settings.providers,
        mine: { ...mine, vendor: "ollama", knownModels: true, origin: "file" },
      },
      models: { "mine/echo": simulated() },
    },
    ["multiplier"],
  )
  const view = await changeable(again)
  expect(view.get("multiplier")).toMatchObject({ value: "1", is_locked: true })
  expect(view.get("timeouts.connect")).toMatchObject({ value: "9s", is_locked: false })
  const answer = await ask(again, "PATCH", "/settings", { multiplier: "4" })
  expect(answer.status).toBe(409)
  expect(await errorOf(answer)).toMatchObject({ error_type: "conflict" })
  const { data } = (await asked(again, "GET", "/providers")) as { data: Record<string, unknown>[] }
  expect(data.find(({ id }) => id === "mine")).toMatchObject({
    vendor: "ollama",
    origin: "file",
    is_locked: true,
    entry: null,
  })
  for (const [method, path] of [
    ["PATCH", "/providers/mine"],
    ["DELETE", "/providers/mine"],
  ] as const) {
    const response = await ask(again, method, path, method === "PATCH" ? {} : undefined)
    expect(response.status).toBe(409)
  }
  expect((await asked(again, "GET", "/models/mine/echo"))["origin"]).toBe("file")
})

describe("ledger verification in the management API", () => {
  test("reports an intact ledger and names manipulated entries", async () => {
    await using database = await startManaged()
    const caller = await database.caller()
    expect(await asked(database, "GET", "/ledger/verification")).toEqual({
      accounts: 1,
      entries: 1,
      uncharged_receipts: 0,
      write_offs: 0,
      problems: [],
    })
    const file = new Database(databaseFileIn(database.settings.data))
    file.run("PRAGMA busy_timeout = 5000")
    file.run("UPDATE entries SET note = 'better' WHERE account = ?", [caller.account.id])
    file.close()
    const both = await Promise.all([
      asked(database, "GET", "/ledger/verification"),
      asked(database, "GET", "/ledger/verification"),
    ])
    for (const verdict of both) {
      expect(verdict).toMatchObject({
        problems: [{ account: caller.account.id, number: 1, fault: "hash" }],
      })
    }
  })
})
