import { expect } from "bun:test"

/** Number of attempts. The first includes compilation, and other programs may slow the processor down. */
const ATTEMPTS = 3

/**
 * Returns the processor time of synchronous work in milliseconds, which is the best of three attempts. A wall clock
 * would include the time of other programs on a busy machine.
 *
 * @param limitMs the limit of the test. A time below it ends the attempts.
 */
export function processorTime(work: () => void, limitMs = 0): number {
  return bestTime(work, limitMs, processorTimeUsed)
}

/**
 * Returns the processor time of synchronous work in this thread only. Other threads of the process, such as those of
 * the garbage collector, do not block the event loop.
 */
export function threadTime(work: () => void, limitMs = 0): number {
  return bestTime(work, limitMs, threadTimeUsed)
}

function bestTime(work: () => void, limitMs: number, timeUsed: () => number): number {
  let best = Infinity
  for (let attempt = 0; attempt < ATTEMPTS && best >= limitMs; attempt++) {
    const before = timeUsed()
    work()
    best = Math.min(best, timeUsed() - before)
  }
  return best
}

/** Returns the processor time that this process has used with all of its threads, in milliseconds. */
export function processorTimeUsed(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

/** Returns the processor time that this thread has used, in milliseconds. */
export function threadTimeUsed(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/** JSON of 6 MB. An idle core parses it in about `IDLE_PARSE_MS`. */
const PARSED = JSON.stringify(
  Array.from({ length: 90_000 }, () => ({
    token: "a",
    logprob: -0.1,
    bytes: [97],
    top_logprobs: [],
  })),
)
const IDLE_PARSE_MS = 30

/**
 * Returns a limit for `threadTime` in milliseconds. It is larger if the machine is slow at the moment, because other
 * programs share its caches and memory, and a large heap has to be collected.
 */
export function scaledLimit(limitMs: number): number {
  return limitMs * Math.max(1, threadTime(() => JSON.parse(PARSED)) / IDLE_PARSE_MS)
}

/** Expects a `threadTime` below a limit in milliseconds. The limit is scaled only if it is exceeded. */
export function expectBelow(timeMs: number, limitMs: number): void {
  expect(timeMs).toBeLessThan(timeMs < limitMs ? limitMs : scaledLimit(limitMs))
}
