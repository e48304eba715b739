const REPEAT_INTERVAL_MS = 60_000
const MAX_TEXTS = 100

/**
 * Reports each text at most once a minute, with the details of its occurrence. For example, a full disk fails several
 * times a second, and the log may be on the same disk.
 */
export function throttled(
  report: (text: string, about: string) => void,
  now: () => number = () => performance.now(),
): (text: string, about?: string) => void {
  const reportedAt = new Map<string, number>()
  return (text, about = "") => {
    const moment = now()
    if (moment - (reportedAt.get(text) ?? -Infinity) < REPEAT_INTERVAL_MS) return
    if (reportedAt.size >= MAX_TEXTS) reportedAt.clear()
    reportedAt.set(text, moment)
    report(text, about)
  }
}
