import { randomText } from "../canon/random-text.ts"
import type { LineBatch } from "./destination.ts"

const HOUR = 3_600_000
const ID_LENGTH = 16

/** A batch that is being filled, or waits. */
interface WaitingBatch extends LineBatch {
  readonly lines: string[]
  size: number
  /** Which hour since 1970. */
  readonly hour: number
  /** Whether no line is added to it any more. */
  isClosed: boolean
}

export interface QueueLimits {
  /** Characters that may wait, those that are being delivered included. */
  readonly limit: number
  /** A batch of so many characters is full. */
  readonly batch: number
}

/** Lines that wait to be delivered, in batches. It never holds more than its limit. */
export class LineQueue {
  readonly #limits: QueueLimits
  /** The last one is being filled. */
  #waiting: WaitingBatch[] = []
  #size = 0
  #count = 0

  constructor(limits: QueueLimits) {
    this.#limits = limits
  }

  /** Lines that are not delivered yet. */
  get count(): number {
    return this.#count
  }

  /** Whether a batch is waiting that no line will be added to. */
  get hasFullBatch(): boolean {
    const [first] = this.#waiting
    if (first === undefined) return false
    return this.#waiting.length > 1 || first.isClosed || first.size >= this.#limits.batch
  }

  /** @returns whether there was room for it. */
  add(line: string, now = Date.now()): boolean {
    if (this.#size + line.length > this.#limits.limit) return false
    const hour = Math.floor(now / HOUR)
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

  /** The oldest batch, which counts as waiting until it is done. */
  take(): LineBatch | undefined {
    return this.#waiting.shift()
  }

  /** A batch that was taken waits again, behind all others. */
  putBack({ id, since, lines, size }: LineBatch): void {
    const hour = Math.floor(since / HOUR)
    this.#waiting.push({ id, since, lines: [...lines], hour, size, isClosed: true })
  }

  /** A batch that was taken is delivered or given up. */
  done({ lines, size }: LineBatch): void {
    this.#count -= lines.length
    this.#size -= size
  }
}
