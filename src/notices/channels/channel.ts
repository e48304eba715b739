import type { NoticeMessage } from "../message.ts"

/** The destination of a target's notices. It is stored in encrypted form. */
export interface Destination {
  /** An HTTP URL or an email address. */
  readonly address: string
  /** The secret that signs the requests to a webhook: `whsec_…`. */
  readonly secret?: string
}

/** A way to deliver notices. */
export interface Channel {
  /**
   * Sends a notice.
   * @throws DeliveryError
   */
  send(message: NoticeMessage, destination: Destination): Promise<void>
}

/** The reason why a delivery failed, for the owner of the target. It never contains text from the remote server. */
export class DeliveryError extends Error {
  override readonly name = "DeliveryError"
  /** Whether further attempts would be useless. */
  readonly isFinal: boolean

  constructor(message: string, isFinal = false) {
    super(message)
    this.isFinal = isFinal
  }
}
