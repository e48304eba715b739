import { describe, expect, test } from "bun:test"
import { FirstBytes } from "../../src/routing/first-bytes.ts"
import { Load } from "../../src/routing/loads.ts"

function measured(...times: readonly number[]): FirstBytes {
  const firstBytes = new FirstBytes()
  for (const time of times) firstBytes.add(time)
  return firstBytes
}

const from = (start: number, count: number) => Array.from({ length: count }, (_, at) => start + at)

describe("when an answer is late", () => {
  test("is not known before twenty have begun", () => {
    expect(measured(...from(200, 19)).late).toBeUndefined()
    expect(measured(...from(200, 20)).late).toBe(218)
  })

  test("is when 95 in 100 had begun, of the last 100", () => {
    expect(measured(...from(1_001, 100)).late).toBe(1_095)
    expect(measured(...from(90_000, 50), ...from(1_001, 100)).late).toBe(1_095)
  })

  test("is not below what any network may take", () => {
    expect(measured(...Array.from({ length: 50 }, () => 3)).late).toBe(100)
  })
})

describe("the load of a deployment", () => {
  test("measures streams and whole answers apart, once it was asked", () => {
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

  test("counts what was given up with the time that it was waited for, where that is long", () => {
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

  test("is helped out ten times, and once more for ten successes; retries are counted apart", () => {
    const load = new Load()
    const taken = () => from(0, 20).filter(() => load.takeHedge()).length
    expect(taken()).toBe(10)
    expect(load.takeRetry()).toBe(true)
    for (const _ of from(0, 11)) load.succeeded()
    expect(taken()).toBe(1)
  })
})
