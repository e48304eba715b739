/**
 * Waits for work until it ends or a time is over. No timer is left, which would keep the process from ending.
 *
 * @param work absent: nothing runs.
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
