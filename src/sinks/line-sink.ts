import { waitAtMost } from "../canon/wait-at-most.ts"
import {
  type LineBatch,
  type LineDestination,
  LineDeliveryError,
  type LineFault,
} from "./destination.ts"
import { LineQueue, type QueueLimits } from "./line-queue.ts"

/** The first and the maximum delay after a failed delivery. */
const FIRST_RETRY_DELAY_MS = 1_000
const MAX_RETRY_DELAY_MS = 30_000
/** Delay between attempts during shutdown. */
const SHUTDOWN_RETRY_DELAY_MS = 200
/** Maximum rejections before a batch is dropped, because it blocks all others. */
const MAX_REJECTIONS = 5
/** Maximum failures before a batch is dropped while other batches are delivered. */
const MAX_UNCLEAR_FAILURES = 5
/** Maximum time for delivering the remaining lines at shutdown. */
const SHUTDOWN_TIMEOUT_MS = 5_000
/** Minimum interval between reports of lost lines. */
const REPORT_INTERVAL_MS = 60_000

export interface LineAlarms {
  /** Called when lines are queued because their sink is unreachable or rejects them. */
  linesNotDelivered(sink: string, reason: string): void
  /**
   * Called when lines were dropped.
   * @param lines number of lines that the sink has lost since the start.
   */
  linesDropped(sink: string, lines: number): void
}

export interface LineSinkParts extends QueueLimits {
  readonly name: string
  readonly destination: LineDestination
  /** Maximum time that a line waits for others before its batch is delivered, in milliseconds. */
  readonly every: number
  readonly alarms: LineAlarms
  /** The first delay after a failure in milliseconds; set by tests. */
  readonly pause?: number
  /** Returns the maximum time for shutdown in milliseconds. */
  readonly lastTime?: () => number
}

/** The failures of a batch whose cause is unclear. */
interface UnclearFailure {
  /** Number of failures after which other batches were delivered. */
  readonly count: number
  /** Number of lines that had been delivered at the time of the last failure. */
  readonly written: number
}

/**
 * Delivers lines to one destination in batches, in the background. Callers never wait. Lines that do not fit into the
 * queue are dropped and counted.
 */
export class LineSink implements AsyncDisposable {
  readonly name: string
  readonly #parts: LineSinkParts
  readonly #queue: LineQueue
  readonly #abortController = new AbortController()
  #timer: ReturnType<typeof setTimeout> | undefined
  #running: Promise<void> | undefined
  /** Ends the current delay early. */
  #wake: (() => void) | undefined
  #isEnding = false
  /** Number of failures since the last success. */
  #failures = 0
  /** Batches that failed for an unclear reason, by id. */
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

  /** Numbers of lines that were written and dropped since the start, and of lines that are queued now. */
  get counts(): { readonly written: number; readonly dropped: number; readonly waiting: number } {
    return { written: this.#written, dropped: this.#dropped, waiting: this.#queue.count }
  }

  add(line: string): void {
    if (this.#abortController.signal.aborted || !this.#queue.add(line)) this.#drop(1)
    else if (this.#running === undefined) this.#schedule()
  }

  /** Delivers queued lines for at most a few seconds. The remaining lines are lost. */
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
      // If the batch ends after the abort, its lines were already counted as lost.
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
    let rejections = 0
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
      if (fault === "lines" && ++rejections >= MAX_REJECTIONS) return "given up"
      if (fault === "unclear" && this.#isAtFault(batch)) return "given up"
      await this.#pause(this.#failures++)
      // The delivery of other batches will show whether this batch is the cause.
      if (fault === "unclear") return "later"
    }
    return "later"
  }

  /**
   * Records a failure of a batch.
   * @returns whether it has failed too often while other batches were delivered.
   */
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
