import { waitAtMost } from "../canon/wait-at-most.ts"
import {
  type LineBatch,
  type LineDestination,
  LineDeliveryError,
  type LineFault,
} from "./destination.ts"
import { LineQueue, type QueueLimits } from "./line-queue.ts"

/** The first pause after a failure, and the longest, milliseconds. */
const FIRST_PAUSE = 1_000
const LONGEST_PAUSE = 30_000
/** The pause while the process is ending, milliseconds. */
const LAST_PAUSE = 200
/** How often a destination may refuse a batch until it is given up: it would keep all others waiting. */
const MOST_REFUSALS = 5
/** How often a batch may fail while others get through, until it is given up. */
const MOST_DOUBTS = 5
/** How long what is waiting may take to be delivered when the process ends, milliseconds. */
const LAST_TIME = 5_000
/** How often lost lines are reported, milliseconds. */
const REPORT_EVERY = 60_000

export interface LineAlarms {
  /** Lines wait, since their sink cannot be reached or refuses them. */
  linesNotDelivered(sink: string, reason: string): void
  /** @param lines that the sink has lost since the start. */
  linesDropped(sink: string, lines: number): void
}

export interface LineSinkParts extends QueueLimits {
  readonly name: string
  readonly destination: LineDestination
  /** How long a line waits for others that are delivered with it, milliseconds. */
  readonly every: number
  readonly alarms: LineAlarms
  /** The first pause after a failure, milliseconds; for tests. */
  readonly pause?: number
  /** How long the end may take, milliseconds. */
  readonly lastTime?: () => number
}

/** What is known of a batch that fails. */
interface Doubt {
  /** How often it has failed after others had got through. */
  readonly count: number
  /** What was written when it failed last. */
  readonly written: number
}

/**
 * Delivers lines to one destination, in batches and in the background. Whoever adds a line never waits: what does not
 * fit into the queue is dropped and counted.
 */
export class LineSink implements AsyncDisposable {
  readonly name: string
  readonly #parts: LineSinkParts
  readonly #queue: LineQueue
  readonly #over = new AbortController()
  #timer: ReturnType<typeof setTimeout> | undefined
  #running: Promise<void> | undefined
  /** Ends a pause. */
  #wake: (() => void) | undefined
  #isEnding = false
  /** Failures since the last success. */
  #failures = 0
  /** Batches of which one cannot tell why they fail, by their ids. */
  readonly #doubts = new Map<string, Doubt>()
  #written = 0
  #dropped = 0
  #reported = 0
  #reportedAt = -Infinity

  constructor(parts: LineSinkParts) {
    this.name = parts.name
    this.#parts = parts
    this.#queue = new LineQueue(parts)
  }

  /** Lines since the start, and those that wait. */
  get counts(): { readonly written: number; readonly dropped: number; readonly waiting: number } {
    return { written: this.#written, dropped: this.#dropped, waiting: this.#queue.count }
  }

  add(line: string): void {
    if (this.#over.signal.aborted || !this.#queue.add(line)) this.#drop(1)
    else if (this.#running === undefined) this.#plan()
  }

  /** Delivers what waits, for a few seconds at most; what is left is lost. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isEnding = true
    this.#wake?.()
    this.#start()
    const { lastTime = () => LAST_TIME } = this.#parts
    await waitAtMost(this.#running, lastTime())
    this.#over.abort()
    if (this.#queue.count > 0) this.#drop(this.#queue.count)
    this.#report()
  }

  #plan(): void {
    if (this.#queue.hasFullBatch) this.#start()
    else if (this.#queue.count > 0) this.#timer ??= setTimeout(this.#start, this.#parts.every)
  }

  readonly #start = (): void => {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
      if (!this.#over.signal.aborted) this.#plan()
    })
  }

  async #run(): Promise<void> {
    do {
      const batch = this.#queue.take()
      if (batch === undefined) return
      const fate = await this.#deliver(batch)
      // What is late is counted as lost already.
      if (this.#over.signal.aborted) return
      if (fate === "later") {
        this.#queue.putBack(batch)
        continue
      }
      this.#failures = 0
      this.#doubts.delete(batch.id)
      this.#queue.done(batch)
      if (fate === "delivered") this.#written += batch.lines.length
      else this.#drop(batch.lines.length)
    } while (this.#queue.hasFullBatch || this.#isEnding)
  }

  async #deliver(batch: LineBatch): Promise<"delivered" | "given up" | "later"> {
    const { destination, alarms } = this.#parts
    const { signal } = this.#over
    let refusals = 0
    while (!signal.aborted) {
      let fault: LineFault = "destination"
      try {
        await destination.deliver(batch, signal)
        return "delivered"
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        if (!signal.aborted) alarms.linesNotDelivered(this.name, reason)
        if (error instanceof LineDeliveryError) ({ fault } = error)
      }
      if (fault === "lines" && ++refusals >= MOST_REFUSALS) return "given up"
      if (fault === "unclear" && this.#isAtFault(batch)) return "given up"
      await this.#pause(this.#failures++)
      // The others show whether it was the batch.
      if (fault === "unclear") return "later"
    }
    return "later"
  }

  /** Notes that a batch has failed. @returns whether it did so often enough while others got through. */
  #isAtFault({ id }: LineBatch): boolean {
    const before = this.#doubts.get(id)
    const isOnlyThis = before !== undefined && this.#written > before.written
    const count = (before?.count ?? 0) + (isOnlyThis ? 1 : 0)
    this.#doubts.set(id, { count, written: this.#written })
    return count >= MOST_DOUBTS
  }

  async #pause(attempt: number): Promise<void> {
    const { pause = FIRST_PAUSE } = this.#parts
    const length = Math.min(pause * 2 ** attempt, LONGEST_PAUSE)
    if (this.#isEnding) return await Bun.sleep(Math.min(length, LAST_PAUSE))
    const over = Promise.withResolvers<void>()
    const timer = setTimeout(over.resolve, length)
    this.#wake = over.resolve
    await over.promise
    clearTimeout(timer)
  }

  #drop(lines: number): void {
    this.#dropped += lines
    if (performance.now() - this.#reportedAt >= REPORT_EVERY) this.#report()
  }

  #report(): void {
    if (this.#dropped === this.#reported) return
    this.#reported = this.#dropped
    this.#reportedAt = performance.now()
    this.#parts.alarms.linesDropped(this.name, this.#dropped)
  }
}
