import type { VerifyProgress } from "../ledger/verify/progress.ts"
import { formatLength, type Output } from "./output.ts"

const PROGRESS_INTERVAL_MS = 5_000

/** Prints the progress of a verification at intervals, with the estimated remaining time. */
export function progressReporter(
  output: Output,
  every: number = PROGRESS_INTERVAL_MS,
): (progress: VerifyProgress) => void {
  const began = performance.now()
  let reportedAt = began
  return (progress) => {
    const now = performance.now()
    // With `--json`, the error stream is reserved for errors.
    if (output.isJson || now - reportedAt < every) return
    reportedAt = now
    output.notice(progressWords(progress, now - began))
  }
}

/**
 * Describes the progress of a verification.
 * @param spent milliseconds since the start.
 */
export function progressWords(
  { done, total }: Pick<VerifyProgress, "done" | "total">,
  spent: number,
): string {
  // Entries that are written during the verification are also read.
  const whole = Math.max(done, total)
  const percent = whole === 0 ? 100 : Math.floor((done / whole) * 100)
  const left = done === 0 ? 0 : Math.round(((whole - done) / done) * spent)
  return `verified ${percent} %: ${done} of ${whole} rows read, ${formatLength(left)} left`
}
