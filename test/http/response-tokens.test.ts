import { afterAll, beforeAll, expect, test } from "bun:test"
import { startGateway, type TestCaller, type TestGateway } from "../support/gateway.ts"

let gateway: TestGateway
let caller: TestCaller

beforeAll(async () => {
  gateway = await startGateway()
  caller = await gateway.caller("1")
})

afterAll(() => gateway[Symbol.asyncDispose]())

test("the token count of the Responses API is free, and OpenAI's client can read it", async () => {
  const before = await caller.balance()
  const input = "Hello there, gateway"
  const counted = await caller.client.responses.inputTokens.count({ model: "sim/echo", input })
  expect(counted.object).toBe("response.input_tokens")
  expect(counted.input_tokens).toBeGreaterThan(3)
  expect(counted.input_tokens).toBeLessThan(20)
  expect(await caller.balance()).toBe(before)
})

test("a token count that refers to an earlier response is rejected", async () => {
  const body = { model: "sim/echo", previous_response_id: "resp_1", input: "Hi" }
  const response = await caller.post("/v1/responses/input_tokens", body)
  const { error } = (await response.json()) as { error: { param: string } }
  expect([response.status, error.param]).toEqual([400, "previous_response_id"])
})

test("a stream in OpenRouter's format reports its usage on request", async () => {
  const messages = [{ role: "user", content: "Hello" }]
  const body = { model: "sim/echo", messages, stream: true, usage: { include: true } }
  const response = await caller.post("/v1/chat/completions", body)
  expect(await response.text()).toContain('"prompt_tokens":')
})
