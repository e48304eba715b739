import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { simulated, type TestCaller, type TestGateway } from "../../support/gateway.ts"
import { ask, asked, errorOf, startManaged } from "../../http/admin/support.ts"

let gateway: TestGateway

beforeAll(async () => {
  const deployments = [{ provider: "sim", model: "echo", weight: 1 }]
  gateway = await startManaged({ models: { "sim/other": simulated({ deployments }) } })
})

afterAll(() => gateway[Symbol.asyncDispose]())

const CHAT = { model: "sim/echo", messages: [{ role: "user", content: "Hello" }], max_tokens: 20 }

const change = ({ account }: TestCaller, body: object) =>
  asked(gateway, "PATCH", `/accounts/${account.id}`, body)

/** Creates another key for a caller's account. */
async function secondKey({ account }: TestCaller): Promise<string> {
  const { secret } = await asked(gateway, "POST", "/keys", { account: account.id, name: "second" })
  return String(secret)
}

function chat(key: string, body: object = CHAT): Promise<Response> {
  return fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  })
}

async function codeOf(response: Response): Promise<string> {
  if (response.ok) return `${response.status}${await response.text().then(() => "")}`
  return `${response.status} ${(await errorOf(response)).code}`
}

const PAID: readonly (readonly [string, object])[] = [
  ["/v1/chat/completions", CHAT],
  ["/v1/messages", CHAT],
  ["/v1/responses", { model: "sim/echo", input: "Hello" }],
  ["/v1/embeddings", { model: "sim/embedding", input: "Hello" }],
  ["/v1/rerank", { model: "sim/rerank", query: "a", documents: ["b"] }],
  ["/v1/moderations", { model: "sim/moderation", input: "a" }],
  ["/v1/images/generations", { model: "sim/image", prompt: "a" }],
  ["/v1/audio/speech", { model: "sim/speech", input: "a", voice: "alloy" }],
]

describe("a paused account", () => {
  test("rejects paid requests until it is resumed, and can still be read", async () => {
    const caller = await gateway.caller("1")
    const key = await secondKey(caller)
    expect(await codeOf(await chat(key))).toBe("200")
    for (const state of ["paused", "closed"]) {
      expect(await change(caller, { state })).toMatchObject({ state })
      expect(await codeOf(await chat(key))).toBe(`403 account_${state}`)
      expect(await codeOf(await chat(caller.key, { ...CHAT, stream: true }))).toBe(
        `403 account_${state}`,
      )
      const credits = await (await caller.get("/v1/credits")).json()
      expect(credits).toMatchObject({ state })
      expect((await caller.get("/v1/models")).status).toBe(200)
    }
    const order = { account: caller.account.id, name: "third" }
    expect((await ask(gateway, "POST", "/keys", order)).status).toBe(409)
    await change(caller, { state: "active" })
    expect(await codeOf(await chat(key))).toBe("200")
    expect((await ask(gateway, "POST", "/keys", order)).status).toBe(200)
  })

  test("returns 403 from each charged endpoint, without a hold or a charge", async () => {
    await using own = await startManaged({
      models: {
        "sim/embedding": simulated({ kind: "embedding" }),
        "sim/rerank": simulated({ kind: "rerank" }),
        "sim/moderation": { kind: "moderation", price: { input: "0" } },
        "sim/image": simulated({ kind: "image" }),
        "sim/speech": simulated({ kind: "speech" }),
      },
    })
    const caller = await own.caller("1")
    await asked(own, "PATCH", `/accounts/${caller.account.id}`, { state: "paused" })
    for (const [path, body] of PAID) {
      const response = await caller.post(path, body)
      expect([path, response.status]).toEqual([path, 403])
      expect(await response.text()).toContain("paused")
    }
    expect(await caller.balance()).toBe(1_000_000_000n)
    expect(own.simulator.requests ?? []).toEqual([])
  })

  test("does not interrupt running requests", async () => {
    const caller = await gateway.caller("1")
    const response = await caller.post("/v1/chat/completions", { ...CHAT, stream: true })
    await change(caller, { state: "paused" })
    expect(await response.text()).toContain("[DONE]")
  })
})

test("every member who can change keys can pause and resume the account", async () => {
  const caller = await gateway.caller("1")
  const paused = await asked(gateway, "PATCH", `/keys/${caller.keyId}`, { is_paused: true })
  expect(paused).toMatchObject({ is_paused: true, status: "active" })
  expect(await codeOf(await chat(caller.key))).toBe("403 key_paused")
  await asked(gateway, "PATCH", `/keys/${caller.keyId}`, { is_paused: false })
  expect(await codeOf(await chat(caller.key))).toBe("200")
  const { data } = await asked(gateway, "GET", `/audit?target=${caller.keyId}`)
  expect(data).toMatchObject([
    { before: { is_paused: true }, after: { is_paused: false } },
    { before: { is_paused: false }, after: { is_paused: true } },
  ])
})

