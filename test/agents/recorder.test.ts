import { afterAll, beforeAll, expect, test } from "bun:test"
import { startGateway, type TestCaller, type TestGateway } from "../support/gateway.ts"
import { wrongIn } from "./expected.ts"
import { type Exchange, Recorder } from "./recorder.ts"

let gateway: TestGateway
let caller: TestCaller

beforeAll(async () => {
  gateway = await startGateway()
  caller = await gateway.caller()
})

afterAll(() => gateway[Symbol.asyncDispose]())

const MESSAGES = [{ role: "user", content: "Hello" }]

/** Sends requests to the given models one after another. Returns the recorded exchanges. */
async function record(...models: string[]): Promise<readonly Exchange[]> {
  await using recorder = await Recorder.start(gateway.url)
  for (const model of models) {
    const response = await fetch(`${recorder.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${caller.key}`, "content-type": "application/json" },
      body: JSON.stringify({ model, messages: MESSAGES }),
    })
    await response.text()
  }
  return recorder.exchanges
}

test("the agent recorder records requests and responses without the agent's key", async () => {
  const [exchange] = await record("sim/echo")
  expect(exchange).toMatchObject({ method: "POST", path: "/v1/chat/completions", status: 200 })
  expect(JSON.parse(exchange?.body ?? "")).toEqual({ model: "sim/echo", messages: MESSAGES })
  expect(exchange?.response).toContain('"content":"Hello"')
  expect(JSON.stringify(exchange)).not.toContain(caller.key)
})

test("the agent recorder reports an agent that continues after an unexpected error as failed", async () => {
  expect(wrongIn(await record("sim/echo"))).toBeUndefined()
  expect(wrongIn(await record("sim/nobody", "sim/echo"))).toContain("was answered 404")
  expect(wrongIn([])).toBe("it did not call the gateway")
  const [answered] = await record("sim/echo")
  const shake = { ...answered, method: "GET", path: "/v1/responses", status: 426 } as Exchange
  expect(wrongIn([shake, answered as Exchange])).toBeUndefined()
})

test("the agent recorder reports an agent that loses a required field as failed", async () => {
  const [answered] = await record("sim/echo")
  const losing = (loss: string) => wrongIn([{ ...answered, losses: [loss] } as Exchange])
  expect(losing("prompt_cache_key:dropped")).toBeUndefined()
  expect(losing("reasoning_effort:dropped")).toContain("lost reasoning_effort:dropped")
})
