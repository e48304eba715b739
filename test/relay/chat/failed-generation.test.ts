import { afterAll, beforeAll, expect, test } from "bun:test"
import {
  provider,
  simulated,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../support/gateway.ts"
import { type ScriptedVendor, startVendor, streamed } from "../scripted-vendor.ts"
import { CHAT, HELLO } from "../support.ts"

/** Groq reports an invalid call that a model wrote, so that clients can repair it. */
const WRITTEN = `<function=weather {"city": "Oslo", "note": "${"long ".repeat(1_000)}`
/** Maximum length that a caller gets without a charge. */
const MAX_CHARACTERS = 2_000
const ERROR = {
  error: {
    message: "Failed to call a function. Please adjust your prompt. See 'failed_generation'.",
    type: "invalid_request_error",
    code: "tool_use_failed",
    failed_generation: WRITTEN,
  },
}

let vendor: ScriptedVendor
let gateway: TestGateway
let caller: TestCaller

beforeAll(async () => {
  vendor = startVendor((_request, number) =>
    vendor.bodies[number - 1]?.["user"] === "framed"
      ? streamed([`data: ${JSON.stringify(ERROR)}\n\n`])
      : Response.json(ERROR, { status: 400 }),
  )
  gateway = await startGateway({
    providers: { groq: provider(vendor.url, "groq") },
    models: { "groq/m": simulated() },
  })
  caller = await gateway.caller("10")
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

const model = "groq/m"
const CALLS: readonly (readonly [path: string, body: object])[] = [
  [CHAT, { model, messages: HELLO }],
  ["/v1/messages", { model, max_tokens: 9, messages: HELLO }],
  ["/v1/responses", { model, input: "Hi" }],
  [`/v1beta/models/${model}:generateContent`, { contents: [{ parts: [{ text: "Hi" }] }] }],
  [CHAT, { model, messages: HELLO, stream: true }],
  [CHAT, { model, messages: HELLO, stream: true, user: "framed" }],
  [CHAT, { model, messages: HELLO, user: "framed" }],
]

test.each(CALLS)(
  "the error at %s contains the beginning of the failed generation: %j",
  async (path, body) => {
    const response = await caller.post(path, body)
    const text = await response.text()
    expect(response.status).toBe(400)
    const { error } = JSON.parse(text) as { error: Record<string, unknown> }
    expect(error["failed_generation"]).toBe(WRITTEN.slice(0, MAX_CHARACTERS))
  },
)
