/** What runs for the first time is compiled beside it, and other programs slow the processor down. */
const ATTEMPTS = 3

/**
 * What something that waits for nothing takes of the processor, at the best of three times; milliseconds. The clock on the
 * wall would count what other programs of a busy machine take meanwhile.
 */
export function processorTime(work: () => void): number {
  const times = Array.from({ length: ATTEMPTS }, () => {
    const before = processorTimeUsed()
    work()
    return processorTimeUsed() - before
  })
  return Math.min(...times)
}

/** What this process has had of the processor, with all of its threads; milliseconds. */
export function processorTimeUsed(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

/** The processor time of this thread alone; milliseconds. */
export function threadTimeUsed(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}
