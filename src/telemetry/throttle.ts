/** How long the same text is not told again, milliseconds. */
const QUIET_TIME = 60_000
/** Texts remembered. */
const MAX_TEXTS = 100

/**
 * Tells each text at most once a minute, and what it was about then: a disk that is full fails several times a second, and its log stands on
 * the same disk.
 */
export function throttled(
  tell: (text: string, about: string) => void,
  now: () => number = () => performance.now(),
): (text: string, about?: string) => void {
  const reportedAt = new Map<string, number>()
  return (text, about = "") => {
    const moment = now()
    if (moment - (reportedAt.get(text) ?? -Infinity) < QUIET_TIME) return
    if (reportedAt.size >= MAX_TEXTS) reportedAt.clear()
    reportedAt.set(text, moment)
    tell(text, about)
  }
}
