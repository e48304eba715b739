import type { PendingCharge } from "./pending-charge.ts"
import type { ObserverAlarms, RequestObserver, SettledRequest } from "./request-observer.ts"

/** A request that has ended, and when, if it was not charged. */
interface Ended {
  readonly charge: PendingCharge
  readonly settled: SettledRequest | undefined
  readonly endedAt: number
}

/**
 * Tells observers of all requests that end in one turn of the event loop together, when their answers are out. Requests
 * share commits, so under load there are many of them, and what looks at one after the other finds its code and data in
 * the processor's caches: next to the answers it costs several times as much.
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

  /** Tells what is left, before those who are told end. */
  [Symbol.dispose](): void {
    this.#tellAll()
  }

  #add(ended: Ended): void {
    if (this.#ended.length === 0) setImmediate(() => this.#tellAll())
    this.#ended.push(ended)
  }

  #tellAll(): void {
    const all = this.#ended
    this.#ended = []
    for (const observer of this.#observers) for (const ended of all) this.#tell(observer, ended)
  }

  #tell(observer: RequestObserver, { charge, settled, endedAt }: Ended): void {
    try {
      if (settled) observer.settled(settled)
      else observer.released(charge, endedAt)
    } catch (error) {
      this.#alarms.observerFailed(charge.call.id, error)
    }
  }
}
