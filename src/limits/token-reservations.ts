import { MINUTE_MS } from "#contract/durations.ts"

/** The reserved and used tokens of a request. */
export interface ReservedRequest {
  readonly reserved: number
  readonly used: number
  /** Milliseconds since its tokens were reserved. */
  readonly heldMs: number
}

/** The reservations of one key. */
interface Reserved {
  /** Tokens of running requests. */
  reserved: number
  /** The part of `reserved` that has not drained from the bucket. */
  covered: number
  /** The level of the bucket after the last change, and the time of the change. */
  level: number
  at: number
  /** Tokens that drain per millisecond. */
  rate: number
}

/** The bucket of a key's tokens at the time of a change. */
export interface TokenLevel {
  /** Tokens in use. */
  readonly level: number
  readonly now: number
}

/**
 * Separates reserved tokens from used tokens in the bucket of a key. Used tokens drain first. Reservations drain only
 * if no used tokens are left, and once for all parallel requests. When a request ends, its reservation returns to the
 * bucket. The drained part of all reservations is attributed to the requests that are still running. A request whose
 * reservation has drained completely returns no tokens. Used tokens that have already drained as part of the
 * reservation are not counted again.
 *
 * Each process records its own reservations only. Reservations of other processes count as used tokens here.
 */
export class TokenReservations {
  readonly #keys = new Map<string, Reserved>()

  /** Records tokens that have been added to the bucket of a key. `level` includes them. */
  reserve(keyId: string, tokens: number, rate: number, { level, now }: TokenLevel): void {
    if (tokens <= 0) return
    const known = this.#keys.get(keyId)
    if (known === undefined) {
      this.#keys.set(keyId, { reserved: tokens, covered: tokens, level, at: now, rate })
      return
    }
    known.rate = rate
    observe(known, { level: level - tokens, now })
    known.reserved += tokens
    known.covered += tokens
    known.level = level
  }

  /** Ends a reservation. Returns the tokens to add to the bucket, which are negative if tokens are returned. */
  end(keyId: string, request: ReservedRequest, { level, now }: TokenLevel): number {
    const { used } = request
    const known = this.#keys.get(keyId)
    if (known === undefined) return used
    observe(known, { level, now })
    const reserved = Math.min(request.reserved, known.reserved)
    const drained = known.reserved - known.covered
    const paid = Math.max(0, Math.min(drained, used, reserved, request.heldMs * known.rate))
    const covered = Math.min(known.covered, known.reserved - reserved)
    const change = used - paid - (known.covered - covered)
    known.reserved -= reserved
    known.covered = covered
    known.level = Math.max(0, level + change)
    if (known.reserved <= 0) this.#keys.delete(keyId)
    return change
  }
}

/** Subtracts drained reservations. The lowest level since the last change is unknown if other processes add tokens. */
function observe(known: Reserved, { level, now }: TokenLevel): void {
  const lowest = Math.min(level, known.level - (now - known.at) * known.rate)
  known.covered = Math.max(0, Math.min(known.covered, lowest))
  known.level = level
  known.at = now
}

/** Returns the tokens of a limit that drain per millisecond. */
export function drainRate(tokensPerMinute: number, share: number): number {
  return (tokensPerMinute * share) / MINUTE_MS
}
