import { MINUTE_MS } from "#contract/durations.ts"
import { createHash } from "node:crypto"
import { GatewayError } from "../canon/errors.ts"
import type { ConsoleStore } from "../store/console-store.ts"
import type { CountedAttempt } from "../store/sign-in-attempts.ts"
import type { ClientInfo } from "./client-info.ts"
import { clientNetwork } from "./client-network.ts"

/** A maximum number of attempts in a time window. */
export interface AttemptLimit {
  readonly max: number
  /** Length of the window in milliseconds. */
  readonly window: number
}

/** Attempts from one network address or one IPv6 network, for all users. */
export const PER_ADDRESS: AttemptLimit = { max: 60, window: 5 * MINUTE_MS }
/** Attempts for one user, from all addresses. */
export const PER_USER: AttemptLimit = { max: 10, window: 10 * MINUTE_MS }

const ATTEMPTS_PER_SWEEP = 500

/**
 * Limits sign-in attempts. An attempt counts from its start, so that concurrent attempts are also limited. Successful
 * attempts do not count.
 */
export class AttemptLimits {
  readonly #store: ConsoleStore
  #sinceSweep = 0

  constructor(store: ConsoleStore) {
    this.#store = store
  }

  /**
   * Counts an attempt under each key, but stops at the first key that exceeds its limit, because an exhausted address
   * must not use up the attempts of users.
   * @returns a function that reverts the count.
   * @throws GatewayError `too_many_attempts`, with the time to wait.
   */
  async begin(attempts: readonly CountedAttempt[], now = Date.now()): Promise<() => Promise<void>> {
    const wait = await this.#store.attempts.count(attempts, now)
    if (++this.#sinceSweep >= ATTEMPTS_PER_SWEEP) {
      this.#sinceSweep = 0
      await this.#store.sweep(now)
    }
    if (wait > 0) throw tooMany(wait)
    return () => this.#store.attempts.takeBack(attempts.map(({ key }) => key))
  }

  /** Counts an attempt by address and by subject. */
  beginBy({ address }: ClientInfo, subject: string): Promise<() => Promise<void>> {
    return this.begin([
      { key: `address:${clientNetwork(address)}`, ...PER_ADDRESS },
      { key: subject, ...PER_USER },
    ])
  }

  /** Counts an attempt by address only. */
  beginFrom(name: string, address: string | null): Promise<() => Promise<void>> {
    return this.begin([{ key: `${name}:${clientNetwork(address)}`, ...PER_ADDRESS }])
  }
}

/** Returns the key for a subject such as `user`. Keys are stored, so they contain only a digest of the text. */
export function attemptKey(name: string, text: string | undefined): string {
  const digest = createHash("sha256")
    .update(text ?? "")
    .digest("base64url")
  return `${name}:${digest.slice(0, 22)}`
}

function tooMany(wait: number): GatewayError {
  const seconds = Math.max(1, Math.ceil(wait / 1_000))
  const words = seconds > 90 ? `${Math.ceil(seconds / 60)} minutes` : `${seconds} seconds`
  return new GatewayError("too_many_attempts", `Too many attempts. Try again in ${words}.`, {
    retryAfter: seconds,
  })
}
