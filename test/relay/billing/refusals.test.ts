import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { provider, simulated, startGateway, type TestGateway } from "../../support/gateway.ts"
import { type ScriptedVendor, startVendor, streamed } from "../scripted-vendor.ts"
import { nanocredits, receiptOf } from "../support.ts"

/** Anthropic reports the tokens of refusals before any output, and bills them only in some categories. */

type Json = Record<string, unknown>

let gateway: TestGateway
let vendor: ScriptedVendor
let refusal: Refusal

interface Refusal {
  readonly category: string | null
  readonly text: string
}

function responseTo(isStream: boolean): Response {
  const { category, text } = refusal
  const usage = { input_tokens: 100, output_tokens: text === "" ? 0 : 10 }
  const content = text === "" ? [] : [{ type: "text", text }]
  const details = { type: "refusal", category, explanation: "The request was declined." }
  const ending = { stop_reason: "refusal", stop_sequence: null, stop_details: details }
  const head = { id: "msg_1", type: "message", role: "assistant", model: "up" }
  if (!isStream) return Response.json({ ...head, content, ...ending, usage })
  const begun = { ...head, content: [], stop_reason: null, usage: { ...usage, output_tokens: 0 } }
  const blocks = content.flatMap((block, index) => [
    { type: "content_block_start", index, content_block: { ...block, text: "" } },
    { type: "content_block_delta", index, delta: { type: "text_delta", text } },
    { type: "content_block_stop", index },
  ])
  const events: Json[] = [
    { type: "message_start", message: begun },
    ...blocks,
    { type: "message_delta", delta: ending, usage },
    { type: "message_stop" },
  ]
  return streamed(
    events.map((event) => `event: ${String(event["type"])}\ndata: ${JSON.stringify(event)}\n\n`),
  )
}

beforeAll(async () => {
  vendor = startVendor(() => responseTo(vendor.bodies.at(-1)?.["stream"] === true))
  const bare = vendor.url.replace(/\/v1$/, "")
  const at = (id: string) =>
    simulated({ deployments: [{ provider: id, model: "claude", weight: 1 }] })
  gateway = await startGateway({
    providers: {
      anthropic: provider(bare, "anthropic"),
      compatible: {
        ...provider(vendor.url, "openai-compatible"),
        dialects: ["anthropic-messages"],
      },
    },
    models: { "anthropic/claude": at("anthropic"), "compatible/claude": at("compatible") },
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

const HELLO = [{ role: "user", content: "Hi" }]
const REQUESTS: readonly (readonly [string, Json])[] = [
  ["/v1/messages", { messages: HELLO, max_tokens: 50 }],
  ["/v1/chat/completions", { messages: HELLO, max_tokens: 50 }],
  ["/v1/chat/completions", { messages: HELLO, max_tokens: 50, n: 2 }],
  ["/v1/responses", { input: "Hi", max_output_tokens: 50 }],
]
/** The cost of one call with 100 tokens of input at 1 credit per million, and of 10 tokens of output at 2. */
const INPUT_COST = 100_000n
const OUTPUT_COST = 20_000n

async function costOf(path: string, body: Json): Promise<bigint> {
  const caller = await gateway.caller("10")
  const response = await caller.post(path, body)
  const text = await response.text()
  expect(response.status, text).toBe(200)
  return nanocredits((await receiptOf(caller, response)).cost)
}

describe.each(REQUESTS)("a model's refusal of a request to %s with %j", (path, body) => {
  for (const stream of [false, true]) {
    const calls = BigInt(Number(body["n"] ?? 1))

    test.each(["cyber", null, "other"])(
      `costs nothing in category %s before any output (stream: ${stream})`,
      async (category) => {
        refusal = { category, text: "" }
        expect(await costOf(path, { ...body, model: "anthropic/claude", stream })).toBe(0n)
      },
    )

    test.each(["bio", "frontier_llm", "reasoning_extraction"])(
      `costs its tokens in category %s even before any output (stream: ${stream})`,
      async (category) => {
        refusal = { category, text: "" }
        const cost = await costOf(path, { ...body, model: "anthropic/claude", stream })
        expect(cost).toBeGreaterThanOrEqual(calls * INPUT_COST)
      },
    )

    test(`costs its tokens at other vendors (stream: ${stream})`, async () => {
      refusal = { category: "cyber", text: "" }
      const cost = await costOf(path, { ...body, model: "compatible/claude", stream })
      expect(cost).toBeGreaterThanOrEqual(calls * INPUT_COST)
    })

    test(`costs its tokens after output (stream: ${stream})`, async () => {
      refusal = { category: "cyber", text: "Hello" }
      const cost = await costOf(path, { ...body, model: "anthropic/claude", stream })
      expect(cost).toBe(calls * (INPUT_COST + OUTPUT_COST))
    })
  }
})
