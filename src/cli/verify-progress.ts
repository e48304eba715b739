import type { VerifyProgress } from "../ledger/verify/progress.ts"
import { formatLength, type Output } from "./output.ts"

/** How often it says how far it has come, milliseconds. */
const TELL_EVERY = 5_000

/** Says every few seconds how far a verification has come, and how long the rest takes about. */
export function tellProgress(
  output: Output,
  every: number = TELL_EVERY,
): (progress: VerifyProgress) => void {
  const began = performance.now()
  let toldAt = began
  return (progress) => {
    const now = performance.now()
    // With --json the error stream is for errors.
    if (output.isJson || now - toldAt < every) return
    toldAt = now
    output.notice(progressWords(progress, now - began))
  }
}

/** @param spent since it began, milliseconds. */
export function progressWords(
  { done, total }: Pick<VerifyProgress, "done" | "total">,
  spent: number,
): string {
  // What is written meanwhile is read as well.
  const whole = Math.max(done, total)
  const percent = whole === 0 ? 100 : Math.floor((done / whole) * 100)
  const left = done === 0 ? 0 : Math.round(((whole - done) / done) * spent)
  return `verified ${percent} %: ${done} of ${whole} rows read, ${formatLength(left)} left`
}
