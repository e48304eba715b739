import { createHmac, randomBytes } from "node:crypto"
import { type NoticeMessage, linesOf, titleOf } from "../message.ts"
import { pinnedFetch, PinnedFetchError, readWebAddress } from "../../wire/http/pinned-fetch.ts"
import { type Channel, DeliveryError, type Destination } from "./channel.ts"

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

const TIMEOUT_MS = 10_000
/** HTTP status of a receiver that permanently rejects notices. */
const GONE = 410

/**
 * Sends JSON to a user-supplied address.
 * @throws DeliveryError unless the response has a 2xx status.
 */
async function post(
  address: string,
  body: string,
  { headers, allowsPrivate }: { headers: Record<string, string>; allowsPrivate: boolean },
): Promise<void> {
  let response: Response
  try {
    response = await pinnedFetch(readWebAddress(address), {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body,
      allowsPrivate,
      deadline: TIMEOUT_MS,
    })
  } catch (error) {
    if (error instanceof PinnedFetchError) throw new DeliveryError(error.wordsForUsers)
    throw error
  }
  await response.body?.cancel()
  if (response.ok) return
  const { status } = response
  throw new DeliveryError(`it answered with status ${status}`, status === GONE)
}

/**
 * Sends notices to an incoming webhook of Slack or of a compatible service: Mattermost, Rocket.Chat, or Discord under
 * `/slack`.
 * @see https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks
 */
export class Slack implements Channel {
  readonly #allowsPrivate: () => boolean

  constructor(allowsPrivate: () => boolean) {
    this.#allowsPrivate = allowsPrivate
  }

  async send(message: NoticeMessage, { address }: Destination): Promise<void> {
    const text = [`*${escaped(titleOf(message))}*`, ...linesOf(message).map(escaped)].join("\n")
    const body = JSON.stringify({ text })
    await post(address, body, { headers: {}, allowsPrivate: this.#allowsPrivate() })
  }
}

/** Escapes text for Slack, so that a name cannot become a link or mention people. */
function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
}
