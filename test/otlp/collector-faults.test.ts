import { describe, expect, test } from "bun:test"
import { samplesOf, valueOf } from "../metrics/samples.ts"
import type { TestGateway } from "../support/gateway.ts"
import { servedTime } from "../support/served-time.ts"
import { until } from "../support/until.ts"
import { Collector } from "./collector.ts"
import { CHAT, chat, startTraced } from "./traced.ts"

const TOKEN = "token-of-the-metrics"
const SETTINGS = { settings: { metrics: { host: "", token: TOKEN } } }
/**
 * Maximum duration of a shutdown. The gateway waits one second for its last spans, or longer on a busy machine.
 * Otherwise, it would wait seven seconds or more before it gives up on a batch.
 */
const MAX_SHUTDOWN_MS = 5_000

async function outcomes(gateway: TestGateway): Promise<Record<string, number>> {
  const headers = { authorization: `Bearer ${TOKEN}` }
  const text = await (await fetch(`${gateway.url}/metrics`, { headers })).text()
  const samples = samplesOf(text).filter(({ name }) => name === "tollgate_spans_total")
  const known = ["sent", "failed", "dropped"]
  return Object.fromEntries(
    known.map((outcome) => [outcome, valueOf(samples, "tollgate_spans_total", { outcome })]),
  )
}

async function chatTimes(gateway: TestGateway, count: number): Promise<void> {
  const caller = await gateway.caller("100")
  const pending = Array.from({ length: count }, async () => {
    const response = await caller.post(CHAT, chat("sim/echo"))
    await response.text()
    expect(response.status).toBe(200)
  })
  await Promise.all(pending)
}

const failures = ({ heard }: TestGateway): string[] =>
  heard.filter(({ name }) => name === "telemetryFailed").map(({ facts }) => String(facts[0]))

test("spans that the collector accepts are counted", async () => {
  using collector = new Collector()
  await using gateway = await startTraced(collector, {}, SETTINGS)
  await chatTimes(gateway, 3)
  await until(async () => (await outcomes(gateway))["sent"] === 6)
  expect(await outcomes(gateway)).toEqual({ sent: 6, failed: 0, dropped: 0 })
  expect(failures(gateway)).toEqual([])
})

describe.each([
  ["an error", () => new Response("no", { status: 500 }), "status 500"],
  ["status 401", () => new Response("secret-answer", { status: 401 }), "status 401"],
  ["a redirect", () => Response.redirect("http://127.0.0.1:1/", 307), "status 307"],
] as const)("a collector that answers with %s", (_, response, message) => {
  test("gets no retry, and callers are not affected", async () => {
    using collector = new Collector()
    collector.response = response
    await using gateway = await startTraced(collector, {}, SETTINGS)
    await chatTimes(gateway, 2)
    await until(async () => (await outcomes(gateway))["failed"] === 4)
    expect(collector.received).toHaveLength(1)
    expect(failures(gateway).join()).toContain(message)
    expect(failures(gateway).join()).not.toContain("secret-answer")
  })
})

test("spans are sent again to a busy collector", async () => {
  using collector = new Collector()
  const responses = [
    () => new Response(null, { status: 503, headers: { "retry-after": "0.01" } }),
    () => new Response(null, { status: 429, headers: { "retry-after": "0.01" } }),
  ]
  collector.response = () => responses.shift()?.() ?? new Response()
  await using gateway = await startTraced(collector, {}, SETTINGS)
  await chatTimes(gateway, 1)
  await until(async () => (await outcomes(gateway))["sent"] === 2)
  expect(collector.received).toHaveLength(3)
})

test("a collector's response may have any content", async () => {
  using collector = new Collector()
  const endless = () =>
    new ReadableStream<Uint8Array>({ pull: (it) => it.enqueue(new Uint8Array(65_536)) })
  const rejectedOne = new Uint8Array([0x0a, 0x02, 0x08, 0x01])
  const responses = [
    () => new Response("<html>garbage</html>"),
    () => new Response(endless()),
    () => new Response(rejectedOne),
  ]
  collector.response = () => responses.shift()?.() ?? new Response()
  await using gateway = await startTraced(collector, {}, SETTINGS)
  for (const sent of [2, 4, 5]) {
    await chatTimes(gateway, 1)
    await until(async () => (await outcomes(gateway))["sent"] === sent)
  }
  expect((await outcomes(gateway))["failed"]).toBe(1)
})

test("spans for a collector that does not respond are queued up to a limit, and do not delay the shutdown", async () => {
  using collector = new Collector()
  const { promise: never, resolve } = Promise.withResolvers<Response>()
  collector.response = () => never
  const gateway = await startTraced(collector, {}, SETTINGS)
  // Each chat has two spans. 200 spans are being sent, and 2,000 wait.
  for (let round = 0; round < 12; round++) await chatTimes(gateway, 100)
  const { dropped = 0 } = await outcomes(gateway)
  expect(dropped).toBeGreaterThanOrEqual(200)
  expect(dropped).toBeLessThanOrEqual(400)
  expect(failures(gateway).join()).toContain("dropping spans")
  expect(await servedTime(() => gateway[Symbol.asyncDispose]())).toBeLessThan(MAX_SHUTDOWN_MS)
  resolve(new Response())
})

test("an unreachable collector is reported, and does not delay the shutdown", async () => {
  const collector = new Collector()
  const { url } = collector
  collector[Symbol.dispose]()
  const gateway = await startTraced({ url }, {}, SETTINGS)
  await chatTimes(gateway, 2)
  expect(await servedTime(() => gateway[Symbol.asyncDispose]())).toBeLessThan(MAX_SHUTDOWN_MS)
  expect(failures(gateway).join()).toContain("cannot be reached")
})

test("pending spans are sent at the shutdown", async () => {
  using collector = new Collector()
  const gateway = await startTraced(collector)
  await chatTimes(gateway, 5)
  await gateway[Symbol.asyncDispose]()
  expect(collector.spans).toHaveLength(10)
})
