import { linesOf, type NoticeMessage, titleOf } from "../message.ts"
import type { Channel, Destination } from "./channel.ts"
import { post } from "./post.ts"

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
