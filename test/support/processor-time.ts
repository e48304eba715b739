/**
 * What something that waits for nothing takes of the processor, milliseconds: the clock on the wall would count what other
 * programs of a busy machine take meanwhile.
 */
export function processorTime(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}
