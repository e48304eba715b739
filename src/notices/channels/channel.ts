import type { NoticeMessage } from "../message.ts"

/** The destination of a target's notices, stored encrypted. */
export interface Destination {
  /** A web address or an email address. */
  readonly address: string
  /** Signs the requests to a webhook: `whsec_…`. */
  readonly secret?: string
}

/** A way to deliver notices. */
export interface Channel {
  /** @throws DeliveryError */
  send(message: NoticeMessage, destination: Destination): Promise<void>
}

/** Reason of a failed delivery, for the owner of the target. It never contains text from the remote server. */
export class DeliveryError extends Error {
  override readonly name = "DeliveryError"
  /** Whether another attempt would be useless. */
  readonly isFinal: boolean

  constructor(message: string, isFinal = false) {
    super(message)
    this.isFinal = isFinal
  }
}
