import { threadTimeUsed } from "./processor-time.ts"

const TICK_MS = 10

/**
 * Returns the time of an asynchronous step in milliseconds, without the time in which other programs keep this process
 * from running: a timer does not tick meanwhile. The processor time of this thread counts in any case.
 */
export async function servedTime(step: () => unknown): Promise<number> {
  let ticks = 0
  const timer = setInterval(() => ticks++, TICK_MS)
  const usedBefore = threadTimeUsed()
  try {
    await step()
  } finally {
    clearInterval(timer)
  }
  return Math.max(ticks * TICK_MS, threadTimeUsed() - usedBefore)
}

/**
 * Returns the time until a condition is met in milliseconds, or the limit. Only the pauses between checks count, so
 * that the limit permits the same number of checks on a busy machine.
 */
export async function polledTime(
  condition: () => Promise<boolean>,
  limitMs: number,
): Promise<number> {
  let waitedMs = 0
  while (waitedMs < limitMs && !(await condition())) {
    await Bun.sleep(TICK_MS)
    waitedMs += TICK_MS
  }
  return waitedMs
}
