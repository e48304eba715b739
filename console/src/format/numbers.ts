const WHOLE = new Intl.NumberFormat("en", { maximumFractionDigits: 0 })
const SHORT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 })
const SHARE = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 1 })

/** `12,345` */
export function countText(value: number): string {
  return WHOLE.format(value)
}

/** `12.3K`, for places where the exact count is near or does not matter. */
export function shortCount(value: number): string {
  return Math.abs(value) < 10_000 ? WHOLE.format(value) : SHORT.format(value)
}

/** `4.2%` of a share from 0 to 1. */
export function shareText(share: number): string {
  return SHARE.format(share)
}

/** A length of time with its unit: `840 ms`, `1.25 s`, `2 min 5 s`. */
export function durationText(milliseconds: number | null): string {
  if (milliseconds === null) return "–"
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`
  if (milliseconds < 60_000) return `${trimmed(milliseconds / 1_000)} s`
  const seconds = Math.round(milliseconds / 1_000)
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

/** `1 key`, `2 keys`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${countText(count)} ${count === 1 ? one : many}`
}

function trimmed(value: number): string {
  return value.toFixed(value < 10 ? 2 : 1).replace(/\.?0+$/, "")
}
