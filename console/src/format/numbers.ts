const WHOLE = new Intl.NumberFormat("en", { maximumFractionDigits: 0 })
const SHORT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 })
const SHARE = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 1 })

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
 * Returns the output speed after the first token. Returns undefined if the speed is unknown because the answer has no
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
 * Minimum time between the first and the last token. A shorter time means that the answer arrived in one piece, so its
 * speed is unknown.
 */
const MIN_WRITING_MS = 50

/** Formats a duration with its unit: `840 ms`, `1.25 s`, `2 min 5 s`. */
export function durationText(milliseconds: number | null): string {
  if (milliseconds === null) return "–"
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`
  if (milliseconds < 60_000) return `${trimmed(milliseconds / 1_000)} s`
  const seconds = Math.round(milliseconds / 1_000)
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

/** Formats a count with its noun, such as `1 key` or `2 keys`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${countText(count)} ${count === 1 ? one : many}`
}

function trimmed(value: number): string {
  return value.toFixed(value < 10 ? 2 : 1).replace(/\.?0+$/, "")
}
