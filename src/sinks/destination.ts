/** Lines that are delivered together. */
export interface LineBatch {
  /** Id of the batch, which stays the same if the batch is delivered again. */
  readonly id: string
  /** Arrival of the first line in Unix milliseconds. All lines of a batch arrived in the same hour. */
  readonly since: number
  /** The lines, without line breaks. */
  readonly lines: readonly string[]
  /** Total number of characters in the lines. */
  readonly size: number
}

/** A destination to which lines are delivered. */
export interface LineDestination {
  /**
   * Delivers a whole batch. A failed batch is delivered again, so lines may arrive twice.
   * @param signal aborts the delivery when no time is left.
   * @throws LineDeliveryError
   */
  deliver(batch: LineBatch, signal: AbortSignal): Promise<void>
}

/**
 * The cause of a failed delivery. With `destination`, retries continue until the destination recovers. With `lines`,
 * few retries are made. With `unclear`, either may be the cause.
 */
export type LineFault = "destination" | "lines" | "unclear"

/** The reason why a delivery failed, for the operator. It omits the address, which may contain a secret. */
export class LineDeliveryError extends Error {
  override readonly name = "LineDeliveryError"
  readonly fault: LineFault

  constructor(message: string, fault: LineFault = "destination") {
    super(message)
    this.fault = fault
  }
}
