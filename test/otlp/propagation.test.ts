import { expect, test } from "bun:test"
import { readTraceContext, traceParent } from "../../src/telemetry/trace-context.ts"
import { Collector } from "./collector.ts"
import { CHAT, chat, startTraced } from "./traced.ts"

const TRACE = "0af7651916cd43dd8448eb211c80319c"
const SPAN = "b7ad6b7169203331"
const PARENT = `00-${TRACE}-${SPAN}-01`

const MALFORMED = [
  "",
  "00",
  `00-${TRACE}-${SPAN}`,
  `00-${TRACE}-${SPAN}-01-more`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  `00-${"0".repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${"0".repeat(16)}-01`,
  `ff-${TRACE}-${SPAN}-01`,
  `00-${TRACE}0-${SPAN}-01`,
  `00-${TRACE}-${SPAN}-1`,
  `${PARENT}, ${PARENT}`,
  `0-${"a".repeat(100_000)}`,
]

test("a trace context is parsed as defined by the W3C", () => {
  const read = (traceparent: string, tracestate?: string) =>
    readTraceContext(new Headers({ traceparent, ...(tracestate && { tracestate }) }))
  expect(read(PARENT)).toEqual({ traceId: TRACE, spanId: SPAN })
  expect(read(` ${PARENT} `)).toEqual({ traceId: TRACE, spanId: SPAN })
  // A later version may have additional parts.
  expect(read(`cc-${TRACE}-${SPAN}-01-what-else`)).toEqual({ traceId: TRACE, spanId: SPAN })
  for (const header of MALFORMED) expect(read(header)).toBeUndefined()
  expect(readTraceContext(new Headers({ tracestate: "a=1" }))).toBeUndefined()
  for (const state of ["rojo=00f067aa0ba902b7", "a=1, b=2,,c@d=x y", "0t@v=1"]) {
    expect(read(PARENT, state)).toEqual({ traceId: TRACE, spanId: SPAN, state })
  }
  const many = Array.from({ length: 33 }, (_, index) => `a${index}=1`).join(",")
  for (const state of ["a", "A=1", "a=b=c", "a=ä", many, `a=${"x".repeat(600)}`, "@a=1"]) {
    expect(read(PARENT, state)).toEqual({ traceId: TRACE, spanId: SPAN })
  }
  expect(traceParent(TRACE, SPAN, true)).toBe(PARENT)
})

test("the caller's span is the parent of the gateway's span", async () => {
  using collector = new Collector()
  await using gateway = await startTraced(collector)
  const caller = await gateway.caller("1")
  const headers = { traceparent: PARENT, tracestate: "rojo=1" }
  await (await caller.post(CHAT, chat("sim/echo"), headers)).text()
  const [request, attempt] = await collector.spansOf(2)
  expect(request).toMatchObject({ traceId: TRACE, parentSpanId: SPAN, traceState: "rojo=1" })
  expect(attempt).toMatchObject({ traceId: TRACE, parentSpanId: request?.spanId })
})

test("an invalid trace header starts a new trace", async () => {
  using collector = new Collector()
  await using gateway = await startTraced(collector)
  const caller = await gateway.caller("1")
  const sendable = MALFORMED.filter(({ length }) => length < 1_000)
  for (const traceparent of sendable) {
    const response = await caller.post(CHAT, chat("sim/echo"), { traceparent, tracestate: "a=1" })
    expect(response.status).toBe(200)
    await response.text()
  }
  const spans = await collector.spansOf(2 * sendable.length)
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(sendable.length)
  const requests = spans.filter(({ kind }) => kind === "server")
  for (const { traceId, parentSpanId, traceState } of requests) {
    expect(traceId).not.toBe(TRACE)
    expect(parentSpanId).toBe("")
    expect(traceState).toBe("")
  }
})

test("the caller cannot change the sampling rate", async () => {
  using collector = new Collector()
  const count = 200
  {
    await using gateway = await startTraced(collector, { sample: 0.25 })
    const caller = await gateway.caller("10")
    for (let index = 0; index < count; index++) {
      await (await caller.post(CHAT, chat("sim/echo"), { traceparent: PARENT })).text()
    }
  }
  // The number must be within six standard deviations of the expected value.
  const sampled = collector.spans.filter(({ kind }) => kind === "server").length
  expect(Math.abs(sampled - count / 4)).toBeLessThan(37)
  collector.received.length = 0
  {
    await using gateway = await startTraced(collector)
    const caller = await gateway.caller("1")
    await (
      await caller.post(CHAT, chat("sim/echo"), { traceparent: `${PARENT.slice(0, -1)}0` })
    ).text()
  }
  expect(collector.spans).toHaveLength(2)
})

const tracing = (headers: Readonly<Record<string, string>> | undefined) => ({
  parent: headers?.["traceparent"],
  state: headers?.["tracestate"],
})

test("vendors get a trace context only if the settings allow it, and it names the gateway's own span", async () => {
  using collector = new Collector()
  const headers = { traceparent: PARENT, tracestate: "rojo=1" }
  {
    await using gateway = await startTraced(collector)
    const caller = await gateway.caller("1")
    await (await caller.post(CHAT, chat("sim/echo"), headers)).text()
    const sent = gateway.simulator.requests.at(-1)?.headers
    expect(tracing(sent)).toEqual({ parent: undefined, state: undefined })
  }
  collector.received.length = 0
  {
    await using gateway = await startTraced(collector, { propagates: true })
    const caller = await gateway.caller("1")
    await (await caller.post(CHAT, chat("sim/echo"), headers)).text()
    const first = tracing(gateway.simulator.requests.at(-1)?.headers)
    const attempt = (await collector.spansOf(2)).find(({ kind }) => kind === "client")
    expect(first).toEqual({ parent: `00-${TRACE}-${attempt?.spanId}-01`, state: "rojo=1" })
    // The next request, which has another caller, does not contain this value.
    const other = await gateway.caller("1")
    await (await other.post(CHAT, chat("sim/echo"))).text()
    const second = tracing(gateway.simulator.requests.at(-1)?.headers)
    expect(second.parent).not.toContain(TRACE)
    expect(second.parent).toMatch(/^00-[\da-f]{32}-[\da-f]{16}-01$/)
    expect(second.state).toBeUndefined()
  }
  {
    await using gateway = await startTraced(collector, { propagates: true, sample: 0 })
    const caller = await gateway.caller("1")
    await (await caller.post(CHAT, chat("sim/echo"), headers)).text()
    const sent = tracing(gateway.simulator.requests.at(-1)?.headers)
    expect(sent.parent).toMatch(new RegExp(`^00-${TRACE}-[\\da-f]{16}-00$`))
  }
})
