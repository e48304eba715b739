import { afterEach, expect, test } from "bun:test"
import { provider, simulated, startGateway } from "../../support/gateway.ts"
import { MovableClock } from "../movable-clock.ts"
import { sendRaw } from "../raw-caller.ts"
import { helloUntil, startVendor } from "../scripted-vendor.ts"
import { CHAT, HELLO, onlyReceipt } from "../support.ts"
import { until } from "../../support/until.ts"

const HOUR = 3_600_000
const realNow = Date.now

afterEach(() => {
  Date.now = realNow
})

function jump(milliseconds: number): void {
  Date.now = () => realNow() + milliseconds
}

/** Starts a vendor that sends a word, and sends the rest when the test allows it. */
function startPausing() {
  const gate = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  const vendor = startVendor(() => {
    asked.resolve()
    return helloUntil(gate.promise)
  })
  return { vendor, asked: asked.promise, end: () => gate.resolve() }
}

test.each([HOUR, -HOUR])(
  "a clock jump of %p ms ends no running call, and the receipt contains the real duration",
  async (distance) => {
    const { vendor, end } = startPausing()
    using _ = vendor
    using clock = new MovableClock()
    await using gateway = await startGateway({
      monitor: clock.monitor,
      providers: { pausing: provider(vendor.url) },
      models: { "pausing/x": simulated() },
      keepAlive: 60_000,
    })
    const caller = await gateway.caller("1")
    const body = { model: "pausing/x", messages: HELLO, stream: true }
    using raw = sendRaw(gateway.url, caller.key, body)
    await until(() => raw.text().includes("Hello"))
    const begun = performance.now()
    jump(distance)
    await clock.looks(4)
    const waited = Math.floor(performance.now() - begun)
    expect(raw.text()).not.toContain("error")
    expect(raw.text()).not.toContain(": keep-alive")
    end()
    await until(() => raw.text().includes("[DONE]"))
    Date.now = realNow
    const receipt = await onlyReceipt(gateway, caller)
    expect(receipt.status).toBe("settled")
    const { duration_ms: duration, attempts } = receipt as unknown as {
      duration_ms: number
      attempts: { duration: number }[]
    }
    expect(duration).toBeGreaterThanOrEqual(waited)
    expect(duration).toBeLessThan(20_000)
    // The duration of a stream is the time until the stream began.
    expect(attempts[0]?.duration).toBeWithin(0, 20_000)
  },
)

test("a clock that is set back does not extend the first-byte deadline", async () => {
  const silence = Promise.withResolvers<Response>()
  const asked = Promise.withResolvers<void>()
  using vendor = startVendor(() => {
    asked.resolve()
    return silence.promise
  })
  await using gateway = await startGateway({
    providers: { silent: provider(vendor.url) },
    models: { "silent/x": simulated() },
    settings: { timeouts: { connect: 5_000, firstByte: 500, idle: 500, total: 60_000 } },
  })
  const caller = await gateway.caller("1")
  const response = caller.post(CHAT, { model: "silent/x", messages: HELLO })
  await asked.promise
  jump(-HOUR)
  expect((await response).status).toBe(504)
  silence.resolve(new Response())
})
