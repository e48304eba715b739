/** First pause between checks. The pauses grow, so that long waits cost little. */
const FIRST_PAUSE_MS = 2
const LAST_PAUSE_MS = 25
const PAUSE_GROWTH = 1.3

/**
 * Waits for a condition. The time limit is long, because a busy machine may take a while.
 *
 * @param patience the time limit in milliseconds.
 * @throws Error if the condition is not met in time.
 */
export async function until(
  condition: () => boolean | Promise<boolean>,
  patience = 60_000,
): Promise<void> {
  const deadline = performance.now() + patience
  let pause = FIRST_PAUSE_MS
  while (!(await condition())) {
    if (performance.now() > deadline) {
      throw new Error(`condition not met in ${patience} ms: ${condition}`)
    }
    await Bun.sleep(pause)
    pause = Math.min(pause * PAUSE_GROWTH, LAST_PAUSE_MS)
  }
}
