import { createHmac, randomBytes } from "node:crypto"
import type { NoticeMessage } from "../message.ts"
import { type Channel, DeliveryError, type Destination } from "./channel.ts"
import { post } from "./post.ts"

const PREFIX = "whsec_"
const SECRET_BYTES = 32

/** Creates a secret for signing webhook requests. */
export function newWebhookSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString("base64")
}

/**
 * Sends JSON with a signature that follows the Standard Webhooks specification, so that libraries for it can verify the
 * signature.
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export class Webhook implements Channel {
  readonly #allowsPrivate: () => boolean

  constructor(allowsPrivate: () => boolean) {
    this.#allowsPrivate = allowsPrivate
  }

  async send(message: NoticeMessage, { address, secret }: Destination): Promise<void> {
    if (secret === undefined) throw new DeliveryError("its secret is missing: add it again", true)
    const body = JSON.stringify(message)
    const timestamp = String(Math.floor(Date.now() / 1_000))
    const key = Buffer.from(secret.slice(PREFIX.length), "base64")
    const signed = `${message.id}.${timestamp}.${body}`
    const signature = createHmac("sha256", key).update(signed).digest("base64")
    const headers = {
      "webhook-id": message.id,
      "webhook-timestamp": timestamp,
      "webhook-signature": `v1,${signature}`,
    }
    await post(address, body, { headers, allowsPrivate: this.#allowsPrivate() })
  }
}
