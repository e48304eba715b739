import { afterAll, beforeAll, expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import {
  provider,
  simulated,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../support/gateway.ts"
import { sendRaw } from "../raw-caller.ts"
import { frame, type ScriptedVendor, startVendor } from "../scripted-vendor.ts"
import { HELLO, nanocredits, onlyReceipt } from "../support.ts"
import { until } from "../../support/until.ts"

const MEGABYTE = 1024 * 1024
/**
 * Maximum number of bytes in transit: those that the gateway reads ahead, and the socket buffers of two connections in
 * both directions.
 */
const MAX_UNDER_WAY = 8 * MEGABYTE + 2 * (maxBuffered("tcp_rmem") + maxBuffered("tcp_wmem"))
const CHUNK = new TextEncoder().encode(frame("x".repeat(16_000)))

/** Returns the maximum size of a socket buffer on this machine in bytes. */
function maxBuffered(name: "tcp_rmem" | "tcp_wmem"): number {
  const file = `/proc/sys/net/ipv4/${name}`
  if (!existsSync(file)) return 8 * MEGABYTE
  return Number(readFileSync(file, "utf8").trim().split(/\s+/).at(-1))
}

let gateway: TestGateway
let caller: TestCaller
let flood: ScriptedVendor
let sent: number
let wasLeft: PromiseWithResolvers<void>

beforeAll(async () => {
  flood = startVendor(() => {
    sent = 0
    wasLeft = Promise.withResolvers()
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += CHUNK.byteLength
        controller.enqueue(CHUNK)
      },
      cancel: () => wasLeft.resolve(),
    })
    return new Response(body, { headers: { "content-type": "text/event-stream" } })
  })
  gateway = await startGateway({
    keepAlive: 200,
    providers: { flood: provider(flood.url) },
    models: { "flood/endless": simulated() },
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  flood[Symbol.dispose]()
})

/**
 * Waits until the vendor cannot send any more, which means that its count stays the same while the gateway answers many
 * other requests.
 */
async function untilStill(): Promise<void> {
  await until(async () => {
    const before = sent
    for (let count = 0; count < 100; count++) await (await fetch(`${gateway.url}/healthz`)).text()
    return sent > 0 && sent === before
  })
}

const BODY = { model: "flood/endless", messages: HELLO, stream: true }

test("a caller that stops reading pauses the upstream call, and cancels it by disconnecting", async () => {
  caller = await gateway.caller("1000")
  using raw = sendRaw(gateway.url, caller.key, BODY)
  await until(() => raw.text().includes("xxxx"))
  raw.socket.pause()
  await untilStill()
  const still = sent
  expect(still).toBeLessThan(MAX_UNDER_WAY)

  raw.socket.resume()
  await until(() => sent > still + 8 * MEGABYTE)
  raw.socket.pause()
  await untilStill()

  raw.socket.destroy()
  await wasLeft.promise
  const receipt = await onlyReceipt(gateway, caller)
  expect(receipt).toMatchObject({ status: "settled", estimated: true })
  expect(receipt.attempts).toMatchObject([{ outcome: "caller_disconnected" }])
  expect(await caller.balance()).toBe(1_000_000_000_000n - nanocredits(receipt.cost))
})

test("a caller that does not resume reading is disconnected at the deadline", async () => {
  const { settings } = gateway
  await gateway.app.apply({ ...settings, timeouts: { ...settings.timeouts, total: 1_500 } })
  caller = await gateway.caller("10")
  using raw = sendRaw(gateway.url, caller.key, BODY)
  await until(() => raw.text().includes("xxxx"))
  raw.socket.pause()
  await wasLeft.promise
  const receipt = await onlyReceipt(gateway, caller)
  expect(receipt).toMatchObject({ status: "settled", estimated: true })
  expect(receipt.attempts).toMatchObject([{ outcome: "upstream_timeout" }])
})
