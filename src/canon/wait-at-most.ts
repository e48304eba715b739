/**
 * Waits for work until it ends or the time is up. It leaves no timer, because a timer would keep the process running.
 * @param work undefined if there is nothing to wait for.
 * @throws the error of the work.
 */
export async function waitAtMost(work: Promise<unknown> | undefined, maxMs: number): Promise<void> {
  if (work === undefined) return
  const late = Promise.withResolvers<void>()
  const timer = setTimeout(late.resolve, maxMs)
  try {
    await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
