import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test"
import {
  provider,
  simulated,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../support/gateway.ts"
import { type ScriptedVendor, startVendor } from "../scripted-vendor.ts"
import { CHAT, HELLO } from "../support.ts"

const MESSAGES = "/v1/messages"
const KEY = "sk-ant-operator-0123456789"

let vendor: ScriptedVendor
let gateway: TestGateway
let caller: TestCaller
let details: object

beforeAll(async () => {
  vendor = startVendor(() =>
    Response.json(
      {
        type: "error",
        error: { type: "invalid_request_error", message: "Not so.", details },
      },
      { status: 400 },
    ),
  )
  const claude = { ...provider(vendor.url.replace(/\/v1$/, ""), "anthropic"), apiKey: KEY }
  gateway = await startGateway({ providers: { claude }, models: { "claude/opus": simulated() } })
  caller = await gateway.caller()
})

beforeEach(() => {
  details = {}
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

async function errorOf(response: Response) {
  const { error } = (await response.json()) as { error: Record<string, unknown> }
  return error
}

test("the caller gets the details of a vendor's error without the operator's secrets", async () => {
  details = { error_code: "tool_name_conflict", names: ["look", KEY] }
  const order = { model: "claude/opus", max_tokens: 5, messages: HELLO }
  const error = await errorOf(await caller.post(MESSAGES, order))
  expect(error).toMatchObject({
    message: "Not so.",
    details: { error_code: "tool_name_conflict", names: ["look", "[redacted]"] },
  })
})

test("details of a vendor's error that are too long are dropped", async () => {
  details = { words: "x".repeat(5_000) }
  const order = { model: "claude/opus", max_tokens: 5, messages: HELLO }
  expect(await errorOf(await caller.post(MESSAGES, order))).not.toHaveProperty("details")
})

test("the first request of a thread is rejected if the vendor stores no threads", async () => {
  const order = { model: "sim/echo", max_tokens: 5, messages: HELLO }
  const response = await caller.post(MESSAGES, { ...order, thread: { type: "create" } })
  expect(response.status).toBe(400)
  expect(await errorOf(response)).toMatchObject({
    type: "invalid_request_error",
    param: "thread",
    details: { error_code: "thread_unsupported_request", unsupported: ["thread"] },
  })
  expect(gateway.simulator.requests).toBeEmpty()
  expect((await caller.post(MESSAGES, { ...order, thread: null })).status).toBe(200)
})

test.each([true, false])(
  "an error response lists the losses that occurred before it, streamed: %p",
  async (stream) => {
    const order = { model: "claude/opus", seed: 1, logprobs: true, messages: HELLO, stream }
    const response = await caller.post(CHAT, order)
    expect(response.status).toBe(400)
    expect(response.headers.get("x-tollgate-losses")).toBe("seed:dropped, logprobs:dropped")
  },
)
