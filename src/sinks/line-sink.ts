import { waitAtMost } from "../canon/wait-at-most.ts"
import {
  type LineBatch,
  type LineDestination,
  LineDeliveryError,
  type LineFault,
} from "./destination.ts"
import { LineQueue, type QueueLimits } from "./line-queue.ts"

/** The first and the maximum delay after a failure. */
const FIRST_RETRY_DELAY_MS = 1_000
const MAX_RETRY_DELAY_MS = 30_000
/** Delay between attempts during shutdown. */
const SHUTDOWN_RETRY_DELAY_MS = 200
/** Maximum refusals of a batch before it is dropped, since it blocks all others. */
const MAX_REFUSALS = 5
/** Maximum failures of a batch, while others are delivered, before it is dropped. */
const MAX_UNCLEAR_FAILURES = 5
/** Maximum time for delivering the remaining lines at shutdown. */
const SHUTDOWN_TIMEOUT_MS = 5_000
/** Minimum interval between reports of lost lines. */
const REPORT_INTERVAL_MS = 60_000

export interface LineAlarms {
  /** Lines are queued because their sink is unreachable or refuses them. */
  linesNotDelivered(sink: string, reason: string): void
  /** @param lines number of lines the sink has lost since the start. */
  linesDropped(sink: string, lines: number): void
}

export interface LineSinkParts extends QueueLimits {
  readonly name: string
  readonly destination: LineDestination
  /** Time that a line waits for others before its batch is delivered, in milliseconds. */
  readonly every: number
  readonly alarms: LineAlarms
  /** The first delay after a failure in milliseconds; for tests. */
  readonly pause?: number
  /** Returns the maximum time for shutdown in milliseconds. */
  readonly lastTime?: () => number
}

/** Record of a failing batch. */
interface UnclearFailure {
  /** Number of failures after others had been delivered. */
  readonly count: number
  /** Number of lines written at the time of the last failure. */
  readonly written: number
}

/**
 * Delivers lines to one destination, in batches and in the background. Callers never wait: lines that do not fit into
 * the queue are dropped and counted.
 */
export class LineSink implements AsyncDisposable {
  readonly name: string
  readonly #parts: LineSinkParts
  readonly #queue: LineQueue
  readonly #abortController = new AbortController()
  #timer: ReturnType<typeof setTimeout> | undefined
  #running: Promise<void> | undefined
  /** Ends the current delay. */
  #wake: (() => void) | undefined
  #isEnding = false
  /** Failures since the last success. */
  #failures = 0
  /** Batches that fail for an unclear cause, by id. */
  readonly #unclearFailures = new Map<string, UnclearFailure>()
  #written = 0
  #dropped = 0
  #reported = 0
  #reportedAt = -Infinity

  constructor(parts: LineSinkParts) {
    this.name = parts.name
    this.#parts = parts
    this.#queue = new LineQueue(parts)
  }

  /** Lines written and dropped since the start, and lines now queued. */
  get counts(): { readonly written: number; readonly dropped: number; readonly waiting: number } {
    return { written: this.#written, dropped: this.#dropped, waiting: this.#queue.count }
  }

  add(line: string): void {
    if (this.#abortController.signal.aborted || !this.#queue.add(line)) this.#drop(1)
    else if (this.#running === undefined) this.#schedule()
  }

  /** Delivers queued lines for a few seconds at most. The remaining ones are lost. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isEnding = true
    this.#wake?.()
    this.#start()
    const { lastTime = () => SHUTDOWN_TIMEOUT_MS } = this.#parts
    await waitAtMost(this.#running, lastTime())
    this.#abortController.abort()
    if (this.#queue.count > 0) this.#drop(this.#queue.count)
    this.#report()
  }

  #schedule(): void {
    if (this.#queue.hasFullBatch) this.#start()
    else if (this.#queue.count > 0) this.#timer ??= setTimeout(this.#start, this.#parts.every)
  }

  readonly #start = (): void => {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
      if (!this.#abortController.signal.aborted) this.#schedule()
    })
  }

  async #run(): Promise<void> {
    do {
      const batch = this.#queue.take()
      if (batch === undefined) return
      const fate = await this.#deliver(batch)
      // A batch that ends after the abort was already counted as lost.
      if (this.#abortController.signal.aborted) return
      if (fate === "later") {
        this.#queue.putBack(batch)
        continue
      }
      this.#failures = 0
      this.#unclearFailures.delete(batch.id)
      this.#queue.done(batch)
      if (fate === "delivered") this.#written += batch.lines.length
      else this.#drop(batch.lines.length)
    } while (this.#queue.hasFullBatch || this.#isEnding)
  }

  async #deliver(batch: LineBatch): Promise<"delivered" | "given up" | "later"> {
    const { destination, alarms } = this.#parts
    const { signal } = this.#abortController
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
      if (fault === "lines" && ++refusals >= MAX_REFUSALS) return "given up"
      if (fault === "unclear" && this.#isAtFault(batch)) return "given up"
      await this.#pause(this.#failures++)
      // The delivery of other batches will show whether this one is the cause.
      if (fault === "unclear") return "later"
    }
    return "later"
  }

  /** Records that a batch has failed. @returns whether it failed too often while others were delivered. */
  #isAtFault({ id }: LineBatch): boolean {
    const before = this.#unclearFailures.get(id)
    const isOnlyThis = before !== undefined && this.#written > before.written
    const count = (before?.count ?? 0) + (isOnlyThis ? 1 : 0)
    this.#unclearFailures.set(id, { count, written: this.#written })
    return count >= MAX_UNCLEAR_FAILURES
  }

  async #pause(attempt: number): Promise<void> {
    const { pause = FIRST_RETRY_DELAY_MS } = this.#parts
    const length = Math.min(pause * 2 ** attempt, MAX_RETRY_DELAY_MS)
    if (this.#isEnding) return await Bun.sleep(Math.min(length, SHUTDOWN_RETRY_DELAY_MS))
    const over = Promise.withResolvers<void>()
    const timer = setTimeout(over.resolve, length)
    this.#wake = over.resolve
    await over.promise
    clearTimeout(timer)
  }

  #drop(lines: number): void {
    this.#dropped += lines
    if (performance.now() - this.#reportedAt >= REPORT_INTERVAL_MS) this.#report()
  }

  #report(): void {
    if (this.#dropped === this.#reported) return
    this.#reported = this.#dropped
    this.#reportedAt = performance.now()
    this.#parts.alarms.linesDropped(this.name, this.#dropped)
  }
}
