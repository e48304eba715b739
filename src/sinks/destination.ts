/** Lines that are delivered together. */
export interface LineBatch {
  /** Stays the same when it is delivered again. */
  readonly id: string
  /** When its first line came, unix milliseconds. All of them came in the same hour. */
  readonly since: number
  /** Without line breaks. */
  readonly lines: readonly string[]
  /** Characters of all of them. */
  readonly size: number
}

/** Where lines go in the end. */
export interface LineDestination {
  /**
   * Delivers all of it. What has failed is delivered again, so it may arrive twice.
   * @param signal that there is no more time for it.
   * @throws LineDeliveryError
   */
  deliver(batch: LineBatch, signal: AbortSignal): Promise<void>
}

/**
 * Whose fault it is that lines were not delivered: that of their destination, which is waited for; that of the lines, so
 * that trying again for long is of no use; or one cannot tell.
 */
export type LineFault = "destination" | "lines" | "unclear"

/** Why lines were not delivered, in words for the operator; without the address, which may hold a secret. */
export class LineDeliveryError extends Error {
  override readonly name = "LineDeliveryError"
  readonly fault: LineFault

  constructor(message: string, fault: LineFault = "destination") {
    super(message)
    this.fault = fault
  }
}
