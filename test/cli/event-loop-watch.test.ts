import { describe, expect, test } from "bun:test"
import { EventLoopWatch } from "../../src/cli/event-loop-watch.ts"
import { EventLoopMonitor, readEventLoop } from "../../src/relay/lifetime/event-loop-monitor.ts"

const TIMEOUT_MS = 2_000
const INTERVAL_MS = 500

/** Returns a monitor, and a function that checks it at a time in milliseconds. */
function watched() {
  const monitor = new EventLoopMonitor()
  const watch = new EventLoopWatch(TIMEOUT_MS, INTERVAL_MS, 0)
  monitor.beat()
  return { monitor, check: (now: number) => watch.check(readEventLoop(monitor.memory), now) }
}

/** Returns the result of each check from a time to another. */
function checks(check: (now: number) => number, from: number, to: number): number[] {
  const times = Array.from({ length: (to - from) / INTERVAL_MS + 1 })
  return times.map((_, index) => check(from + index * INTERVAL_MS))
}

describe("the event-loop watchdog", () => {
  test("reports a blocked event loop after its timeout", () => {
    const { check } = watched()
    expect(checks(check, 500, 3_000)).toEqual([0, 0, 0, 0, 2_000, 2_500])
  })

  test("does not report a slow event loop", () => {
    const { check, monitor } = watched()
    for (let round = 0; round < 10; round++) {
      expect(checks(check, round * 2_000, round * 2_000 + 1_500)).toEqual([0, 0, 0, 0])
      monitor.beat()
    }
  })

  test("does not report an event loop that was suspended together with the watchdog", () => {
    const { check } = watched()
    expect(checks(check, 500, 2_000)).toEqual([0, 0, 0, 0])
    expect(check(10_000)).toBe(0)
    expect(checks(check, 10_500, 12_000)).toEqual([0, 0, 0, 2_000])
  })

  test("does not report an event loop that no longer serves requests", () => {
    const { check, monitor } = watched()
    monitor.rest()
    expect(checks(check, 500, 5_000)).toEqual(Array.from({ length: 10 }, () => 0))
  })
})
