import { t, currentLanguage } from "../languages/text.ts"

const WHOLE = new Intl.NumberFormat(currentLanguage.numbers, { maximumFractionDigits: 0 })
const SHORT = new Intl.NumberFormat(currentLanguage.numbers, {
  notation: "compact",
  maximumFractionDigits: 1,
})
const SHARE = new Intl.NumberFormat(currentLanguage.numbers, {
  style: "percent",
  maximumFractionDigits: 1,
})

/** The separators of the language: `{ group: ",", decimal: "." }`. */
export const SEPARATORS = { group: partOf("group", ","), decimal: partOf("decimal", ".") }

/** Formats plain decimal text without grouping its digits: `0.5`. All digits are kept. */
export function decimalText(plain: string): string {
  return plain.replace(".", SEPARATORS.decimal)
}

/** Formats a count such as `12,345`. */
export function countText(value: number): string {
  return WHOLE.format(value)
}

/** Formats a rounded count such as `12.3K`, for places that do not need the exact count or show it nearby. */
export function shortCount(value: number): string {
  return Math.abs(value) < 10_000 ? WHOLE.format(value) : SHORT.format(value)
}

/** Formats a share from 0 to 1 as a percentage, such as `4.2%`. */
export function shareText(share: number): string {
  // Uses the same minus sign as amounts, and no sign before zero.
  return SHARE.format(share)
    .replace(/^-(?=[\d.,]*[1-9])/, "−")
    .replace("-", "")
}

/**
 * Returns the output speed after the first token. Returns undefined if the speed is unknown because the response has no
 * tokens or arrived in one piece.
 */
export function tokensPerSecond(facts: {
  readonly output: number
  readonly first_byte_ms: number | null
  readonly duration_ms: number | null
}): number | undefined {
  const { output, first_byte_ms: firstByte, duration_ms: duration } = facts
  if (output === 0 || firstByte === null || duration === null) return undefined
  const written = duration - firstByte
  return written < MIN_WRITING_MS ? undefined : Math.round((output * 1_000) / written)
}

/**
 * Minimum time between the first and the last token. A shorter time means that the response arrived in one piece, so
 * its speed is unknown.
 */
const MIN_WRITING_MS = 50

/** Formats a duration with its unit: `840 ms`, `1.25 s`, `2 min 5 s`. */
export function durationText(milliseconds: number | null): string {
  if (milliseconds === null) return "–"
  if (milliseconds < 1_000)
    return t("{milliseconds} ms", { milliseconds: Math.round(milliseconds) })
  if (milliseconds < 60_000) return t("{seconds} s", { seconds: trimmed(milliseconds / 1_000) })
  const seconds = Math.round(milliseconds / 1_000)
  return t("{minutes} min {seconds} s", {
    minutes: Math.floor(seconds / 60),
    seconds: seconds % 60,
  })
}

function trimmed(value: number): string {
  return decimalText(value.toFixed(value < 10 ? 2 : 1).replace(/\.?0+$/, ""))
}

function partOf(type: "group" | "decimal", fallback: string): string {
  // Some languages group only numbers with five digits or more.
  const parts = new Intl.NumberFormat(currentLanguage.numbers).formatToParts(1_234_567.8)
  return parts.find((part) => part.type === type)?.value ?? fallback
}