describe("the limits of an account", () => {
  test("apply to the models of all its keys, in addition to the keys' own limits", async () => {
    const caller = await gateway.caller("1", { models: ["sim/e*", "sim/none"] })
    const key = await secondKey(caller)
    await change(caller, { models: ["sim/other", "sim/echo"] })
    expect(await codeOf(await chat(caller.key))).toBe("200")
    expect(await codeOf(await chat(caller.key, { ...CHAT, model: "sim/other" }))).toBe(
      "403 model_not_allowed",
    )
    await change(caller, { models: ["sim/other"] })
    expect(await codeOf(await chat(key))).toBe("403 model_not_allowed")
    expect(await codeOf(await chat(key, { ...CHAT, model: "sim/other" }))).toBe("200")
    await change(caller, { models: null })
    expect(await codeOf(await chat(key))).toBe("200")
  })

  test("apply to the requests of all its keys together, and each key also keeps its own limit", async () => {
    const caller = await gateway.caller("1", { requestsPerMinute: 3 })
    const key = await secondKey(caller)
    await change(caller, { requests_per_minute: 5 })
    const first = await chat(caller.key)
    expect(first.headers.get("x-ratelimit-limit-requests")).toBe("3")
    await first.text()
    for (let count = 0; count < 2; count++) expect(await codeOf(await chat(caller.key))).toBe("200")
    const rejected = await chat(caller.key)
    expect((await errorOf(rejected)).message).toContain("requests of this key: 3")
    for (let count = 0; count < 2; count++) expect(await codeOf(await chat(key))).toBe("200")
    const last = await chat(key)
    expect(last.status).toBe(429)
    expect(last.headers.get("x-ratelimit-limit-requests")).toBe("5")
    expect((await errorOf(last)).message).toContain("requests of this account: 5")
  })

  test("apply to tokens, which are returned if a request is rejected or uses less", async () => {
    const caller = await gateway.caller("1", { tokensPerMinute: 5_000 })
    await change(caller, { tokens_per_minute: 1_000 })
    const long = { ...CHAT, messages: [{ role: "user", content: "word ".repeat(600) }] }
    expect(await codeOf(await chat(caller.key, long))).toBe("200")
    const rejected = await chat(caller.key, long)
    expect(rejected.status).toBe(429)
    expect((await errorOf(rejected)).message).toContain("tokens of this account: 1000")
    const next = await chat(caller.key)
    await next.text()
    expect(next.status).toBe(200)
    expect(next.headers.get("x-ratelimit-limit-tokens")).toBe("1000")
    await change(caller, { tokens_per_minute: null })
    const alone = await chat(caller.key)
    await alone.text()
    // The rejected request used none of its own 5,000 tokens.
    expect(Number(alone.headers.get("x-ratelimit-remaining-tokens"))).toBeGreaterThan(4_200)
  })

  test("apply to concurrent requests", async () => {
    await using own = await startManaged({ models: { "sim/fault-stall": simulated() } })
    const caller = await own.caller("1")
    await asked(own, "PATCH", `/accounts/${caller.account.id}`, { concurrent_requests: 1 })
    const stop = new AbortController()
    const running = fetch(`${own.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${caller.key}`, "content-type": "application/json" },
      body: JSON.stringify({ ...CHAT, model: "sim/fault-stall", stream: true }),
      signal: stop.signal,
    })
    const begun = await running
    const rejected = await caller.post("/v1/chat/completions", CHAT)
    expect(rejected.status).toBe(429)
    expect((await errorOf(rejected)).message).toContain(
      "limit of 1 concurrent request of this account",
    )
    stop.abort()
    await begun.text().catch(() => "")
    let status = 429
    while (status === 429) {
      const response = await caller.post("/v1/chat/completions", CHAT)
      await response.text()
      ;({ status } = response)
    }
    expect(status).toBe(200)
  })

  test("can be read by the keys and the members of the account", async () => {
    const caller = await gateway.caller("1", { requestsPerMinute: 9 })
    const limits = {
      models: ["sim/*"],
      requests_per_minute: 5,
      tokens_per_minute: 100_000,
      concurrent_requests: 2,
      max_keys: 4,
    }
    expect(await change(caller, limits)).toMatchObject(limits)
    expect(await asked(gateway, "GET", `/accounts/${caller.account.id}`)).toMatchObject(limits)
    expect(await (await caller.get("/v1/credits")).json()).toMatchObject({
      state: "active",
      limits,
      key: { requests_per_minute: 9, is_paused: false },
    })
    expect(await change(caller, { tokens_per_minute: null })).toMatchObject({
      ...limits,
      tokens_per_minute: null,
    })
  })

  test("apply to the number of keys, even if they are created simultaneously", async () => {
    const caller = await gateway.caller("1")
    await change(caller, { max_keys: 3 })
    const order = { account: caller.account.id, name: "one of many" }
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => ask(gateway, "POST", "/keys", order)),
    )
    expect(responses.filter(({ ok }) => ok)).toHaveLength(2)
    const rejected = responses.find(({ ok }) => !ok)
    expect(rejected?.status).toBe(409)
    expect((await errorOf(rejected!)).message).toContain("maximum of 3 keys")
    await asked(gateway, "POST", `/keys/${caller.keyId}/revoke`)
    expect((await ask(gateway, "POST", "/keys", order)).status).toBe(200)
  })

  test.each([
    [{ state: "sleeping" }, "state"],
    [{ requests_per_minute: 0 }, "requests_per_minute"],
    [{ models: [] }, "models"],
    [{ max_keys: -1 }, "max_keys"],
  ])("cause an error if they are invalid: %o", async (body, parameter) => {
    const caller = await gateway.caller("1")
    const response = await ask(gateway, "PATCH", `/accounts/${caller.account.id}`, body)
    expect(response.status).toBe(400)
    expect((await errorOf(response)).param).toBe(parameter)
  })
})
