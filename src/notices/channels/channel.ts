import type { NoticeMessage } from "../message.ts"

/** Where a target's notices go: what is stored encrypted. */
export interface Destination {
  /** A web address, or an e-mail address. */
  readonly address: string
  /** Signs what is sent to a webhook: `whsec_…`. */
  readonly secret?: string
}

/** A way to deliver notices. */
export interface Channel {
  /** @throws DeliveryError */
  send(message: NoticeMessage, destination: Destination): Promise<void>
}

/** Why a notice could not be delivered, in words for who set the target up; never what the other side has said. */
export class DeliveryError extends Error {
  override readonly name = "DeliveryError"
  /** Whether another attempt is of no use. */
  readonly isFinal: boolean

  constructor(message: string, isFinal = false) {
    super(message)
    this.isFinal = isFinal
  }
}
