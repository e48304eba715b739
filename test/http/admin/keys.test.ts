import { afterAll, beforeAll, expect, test } from "bun:test"
import OpenAI from "openai"
import { type TestGateway } from "../../support/gateway.ts"
import { ask, asked, errorOf, startManaged } from "./support.ts"
import { polledTime } from "../../support/served-time.ts"
import { until } from "../../support/until.ts"

let gateway: TestGateway
let account: string

beforeAll(async () => {
  gateway = await startManaged()
  account = String(
    (await asked(gateway, "POST", "/accounts", { name: "callers", credits: "5" })).id,
  )
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
})

/** Returns the status of a call with a key. */
async function call(secret: unknown): Promise<number> {
  const response = await fetch(`${gateway.url}/v1/models`, {
    headers: { authorization: `Bearer ${String(secret)}` },
  })
  await response.body?.cancel()
  return response.status
}

test("a created key can call a model within a second", async () => {
  const made = await asked(gateway, "POST", "/keys", {
    account,
    name: "first",
    models: ["sim/*"],
    budget: "1",
    daily_budget: "0.5",
    monthly_budget: "0.75",
    requests_per_minute: 60,
    tokens_per_minute: 10_000,
    concurrent_requests: 10,
    expires_at: new Date(Date.now() + 86_400_000).toISOString(),
  })
  expect(made).toMatchObject({
    account,
    name: "first",
    status: "active",
    models: ["sim/*"],
    budget: { limit: "1", left: "1", resets_at: null },
    daily_budget: { limit: "0.5", left: "0.5" },
    monthly_budget: { limit: "0.75", left: "0.75" },
    requests_per_minute: 60,
    tokens_per_minute: 10_000,
    concurrent_requests: 10,
    grace_until: [],
    last_used_at: null,
    spent: "0",
  })
  const secret = String(made.secret)
  expect(secret).toMatch(/^sk-tg-[0-9A-Za-z]{43}$/)
  expect(secret.endsWith(String(made.hint))).toBe(true)
  const starts = async () => (await call(secret)) === 200
  expect(await polledTime(starts, 1_000)).toBeLessThan(1_000)
  const client = new OpenAI({ apiKey: secret, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
  const messages = [{ role: "user" as const, content: "hello" }]
  const response = await client.chat.completions.create({ model: "sim/echo", messages })
  expect(response.choices).toHaveLength(1)
})

test("a key is valid immediately after its creation, and invalid immediately after its revocation", async () => {
  for (let round = 0; round < 5; round++) {
    const made = await asked(gateway, "POST", "/keys", { account, name: "at once" })
    expect(await call(made.secret)).toBe(200)
    await asked(gateway, "POST", `/keys/${String(made.id)}/revoke`)
    expect(await call(made.secret)).toBe(401)
  }
})

test("a key's secret is returned once and stored nowhere", async () => {
  const { id, secret } = await asked(gateway, "POST", "/keys", { account, name: "secret" })
  for (const path of [`/keys/${String(id)}`, "/keys?limit=200", `/keys?account=${account}`]) {
    expect(JSON.stringify(await asked(gateway, "GET", path))).not.toContain(String(secret))
  }
  const records = await gateway.store.audit.list({ target: String(id) }, null, 10)
  expect(records).toHaveLength(1)
  expect(records[0]).toMatchObject({ action: "key.create", account, actorKind: "admin_token" })
  expect(JSON.stringify(records)).not.toContain(String(secret).slice(0, -4))
})

test("a key change takes effect within a second, removes limits that are null, and keeps omitted fields", async () => {
  const order = { account, name: "changing", models: ["sim/*"], requests_per_minute: 5 }
  const made = await asked(gateway, "POST", "/keys", order)
  const path = `/keys/${String(made.id)}`
  const changed = await asked(gateway, "PATCH", path, {
    name: "<script>alert(1)</script>",
    models: ["other/*"],
    requests_per_minute: null,
  })
  expect(changed).toMatchObject({
    name: "<script>alert(1)</script>",
    models: ["other/*"],
    requests_per_minute: null,
    tokens_per_minute: null,
  })
  expect(await asked(gateway, "GET", path)).toEqual(changed)
  await until(async () => {
    const headers = { authorization: `Bearer ${String(made.secret)}` }
    const response = await fetch(`${gateway.url}/v1/models`, { headers })
    const { data } = (await response.json()) as { data?: unknown[] }
    return data?.length === 0
  })
  const [record] = await gateway.store.audit.list({ target: String(made.id) }, null, 1)
  expect(JSON.parse(record?.before ?? "{}")).toMatchObject({
    name: "changing",
    requests_per_minute: 5,
  })
  expect(JSON.parse(record?.after ?? "{}")).toMatchObject({ models: ["other/*"] })
})

test("allowed origins of a key are normalized as in browsers, and take effect immediately", async () => {
  const preflight = async (origin: string) => {
    const headers = { origin, "access-control-request-method": "POST" }
    return (await fetch(`${gateway.url}/v1/models`, { method: "OPTIONS", headers })).status
  }
  const origins = [
    "https://App.Example.com:443",
    "https://app.example.com",
    "http://localhost:3000/",
  ]
  const made = await asked(gateway, "POST", "/keys", { account, name: "page", origins })
  expect(made.origins).toEqual(["https://app.example.com", "http://localhost:3000"])
  expect(await preflight("https://app.example.com")).toBe(204)
  const path = `/keys/${String(made.id)}`
  for (const wrong of [
    "app.example.com",
    "null",
    "https://a.example/path",
    "https://*.a.example",
  ]) {
    const rejected = await ask(gateway, "PATCH", path, { origins: [wrong] })
    expect([wrong, rejected.status]).toEqual([wrong, 400])
  }
  expect((await asked(gateway, "PATCH", path, { name: "still" })).origins).toHaveLength(2)
  expect((await asked(gateway, "PATCH", path, { origins: null })).origins).toBeNull()
  expect(await preflight("https://app.example.com")).toBe(405)
  const managed = { origin: "https://app.example.com" }
  const response = await fetch(`${gateway.url}/admin/v1/keys`, { headers: managed })
  expect(response.headers.has("access-control-allow-origin")).toBe(false)
})

test("a changed budget changes the remaining amount by the difference", async () => {
  const made = await asked(gateway, "POST", "/keys", { account, name: "budget", budget: "2" })
  const path = `/keys/${String(made.id)}`
  expect(await asked(gateway, "PATCH", path, { budget: "3", daily_budget: "1" })).toMatchObject({
    budget: { limit: "3", left: "3" },
    daily_budget: { limit: "1", left: "1" },
  })
  expect(await asked(gateway, "PATCH", path, { budget: null })).toMatchObject({ budget: null })
})

test("the old secret of a rotated key is valid until the end of the grace period, which can be zero", async () => {
  const made = await asked(gateway, "POST", "/keys", { account, name: "rotating" })
  const path = `/keys/${String(made.id)}/rotate`
  const second = await asked(gateway, "POST", path, { grace_seconds: 3_600 })
  expect(second.secret).not.toBe(made.secret)
  expect(second.grace_until).toHaveLength(1)
  await until(async () => (await call(second.secret)) === 200)
  expect(await call(made.secret)).toBe(200)
  const third = await asked(gateway, "POST", path, { grace_seconds: 0 })
  await until(async () => (await call(third.secret)) === 200)
  await until(async () => (await call(second.secret)) === 401)
  expect(await call(made.secret)).toBe(401)
})

test("a key rotation without a body uses a grace period of one day", async () => {
  const made = await asked(gateway, "POST", "/keys", { account, name: "plain rotation" })
  const rotated = await asked(gateway, "POST", `/keys/${String(made.id)}/rotate`)
  const [until] = rotated.grace_until as string[]
  expect(Date.parse(until ?? "") - Date.now()).toBeGreaterThan(86_000_000)
})

test("a revoked key becomes invalid within a second, and another revocation has no effect", async () => {
  const made = await asked(gateway, "POST", "/keys", { account, name: "revoked" })
  const path = `/keys/${String(made.id)}`
  await until(async () => (await call(made.secret)) === 200)
  expect(await asked(gateway, "POST", `${path}/revoke`)).toMatchObject({ status: "revoked" })
  const stops = async () => (await call(made.secret)) === 401
  expect(await polledTime(stops, 1_000)).toBeLessThan(1_000)
  expect(await asked(gateway, "POST", `${path}/revoke`)).toMatchObject({ status: "revoked" })
  for (const [method, rest] of [
    ["POST", "/rotate"],
    ["PATCH", ""],
  ] as const) {
    const response = await ask(gateway, method, path + rest, {})
    expect(response.status).toBe(409)
    await response.body?.cancel()
  }
})

test("the key list returns each key once across several pages, newest first", async () => {
  const own = String((await asked(gateway, "POST", "/accounts", { name: "paging" })).id)
  const made: string[] = []
  for (let index = 0; index < 5; index++) {
    made.push(String((await asked(gateway, "POST", "/keys", { account: own, name: "x" })).id))
  }
  await asked(gateway, "POST", `/keys/${made[2]}/revoke`)
  const seen: string[] = []
  let cursor = ""
  do {
    const page = await asked(gateway, "GET", `/keys?account=${own}&limit=2&cursor=${cursor}`)
    seen.push(...(page.data as { id: string }[]).map(({ id }) => id))
    cursor = String(page.next_cursor ?? "")
  } while (cursor !== "")
  expect(seen.toSorted()).toEqual(made.toSorted())
  const revoked = await asked(gateway, "GET", `/keys?account=${own}&status=revoked`)
  expect((revoked.data as { id: string }[]).map(({ id }) => id)).toEqual([made[2] ?? ""])
})

test.each([
  [{ account: "acc_other", name: "x" }, 404, null],
  [{ name: "x" }, 400, "account"],
  [{ name: "", budget: "0" }, 400, "account"],
  [{ budget: "-1" }, 400, "budget"],
  [{ budget: "1.1234567891" }, 400, "budget"],
  [{ models: [] }, 400, "models"],
  [{ models: [""] }, 400, "models[0]"],
  [{ requests_per_minute: 0.5 }, 400, "requests_per_minute"],
  [{ concurrent_requests: 0 }, 400, "concurrent_requests"],
  [{ expires_at: "tomorrow" }, 400, "expires_at"],
  [{ expires_at: "2020-01-01T00:00:00Z" }, 400, "expires_at"],
])("invalid fields of a key are rejected: %#", async (order, status, parameter) => {
  const whole = "name" in order ? order : { account, name: "x", ...order }
  const response = await ask(gateway, "POST", "/keys", whole)
  expect(response.status).toBe(status)
  expect((await errorOf(response)).param).toBe(parameter)
})

test("aliases of a key are validated and take effect immediately", async () => {
  for (const aliases of [
    {},
    { "a b": "sim/echo" },
    { a: "echo" },
    { "a,b": "sim/echo" },
    { a: 1 },
    [],
  ]) {
    const response = await ask(gateway, "POST", "/keys", { account, name: "odd", aliases })
    expect([aliases, response.status]).toEqual([aliases, 400])
  }
  const made = await asked(gateway, "POST", "/keys", {
    account,
    name: "named",
    aliases: { "gpt-4o": "sim/echo" },
  })
  expect(made.aliases).toEqual({ "gpt-4o": "sim/echo" })
  const named = async (name: string): Promise<number> => {
    const headers = { authorization: `Bearer ${String(made.secret)}` }
    return (await fetch(`${gateway.url}/v1/models/${name}`, { headers })).status
  }
  expect([await named("gpt-4o"), await named("fast")]).toEqual([200, 404])
  await asked(gateway, "PATCH", `/keys/${String(made.id)}`, { aliases: { fast: "sim/echo" } })
  expect([await named("gpt-4o"), await named("fast")]).toEqual([404, 200])
})
