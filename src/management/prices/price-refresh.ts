import { DAY_MS, HOUR_MS } from "#contract/durations.ts"
import type { PriceListSettings } from "../../config/sections/price-list.ts"
import { GatewayError } from "../../canon/errors.ts"
import { waitAtMost } from "../../canon/wait-at-most.ts"
import { fetchFeed, shown } from "../../catalog/prices/fetch-feed.ts"
import type { PriceUpdates } from "./price-updates.ts"

/** Delay of the first check. A random time is added, because many processes may start together. */
const FIRST_DELAY_MS = 60_000
const SHUTDOWN_TIMEOUT_MS = 1_000

export interface PriceRefreshParts {
  readonly updates: PriceUpdates
  /** Returns the active settings. */
  readonly settings: () => PriceListSettings
  readonly onFailure: (error: unknown) => void
  /** Interval between checks, and delay of the first check, in milliseconds; set by tests. */
  readonly every?: number
}

/**
 * Checks daily for a newer price list if the settings enable this. Every process does so, and a list that one process
 * accepts applies to all.
 */
export class PriceRefresh implements AsyncDisposable {
  readonly #parts: PriceRefreshParts
  readonly #first: ReturnType<typeof setTimeout>
  readonly #timer: ReturnType<typeof setInterval>
  /** Time and address of the last check. */
  #last: { readonly at: number; readonly address: string } | undefined
  #check: Promise<void> | undefined

  constructor(parts: PriceRefreshParts) {
    this.#parts = parts
    const { every } = parts
    this.#first = setTimeout(
      () => this.#checkIfDue(),
      every ?? FIRST_DELAY_MS * (1 + Math.random()),
    )
    this.#timer = setInterval(() => this.#checkIfDue(), every ?? HOUR_MS)
    this.#first.unref()
    this.#timer.unref()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#first)
    clearInterval(this.#timer)
    // Stops waiting after a timeout, so that a slow address does not delay shutdown.
    await waitAtMost(this.#check, SHUTDOWN_TIMEOUT_MS)
  }

  #checkIfDue(): void {
    const { refresh: address } = this.#parts.settings()
    if (address === undefined) return
    const now = performance.now()
    const pause = this.#parts.every ?? DAY_MS
    const isDue = this.#last?.address !== address || now - this.#last.at >= pause
    if (!isDue || this.#check !== undefined) return
    this.#check = this.#perform(address)
      .then(() => void (this.#last = { at: now, address }))
      // The check is repeated within the hour.
      .catch((error: unknown) => this.#parts.onFailure(error))
      .finally(() => (this.#check = undefined))
  }

  async #perform(address: string): Promise<void> {
    const text = await fetchFeed(address)
    try {
      await this.#parts.updates.offer(text, shown(address), this.#parts.settings().apply)
    } catch (error) {
      // Another process has already stored the same list.
      if (!(error instanceof GatewayError) || error.kind !== "conflict") throw error
    }
  }
}
