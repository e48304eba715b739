import { HOUR_MS, MINUTE_MS, SECOND_MS } from "#contract/durations.ts"
import type { SecretCipher } from "../config/secret-cipher.ts"
import type { DueDelivery, NoticeChannel, NoticeTarget } from "../store/notices.ts"
import type { Store } from "../store/store.ts"
import { type Channel, DeliveryError, type Destination } from "./channels/channel.ts"
import { messageOf } from "./message.ts"
import type { NoticeAlarms } from "./notices.ts"

const POLL_INTERVAL_MS = 5_000
/** Time after which another process may claim a delivery that was claimed. */
const CLAIM_MS = 60_000
/**
 * Maximum concurrent deliveries. No account and no target may use all of them, and targets take turns, so that
 * receivers that never respond do not delay the notices of other accounts.
 */
const MAX_CONCURRENT = { total: 20, perAccount: 4, perTarget: 2 }
/**
 * Delays after each failed attempt. A delivery is abandoned after the last attempt, about three days after the first.
 */
const RETRY_DELAYS_MS = [
  10 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  6 * HOUR_MS,
  12 * HOUR_MS,
  24 * HOUR_MS,
  24 * HOUR_MS,
]

export interface DeliveryParts {
  readonly store: Pick<Store, "notices" | "accounts">
  readonly cipher: Pick<SecretCipher, "decrypt">
  readonly channels: Readonly<Record<NoticeChannel, Channel>>
  readonly alarms: NoticeAlarms
  /** Polling interval in milliseconds; set by tests. */
  readonly every?: number
}

/** Delivers pending notices at least once. If a process dies during a delivery, another process repeats it. */
export class Deliveries implements AsyncDisposable {
  readonly #parts: DeliveryParts
  readonly #timer: ReturnType<typeof setInterval>
  /** The running deliveries, with promises that resolve when they end. */
  readonly #deliveries = new Map<DueDelivery, Promise<void>>()
  #running: Promise<void> | undefined
  /** The last claimed target. The next claim begins after it. */
  #lastTarget = ""
  #isRequested = false
  /** Makes the running loop claim deliveries again. */
  #wake = (): void => {}
  #isOver = false

  constructor(parts: DeliveryParts) {
    this.#parts = parts
    this.#timer = setInterval(() => void this.deliverNow(), parts.every ?? POLL_INTERVAL_MS)
    this.#timer.unref()
  }

  /**
   * Delivers the due notices now.
   * @returns a promise that resolves when each of them was sent or has failed.
   */
  deliverNow(): Promise<void> {
    this.#isRequested = true
    this.#wake()
    this.#running ??= this.#run().finally(() => (this.#running = undefined))
    return this.#running
  }

  /** Finishes running deliveries and leaves pending ones to the next process. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true
    clearInterval(this.#timer)
    await this.#running
  }

  async #run(): Promise<void> {
    try {
      while (this.#isRequested && !this.#isOver) {
        this.#isRequested = false
        for (const delivery of await this.#claim()) this.#start(delivery)
        // A finished delivery makes room for others.
        if (this.#deliveries.size > 0) await this.#nextRequest()
      }
    } catch (error) {
      this.#parts.alarms.noticesFailed(error)
    }
    await Promise.all(this.#deliveries.values())
  }

  async #claim(): Promise<DueDelivery[]> {
    const now = Date.now()
    const running = [...this.#deliveries.keys()].map(({ target }) => target)
    const limits = { ...MAX_CONCURRENT, running, after: this.#lastTarget }
    const claimed = await this.#parts.store.notices.claim(now, now + CLAIM_MS, limits)
    this.#lastTarget = claimed.at(-1)?.target.id ?? this.#lastTarget
    return claimed
  }

  #start(delivery: DueDelivery): void {
    const end = this.#deliver(delivery)
      .catch((error: unknown) => this.#parts.alarms.noticesFailed(error))
      .then(() => {
        this.#deliveries.delete(delivery)
        this.#isRequested = true
        this.#wake()
      })
    this.#deliveries.set(delivery, end)
  }

  async #nextRequest(): Promise<void> {
    if (this.#isRequested) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#wake = resolve
    await promise
  }

  async #deliver({ notice, target, attempts }: DueDelivery): Promise<void> {
    const { store, channels } = this.#parts
    const failure = await failureOf(async () => {
      const account = notice.account === null ? null : await store.accounts.find(notice.account)
      const message = messageOf(notice, account?.name ?? "")
      await channels[target.channel].send(message, this.#destinationOf(target))
    })
    const at = Date.now()
    const pause = failure?.isFinal ? undefined : RETRY_DELAYS_MS[attempts]
    await store.notices.report({
      notice: notice.id,
      target: target.id,
      at,
      error: failure?.message ?? null,
      nextAt: failure === undefined || pause === undefined ? null : at + pause,
    })
  }

  #destinationOf({ id, encrypted }: NoticeTarget): Destination {
    const text = this.#parts.cipher.decrypt(encryptionContext(id), encrypted)
    if (text === undefined) {
      throw new DeliveryError("its address can no longer be read: remove it and add it again", true)
    }
    return JSON.parse(text) as Destination
  }
}

/** Returns the context with which a target's destination is encrypted. */
export function encryptionContext(target: string): string {
  return `notice-target:${target}`
}

async function failureOf(step: () => Promise<void>): Promise<DeliveryError | undefined> {
  try {
    await step()
    return undefined
  } catch (error) {
    if (error instanceof DeliveryError) return error
    return new DeliveryError("it could not be sent")
  }
}
