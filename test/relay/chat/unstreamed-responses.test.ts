import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import {
  provider,
  simulated,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../support/gateway.ts"
import { type ScriptedVendor, startVendor } from "../scripted-vendor.ts"
import { CHAT, errorOf, HELLO, receiptOf } from "../support.ts"

let vendor: ScriptedVendor
let gateway: TestGateway
let caller: TestCaller
/** The provider's response, which is a whole response although a stream was requested. */
let answer: object

beforeAll(async () => {
  vendor = startVendor(() => Response.json(answer))
  const root = vendor.url.replace("/v1", "")
  gateway = await startGateway({
    providers: {
      bedrock: { ...provider(root, "bedrock"), region: "us-east-1" },
      cohere: provider(root, "cohere"),
    },
    models: { "bedrock/chat": simulated(), "cohere/chat": simulated() },
  })
  caller = await gateway.caller("10")
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

const COUNTED: Readonly<Record<string, object>> = {
  "bedrock/chat": {
    output: { message: { role: "assistant", content: [{ text: "Hello" }] } },
    stopReason: "end_turn",
    usage: { inputTokens: 30, outputTokens: 400, totalTokens: 430 },
  },
  "cohere/chat": {
    message: { role: "assistant", content: [{ type: "text", text: "Hello" }] },
    finish_reason: "COMPLETE",
    usage: { billed_units: { input_tokens: 30, output_tokens: 400 } },
  },
}

describe.each(Object.keys(COUNTED))("a request for a stream to %s", (model) => {
  async function failed() {
    const before = vendor.bodies.length
    const order = { model, messages: HELLO, max_tokens: 1_000, stream: true }
    const response = await caller.post(CHAT, order)
    const receipt = await receiptOf(caller, response)
    expect(response.status).toBe(502)
    expect(vendor.bodies.length).toBe(before + 1)
    return { receipt, error: await errorOf(response) }
  }

  test("pays for a whole response that the provider bills", async () => {
    answer = COUNTED[model] ?? {}
    const { receipt, error } = await failed()
    expect(receipt).toMatchObject({ status: "settled", usage: { input: 30, output: 400 } })
    expect(error.message).toContain("did not answer with a stream")
    expect(error.message).toContain("was charged")
  })

  test("pays nothing for JSON without usage", async () => {
    answer = { note: "Nothing to see here" }
    const { receipt, error } = await failed()
    expect(receipt.cost).toBe("0")
    expect(error.message).not.toContain("was charged")
  })
})
