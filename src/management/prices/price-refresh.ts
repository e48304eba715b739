import type { PriceListSettings } from "../../config/sections/price-list.ts"
import { GatewayError } from "../../canon/errors.ts"
import { waitAtMost } from "../../canon/wait-at-most.ts"
import { fetchFeed, shown } from "../../catalog/prices/fetch-feed.ts"
import type { PriceUpdates } from "./price-updates.ts"

/** How often it is looked whether a day has passed, milliseconds. */
const HOUR = 60 * 60_000
const DAY = 24 * HOUR
/** The first look comes soon after the start, and not at once: many processes may start together. */
const FIRST = 60_000
const LAST_WAIT = 1_000

export interface PriceRefreshParts {
  readonly updates: PriceUpdates
  /** As they are at the moment. */
  readonly settings: () => PriceListSettings
  readonly onFailure: (error: unknown) => void
  /** Milliseconds between looks, and before the first; for tests. */
  readonly every?: number
}

/** Looks once a day for a newer list of prices, where the settings say so. Each process does: what one takes, all have. */
export class PriceRefresh implements AsyncDisposable {
  readonly #parts: PriceRefreshParts
  readonly #first: ReturnType<typeof setTimeout>
  readonly #timer: ReturnType<typeof setInterval>
  /** When and where it was looked last. */
  #last: { readonly at: number; readonly address: string } | undefined
  #look: Promise<void> | undefined

  constructor(parts: PriceRefreshParts) {
    this.#parts = parts
    const { every } = parts
    this.#first = setTimeout(() => this.#hurry(), every ?? FIRST * (1 + Math.random()))
    this.#timer = setInterval(() => this.#hurry(), every ?? HOUR)
    this.#first.unref()
    this.#timer.unref()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#first)
    clearInterval(this.#timer)
    // A slow address does not keep the process from ending.
    await waitAtMost(this.#look, LAST_WAIT)
  }

  #hurry(): void {
    const { refresh: address } = this.#parts.settings()
    if (address === undefined) return
    const now = performance.now()
    const pause = this.#parts.every ?? DAY
    const isDue = this.#last?.address !== address || now - this.#last.at >= pause
    if (!isDue || this.#look !== undefined) return
    this.#look = this.#perform(address)
      .then(() => void (this.#last = { at: now, address }))
      // It is tried again within the hour.
      .catch((error: unknown) => this.#parts.onFailure(error))
      .finally(() => (this.#look = undefined))
  }

  async #perform(address: string): Promise<void> {
    const text = await fetchFeed(address)
    try {
      await this.#parts.updates.offer(text, shown(address), this.#parts.settings().apply)
    } catch (error) {
      // Another process was faster with the same list.
      if (!(error instanceof GatewayError) || error.kind !== "conflict") throw error
    }
  }
}
