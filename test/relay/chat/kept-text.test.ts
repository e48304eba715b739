import { expect, test } from "bun:test"
import { provider, simulated, startGateway } from "../../support/gateway.ts"
import { DONE, frame, repeated, startVendor, streamed, usageFrame } from "../scripted-vendor.ts"
import { CHAT, HELLO, nothingHeld, receiptOf } from "../support.ts"

const MEGABYTE = 1024 * 1024
const TEXT_MEGABYTES = 24

test("text that is stored for the last event of a response counts as memory of the request", async () => {
  const step = frame("a".repeat(MEGABYTE / 4))
  using vendor = startVendor(() =>
    streamed([
      ...repeated(step, 4 * TEXT_MEGABYTES, 0),
      frame("", "stop") + usageFrame(10, 10) + DONE,
    ]),
  )
  await using gateway = await startGateway({
    settings: {
      limits: {
        bodyBytes: MEGABYTE,
        mediaBytes: MEGABYTE,
        responseBytes: 60 * MEGABYTE,
        memoryBytes: 64 * MEGABYTE,
        mediaPrivate: false,
      },
    },
    providers: { vendor: provider(vendor.url) },
    models: { "vendor/long": simulated() },
  })
  const caller = await gateway.caller("1000")
  const model = "vendor/long"
  const kept = await caller.post("/v1/responses", { model, input: "Hello", stream: true })
  const text = await kept.text()
  const isRejected = text.includes("of memory that one request may use")
  expect([isRejected, text.includes("response.failed")]).toEqual([true, true])
  const receipt = await receiptOf(caller, kept)
  // The rest was read for its usage.
  expect(receipt).toMatchObject({ estimated: false, usage: { input: 10, output: 10 } })
  const passed = await caller.post(CHAT, { model, messages: HELLO, stream: true })
  expect((await passed.text()).endsWith(DONE)).toBe(true)
  await nothingHeld(caller)
})
