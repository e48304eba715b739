import { expect, test } from "bun:test"
import { provider, simulated, startGateway } from "../../support/gateway.ts"
import { startVendor, streamed } from "../scripted-vendor.ts"
import { CHAT, contentOf, HELLO, receiptOf } from "../support.ts"

const TOO_DEEP = JSON.parse(`${'{"a":'.repeat(600)}1${"}".repeat(600)}`) as object

/** Returns the stream of a choice. If it is unread, its first event is nested too deeply. */
function choice(isUnread: boolean): Response {
  const message = { role: "assistant", content: [], usage: { input_tokens: 30, output_tokens: 1 } }
  const start = { type: "message_start", message }
  const usage = { input_tokens: 30, output_tokens: 400 }
  const events = [
    isUnread ? { ...start, padding: TOO_DEEP } : start,
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hello" } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage },
    { type: "message_stop" },
  ]
  return streamed(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`))
}

test.each([1, 3])(
  "a stream that cannot be read is charged, and the other choices are delivered and charged: call %i",
  async (unread) => {
    let made = 0
    using vendor = startVendor(() => choice(++made === unread))
    await using gateway = await startGateway({
      providers: { anthropic: provider(vendor.url.replace("/v1", ""), "anthropic") },
      models: { "anthropic/chat": simulated() },
    })
    const caller = await gateway.caller("10")
    const order = { model: "anthropic/chat", messages: HELLO, max_tokens: 1_000, n: 3 }
    const response = await caller.post(CHAT, { ...order, stream: true })
    expect(response.status).toBe(200)
    expect(response.headers.get("x-tollgate-losses")).toContain("n:approximated")
    const text = await response.text()
    expect(contentOf(text)).toBe("HelloHello")
    expect(text).not.toContain('"error"')
    const receipt = await receiptOf(caller, response)
    expect(receipt).toMatchObject({ estimated: false, usage: { input: 90, output: 1_200 } })
    expect(made).toBe(3)
  },
)
