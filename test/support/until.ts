/**
 * Waits for a condition. What never comes true may take its time to be found: a busy machine takes its own as well.
 *
 * @param patience milliseconds.
 * @throws Error when it does not come true in time.
 */
export async function until(
  condition: () => boolean | Promise<boolean>,
  patience = 60_000,
): Promise<void> {
  const deadline = performance.now() + patience
  while (!(await condition())) {
    if (performance.now() > deadline) {
      throw new Error(`it did not come true in ${patience} ms: ${condition}`)
    }
    await Bun.sleep(2)
  }
}
