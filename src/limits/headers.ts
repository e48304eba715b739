/** The state of one of a key's limits. */
export interface QuotaState {
  /** Units per minute. */
  readonly limit: number
  readonly remaining: number
  /** Milliseconds until no usage is left. */
  readonly reset: number
}

/**
 * Adds the request limit to response headers, in OpenAI's format (docs/contribute/wire/openai-chat.md#f11). The names
 * are literals, because building them for each response would be slow.
 */
export function addRequestLimit(headers: Record<string, string>, quota: QuotaState): void {
  headers["x-ratelimit-limit-requests"] = String(quota.limit)
  headers["x-ratelimit-remaining-requests"] = String(quota.remaining)
  headers["x-ratelimit-reset-requests"] = formatWait(quota.reset)
}

export function addTokenLimit(headers: Record<string, string>, quota: QuotaState): void {
  headers["x-ratelimit-limit-tokens"] = String(quota.limit)
  headers["x-ratelimit-remaining-tokens"] = String(quota.remaining)
  headers["x-ratelimit-reset-tokens"] = formatWait(quota.reset)
}

/** Merges the headers of two limits. For requests and tokens separately, the limit with less remaining is kept. */
export function addTighter(
  headers: Record<string, string>,
  others: Readonly<Record<string, string>>,
): void {
  for (const unit of ["requests", "tokens"]) {
    const left = `x-ratelimit-remaining-${unit}`
    if (others[left] === undefined) continue
    if (headers[left] !== undefined && Number(headers[left]) <= Number(others[left])) continue
    for (const part of ["limit", "remaining", "reset"]) {
      const name = `x-ratelimit-${part}-${unit}`
      headers[name] = others[name] ?? ""
    }
  }
}

/** Formats a wait in OpenAI's format: `12ms`, `1s`, `6m0s`, `4h43m28.384s`. Rounds up to milliseconds. */
export function formatWait(milliseconds: number): string {
  const whole = Math.ceil(milliseconds)
  if (whole <= 0) return "0s"
  if (whole < 1_000) return `${whole}ms`
  const seconds = whole / 1_000
  if (seconds < 60) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  const rest = `${Math.round((seconds % 60) * 1_000) / 1_000}s`
  return minutes < 60 ? `${minutes}m${rest}` : `${Math.floor(minutes / 60)}h${minutes % 60}m${rest}`
}
