import type { PendingCharge } from "./pending-charge.ts"
import type { ObserverAlarms, RequestObserver, SettledRequest } from "./request-observer.ts"

/** A request that has ended. `endedAt` is set if it was not charged. */
interface Ended {
  readonly charge: PendingCharge
  readonly settled: SettledRequest | undefined
  readonly endedAt: number
}

/**
 * Notifies observers together of all requests that end in one turn of the event loop, after their responses are sent.
 * Under load, many requests end at once, because they share commits. Notifying observers between the responses would
 * take several times as long, because code and data would leave the processor's caches.
 */
export class BatchedObserver implements RequestObserver, Disposable {
  readonly #observers: readonly RequestObserver[]
  readonly #alarms: ObserverAlarms
  #ended: Ended[] = []

  constructor(observers: readonly RequestObserver[], alarms: ObserverAlarms) {
    this.#observers = observers
    this.#alarms = alarms
  }

  settled(request: SettledRequest): void {
    this.#add({ charge: request.charge, settled: request, endedAt: request.endedAt })
  }

  released(charge: PendingCharge, endedAt: number): void {
    this.#add({ charge, settled: undefined, endedAt })
  }

  /** Notifies observers of the remaining requests before the observers themselves are disposed of. */
  [Symbol.dispose](): void {
    this.#flush()
  }

  #add(ended: Ended): void {
    if (this.#ended.length === 0) setImmediate(() => this.#flush())
    this.#ended.push(ended)
  }

  #flush(): void {
    const all = this.#ended
    this.#ended = []
    for (const observer of this.#observers) for (const ended of all) this.#notify(observer, ended)
  }

  #notify(observer: RequestObserver, { charge, settled, endedAt }: Ended): void {
    try {
      if (settled) observer.settled(settled)
      else observer.released(charge, endedAt)
    } catch (error) {
      this.#alarms.observerFailed(charge.call.id, error)
    }
  }
}
