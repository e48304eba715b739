import { expect, test } from "bun:test"
import { provider, simulated, startGateway } from "../../support/gateway.ts"
import { until } from "../../support/until.ts"
import { frame, startVendor } from "../scripted-vendor.ts"
import { CHAT, HELLO, readUntil, receiptsOf } from "../support.ts"

const MEGABYTE = 1024 * 1024
const CALLERS = 6
/** Bytes of a frame that does not end. Its copies take three times as much of 64 MB. */
const FRAME_BYTES = 8 * MEGABYTE

test("frames of drained responses count as memory after their callers have disconnected", async () => {
  const goOn = Promise.withResolvers<void>()
  using vendor = startVendor(() => {
    const encoder = new TextEncoder()
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        controller.enqueue(encoder.encode(frame("Hello")))
        await goOn.promise
        controller.enqueue(encoder.encode(`data: "${"a".repeat(FRAME_BYTES)}`))
        controller.close()
      },
    })
    return new Response(body, { headers: { "content-type": "text/event-stream" } })
  })
  await using gateway = await startGateway({
    settings: {
      disconnectLimit: 600_000,
      limits: {
        bodyBytes: MEGABYTE,
        mediaBytes: MEGABYTE,
        responseBytes: 16 * MEGABYTE,
        memoryBytes: 64 * MEGABYTE,
        mediaPrivate: false,
      },
    },
    providers: { groq: provider(vendor.url, "groq") },
    models: { "groq/long": simulated() },
  })
  const caller = await gateway.caller()
  for (let count = 0; count < CALLERS; count++) {
    const leaving = new AbortController()
    const response = await fetch(gateway.url + CHAT, {
      method: "POST",
      headers: { authorization: `Bearer ${caller.key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "groq/long", messages: HELLO, stream: true }),
      signal: leaving.signal,
    })
    const reader = response.body?.getReader()
    if (!reader) throw new Error("no body")
    await readUntil(reader, (text) => text.includes("Hello"))
    leaving.abort()
  }
  goOn.resolve()
  await until(() => receiptsOf(gateway, caller).length === CALLERS)
  const receipts = receiptsOf(gateway, caller)
  for (const receipt of receipts) expect(receipt).toMatchObject({ status: "settled" })
  const rejected = receipts.filter(({ attempts }) => attempts[0]?.outcome === "overloaded")
  expect(rejected.length).toBeGreaterThanOrEqual(CALLERS - 2)
})
