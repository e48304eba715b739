/** Lines that are delivered together. */
export interface LineBatch {
  /** Unchanged when the batch is delivered again. */
  readonly id: string
  /** Arrival of the first line, in Unix milliseconds. All lines of a batch arrived in the same hour. */
  readonly since: number
  /** The lines, without line breaks. */
  readonly lines: readonly string[]
  /** Total characters of the lines. */
  readonly size: number
}

/** A destination of lines. */
export interface LineDestination {
  /**
   * Delivers the whole batch. A failed batch is delivered again, so lines may arrive twice.
   * @param signal aborts the delivery when no time is left.
   * @throws LineDeliveryError
   */
  deliver(batch: LineBatch, signal: AbortSignal): Promise<void>
}

/**
 * The cause of a failed delivery. With `destination`, retries continue until it recovers; with `lines`, few are made;
 * `unclear` may be either.
 */
export type LineFault = "destination" | "lines" | "unclear"

/** Reason of a failed delivery, for the operator. Omits the address, which may contain a secret. */
export class LineDeliveryError extends Error {
  override readonly name = "LineDeliveryError"
  readonly fault: LineFault

  constructor(message: string, fault: LineFault = "destination") {
    super(message)
    this.fault = fault
  }
}
