import { describe, expect, test } from "bun:test"
import { Load, FirstBytes } from "../../src/routing/loads.ts"

function measured(...times: readonly number[]): FirstBytes {
  const firstBytes = new FirstBytes()
  for (const time of times) firstBytes.add(time)
  return firstBytes
}

const from = (start: number, count: number) => Array.from({ length: count }, (_, at) => start + at)

describe("the delay after which a response is late", () => {
  test("remains undefined until twenty responses have begun", () => {
    expect(measured(...from(200, 19)).late).toBeUndefined()
    expect(measured(...from(200, 20)).late).toBe(218)
  })

  test("equals the time in which 95 of the last 100 responses began", () => {
    expect(measured(...from(1_001, 100)).late).toBe(1_095)
    expect(measured(...from(90_000, 50), ...from(1_001, 100)).late).toBe(1_095)
  })

  test("exceeds the usual delay of the network", () => {
    expect(measured(...Array.from({ length: 50 }, () => 3)).late).toBe(100)
  })
})

describe("the load of a deployment", () => {
  test("includes streams and whole responses separately, on request", () => {
    const load = new Load()
    for (const _ of from(0, 30)) load.began(9_000, true)
    expect(load.lateAfter(true)).toBeUndefined()
    for (const _ of from(0, 30)) {
      load.began(300, true)
      load.began(5_000, false)
    }
    expect(load.lateAfter(true)).toBe(300)
    expect(load.lateAfter(false)).toBe(5_000)
  })

  test("includes the waiting time of abandoned calls if that time is long", () => {
    const load = new Load()
    load.lateAfter(false)
    for (const _ of from(0, 30)) load.began(200, false)
    for (const _ of from(0, 5)) load.outlasted(50, false)
    expect(load.lateAfter(false)).toBe(200)
    expect(Math.round(load.latency())).toBe(200)
    for (const _ of from(0, 5)) load.outlasted(4_000, false)
    expect(load.lateAfter(false)).toBe(4_000)
    expect(load.latency()).toBeGreaterThan(1_000)
  })

  test("allows ten hedges, plus one hedge per ten successes, and has a separate retry budget", () => {
    const load = new Load()
    const taken = () => from(0, 20).filter(() => load.takeHedge()).length
    expect(taken()).toBe(10)
    expect(load.takeRetry()).toBe(true)
    for (const _ of from(0, 11)) load.succeeded()
    expect(taken()).toBe(1)
  })
})
