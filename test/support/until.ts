/** First pause between checks. The pauses grow, so that long waits cost little. */
const FIRST_PAUSE_MS = 2
const LAST_PAUSE_MS = 25
const PAUSE_GROWTH = 1.3

/** Just below the time limit of a test, so that a failure names its condition even on a busy machine. */
export const LIMIT_MS = 240_000

/**
 * Waits for a condition.
 *
 * @param timeoutMs the time limit.
 * @throws Error if the condition is not met in time.
 */
export async function until(
  condition: () => boolean | Promise<boolean>,
  timeoutMs = LIMIT_MS,
): Promise<void> {
  const deadline = performance.now() + timeoutMs
  let pause = FIRST_PAUSE_MS
  while (!(await condition())) {
    if (performance.now() > deadline) {
      throw new Error(`condition not met in ${timeoutMs} ms: ${condition}`)
    }
    await Bun.sleep(pause)
    pause = Math.min(pause * PAUSE_GROWTH, LAST_PAUSE_MS)
  }
}
