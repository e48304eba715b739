import type { RecordedRequest } from "../simulator/request-log.ts"
import type { Simulator } from "../simulator/server.ts"
import type { VendorCall } from "./calls.ts"

/** Milliseconds; the simulator forgets all but its last thousand requests. */
const LOOK = 100
const MARKER = /call-[0-9a-z]+/

/** What the vendor did, by the markers of the calls it did it for. */
export class VendorRecords implements Disposable {
  readonly #simulator: Simulator
  readonly #records = new Map<string, RecordedRequest[]>()
  readonly #open = new Set<RecordedRequest>()
  readonly #timer: ReturnType<typeof setInterval>
  #last: RecordedRequest | undefined
  /** Requests that the vendor got. */
  count = 0

  constructor(simulator: Simulator) {
    this.#simulator = simulator
    this.#timer = setInterval(() => this.#look(), LOOK)
  }

  /** Of one call; several when the gateway or the caller tried again. */
  of(marker: string): VendorCall[] {
    this.#look()
    return (this.#records.get(marker) ?? []).map(({ usage, finished }) => ({
      usage: usage === undefined ? null : { input: usage.prompt, output: usage.completion },
      isFinished: finished,
    }))
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }

  #look(): void {
    const { requests } = this.#simulator
    const from = this.#last === undefined ? 0 : requests.indexOf(this.#last) + 1
    for (const request of requests.slice(from)) {
      this.count++
      this.#open.add(request)
    }
    this.#last = requests.at(-1) ?? this.#last
    // The body of a request comes after its headers.
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
