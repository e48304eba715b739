import { HOUR_MS } from "#contract/durations.ts"
import { randomText } from "../canon/random-text.ts"
import type { LineBatch } from "./destination.ts"

const ID_LENGTH = 16

/** A batch that is being filled or waits for delivery. */
interface WaitingBatch extends LineBatch {
  readonly lines: string[]
  size: number
  /** The hour of the batch, as the number of hours since 1970. */
  readonly hour: number
  /** Whether the batch accepts no further lines. */
  isClosed: boolean
}

export interface QueueLimits {
  /** Maximum queued characters, including lines that are being delivered. */
  readonly limit: number
  /** Number of characters at which a batch counts as full. */
  readonly batch: number
}

/** Queues lines for delivery in batches, within a size limit. */
export class LineQueue {
  readonly #limits: QueueLimits
  /** Waiting batches. The last one is still being filled. */
  #waiting: WaitingBatch[] = []
  #size = 0
  #count = 0

  constructor(limits: QueueLimits) {
    this.#limits = limits
  }

  /** Number of lines that have not been delivered. */
  get count(): number {
    return this.#count
  }

  /** Whether a full or closed batch is waiting. */
  get hasFullBatch(): boolean {
    const [first] = this.#waiting
    if (first === undefined) return false
    return this.#waiting.length > 1 || first.isClosed || first.size >= this.#limits.batch
  }

  /** Adds a line. @returns whether there was room for it. */
  add(line: string, now = Date.now()): boolean {
    if (this.#size + line.length > this.#limits.limit) return false
    const hour = Math.floor(now / HOUR_MS)
    let last = this.#waiting.at(-1)
    if (
      last === undefined ||
      last.isClosed ||
      last.size >= this.#limits.batch ||
      last.hour !== hour
    ) {
      last = { id: randomText(ID_LENGTH), since: now, lines: [], hour, size: 0, isClosed: false }
      this.#waiting.push(last)
    }
    last.lines.push(line)
    last.size += line.length
    this.#size += line.length
    this.#count += 1
    return true
  }

  /** Takes the oldest batch. It counts as queued until `done` is called. */
  take(): LineBatch | undefined {
    return this.#waiting.shift()
  }

  /** Queues a taken batch again, behind all other batches. */
  putBack({ id, since, lines, size }: LineBatch): void {
    const hour = Math.floor(since / HOUR_MS)
    this.#waiting.push({ id, since, lines: [...lines], hour, size, isClosed: true })
  }

  /** Removes a taken batch after it was delivered or abandoned. */
  done({ lines, size }: LineBatch): void {
    this.#count -= lines.length
    this.#size -= size
  }
}
