import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { simulated, startGateway, type TestCaller, type TestGateway } from "../support/gateway.ts"
import { AUDIT } from "../store/audit-record.ts"
import { until } from "../support/until.ts"
import { CHAT, errorOf, HELLO } from "../relay/support.ts"

let paid: TestGateway
let withFree: TestGateway

const FREE = simulated({ price: { input: "0", output: "0" } })

beforeAll(async () => {
  paid = await startGateway({
    models: {
      "sim/embed": { kind: "embedding", price: { input: "1" } },
      "sim/rank": { kind: "rerank", price: { search: "1" } },
      "sim/moderate": { kind: "moderation", price: { input: "0" } },
    },
  })
  withFree = await startGateway({ models: { "sim/echo": FREE, "sim/paid": simulated() } })
})

afterAll(async () => {
  await paid[Symbol.asyncDispose]()
  await withFree[Symbol.asyncDispose]()
})

/** Returns a body that is too large to be read in one chunk. */
const large = (model: string, rest: object = {}): object => ({
  user: "x".repeat(100_000),
  model,
  messages: HELLO,
  ...rest,
})

async function rejected(caller: TestCaller, body: object | string, path = CHAT) {
  return await errorOf(await caller.post(path, body))
}

describe("requests with large bodies", () => {
  test("fail before they are parsed if the account has no credits", async () => {
    const caller = await paid.caller("0")
    const broken = `{"model":"sim/echo",${"x".repeat(100_000)}`
    const error = await rejected(caller, broken)
    expect(error).toMatchObject({ status: 402, error_type: "insufficient_credits", balance: "0" })
    expect(error["required"]).toBeString()
  })

  test("fail before they are parsed if the key's budget is used up", async () => {
    const caller = await paid.caller("1", { budget: 0n })
    const used = await rejected(caller, { model: "sim/echo", messages: HELLO })
    expect(used).toMatchObject({ status: 402, error_type: "key_budget_exceeded" })
    expect((await rejected(caller, large("sim/echo"))).status).toBe(402)
  })

  test("fail because of a forbidden model, even if the rest of the body is invalid", async () => {
    const caller = await paid.caller("1", { models: ["sim/other"] })
    const broken = `{"a":"${"x".repeat(100_000)}","model":"sim/echo",]`
    expect(await rejected(caller, broken)).toMatchObject({
      status: 403,
      error_type: "model_not_allowed",
    })
    expect((await rejected(await paid.caller("1"), broken)).error_type).toBe("invalid_json")
  })

  test("can call only free models if the account has no credits", async () => {
    const caller = await withFree.caller("0")
    const served = await caller.post(CHAT, large("sim/echo"))
    expect(served.status).toBe(200)
    await served.text()
    expect(await rejected(caller, large("sim/paid"))).toMatchObject({
      status: 402,
      error_type: "insufficient_credits",
    })
  })

  test("do not count toward the key's rate limit if they are rejected", async () => {
    const caller = await paid.caller("1", { requestsPerMinute: 1 })
    expect((await rejected(caller, large("none/none"))).status).toBe(404)
    const served = await caller.post(CHAT, large("sim/echo"))
    expect(served.status).toBe(200)
    await served.text()
    expect(await rejected(caller, large("none/none"))).toMatchObject({
      status: 429,
      error_type: "request_rate_exceeded",
    })
  })

  test("get their stored response even after the budget is used up", async () => {
    const caller = await paid.caller("1")
    const headers = { "idempotency-key": "again" }
    const body = large("sim/echo", { max_tokens: 10 })
    const first = await (await caller.post(CHAT, body, headers)).text()
    await paid.store.keys.update(caller.keyId, { budget: 1n }, AUDIT)
    await until(async () => (await caller.post(CHAT, body)).status === 402)
    const again = await caller.post(CHAT, body, headers)
    expect(again.headers.get("idempotent-replayed")).toBe("true")
    expect(await again.text()).toBe(first)
  })
})

describe("overlong lists and texts", () => {
  const many = (count: number, element: unknown): unknown[] =>
    Array.from({ length: count }, () => element)
  const cases: readonly [path: string, body: object, field: string, limit: string][] = [
    [CHAT, { model: "sim/echo", messages: many(10_001, HELLO[0]) }, "messages", "10000"],
    [CHAT, { model: "sim/echo", messages: HELLO, stop: many(2_501, "a") }, "stop", "2500"],
    [CHAT, { model: "sim/echo", messages: HELLO, stop: ["a".repeat(65_537)] }, "stop", "65536"],
    [
      CHAT,
      { model: "sim/echo", messages: [HELLO[0], { role: "user", content: many(10_001, 0) }] },
      "messages[1].content",
      "10000",
    ],
    [
      CHAT,
      {
        model: "sim/echo",
        messages: HELLO,
        tools: [{ type: "function", function: { name: "a".repeat(4_096) } }],
      },
      "tools[0].function.name",
      "1024",
    ],
    [
      "/v1/responses",
      {
        model: "sim/echo",
        input: "Hi",
        tools: [{ type: "namespace", name: "a".repeat(4_096), tools: [] }],
      },
      "tools[0].name",
      "1024",
    ],
    [
      "/v1/messages",
      {
        model: "sim/echo",
        max_tokens: 9,
        messages: HELLO,
        tools: [{ name: "a".repeat(4_096), input_schema: { type: "object" } }],
      },
      "tools[0].name",
      "1024",
    ],
    [
      "/v1beta/models/sim/echo:generateContent",
      {
        contents: [],
        tools: [{ function_declarations: [{ name: "a".repeat(4_096) }] }],
      },
      "tools[0].function_declarations[0].name",
      "1024",
    ],
    ["/v1/embeddings", { model: "sim/embed", input: many(10_001, "a") }, "input", "10000"],
    [
      "/v1/rerank",
      { model: "sim/rank", query: "a", documents: many(10_001, "a") },
      "documents",
      "10000",
    ],
    [
      "/v1beta/models/sim/echo:generateContent",
      { contents: [], generation_config: { stop_sequences: many(2_501, "a") } },
      "generation_config.stop_sequences",
      "2500",
    ],
  ]
  for (const [path, body, field, limit] of cases) {
    test(`cause an error with the field and the limit: ${field} at ${path}`, async () => {
      const caller = await paid.caller("1")
      const response = await caller.post(path, body)
      const text = await response.text()
      expect([response.status, text]).toEqual([400, expect.stringContaining(`'${field}'`)])
      expect(text).toContain(limit)
      const estimated = await caller.post("/v1/estimate", { path, body })
      expect([estimated.status, await estimated.text()]).toEqual([
        400,
        expect.stringContaining(`'${field}'`),
      ])
    })
  }

  test("do not include a single list of tokens, which counts as one text", async () => {
    const caller = await paid.caller("1000")
    const body = { model: "sim/embed", input: many(20_000, 100) }
    const response = await caller.post("/v1/embeddings", body)
    expect(await response.text()).not.toContain("array too long")
  })
})
