import type { RecordedRequest } from "../simulator/request-log.ts"
import type { Simulator } from "../simulator/server.ts"
import type { VendorCall } from "./calls.ts"

/** The simulator stores only its last thousand requests, so they are read often. */
const READ_INTERVAL_MS = 100
const MARKER = /call-[0-9a-z]+/

/** The vendor's records, by the markers of the calls. */
export class VendorRecords implements Disposable {
  readonly #simulator: Simulator
  readonly #records = new Map<string, RecordedRequest[]>()
  readonly #open = new Set<RecordedRequest>()
  readonly #timer: ReturnType<typeof setInterval>
  #last: RecordedRequest | undefined
  /** Number of requests that the vendor received. */
  count = 0

  constructor(simulator: Simulator) {
    this.#simulator = simulator
    this.#timer = setInterval(() => this.#read(), READ_INTERVAL_MS)
  }

  /** Returns the records of one call. There are several if the gateway or the caller retried. */
  of(marker: string): VendorCall[] {
    this.#read()
    return (this.#records.get(marker) ?? []).map(({ usage, finished }) => ({
      usage: usage === undefined ? null : { input: usage.prompt, output: usage.completion },
      isFinished: finished,
    }))
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }

  #read(): void {
    const { requests } = this.#simulator
    const from = this.#last === undefined ? 0 : requests.indexOf(this.#last) + 1
    for (const request of requests.slice(from)) {
      this.count++
      this.#open.add(request)
    }
    this.#last = requests.at(-1) ?? this.#last
    // A request is logged when its headers arrive, and its body arrives later.
    for (const request of this.#open) {
      if (request.body === undefined) continue
      this.#open.delete(request)
      const marker = MARKER.exec(JSON.stringify(request.body))?.[0]
      if (marker === undefined) continue
      const known = this.#records.get(marker)
      if (known) known.push(request)
      else this.#records.set(marker, [request])
    }
  }
}
