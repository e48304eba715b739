/**
 * What something that waits for nothing takes of the processor, milliseconds: the clock on the wall would count what other
 * programs of a busy machine take meanwhile.
 */
export function processorTime(work: () => void): number {
  const before = processorTimeUsed()
  work()
  return processorTimeUsed() - before
}

/** What this process has had of the processor, with all of its threads; milliseconds. */
export function processorTimeUsed(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}
