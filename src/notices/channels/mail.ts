import type { MailSettings } from "../../config/sections/notices.ts"
import { linesOf, type NoticeMessage, titleOf } from "../message.ts"
import { type Channel, DeliveryError, type Destination } from "./channel.ts"
import { MailError } from "./mail-error.ts"

const TIMEOUT_MS = 15_000

/** Sends email through the operator's server. The library is loaded with the first email. */
export class Mail implements Channel {
  readonly #settings: () => MailSettings | undefined

  constructor(settings: () => MailSettings | undefined) {
    this.#settings = settings
  }

  async send(message: NoticeMessage, { address }: Destination): Promise<void> {
    const settings = this.#settings()
    if (!settings)
      throw new DeliveryError("no mail server is configured: set notices.smtp and notices.from")
    const { createTransport } = await import("nodemailer")
    const transport = createTransport({
      url: settings.smtp,
      connectionTimeout: TIMEOUT_MS,
      greetingTimeout: TIMEOUT_MS,
      socketTimeout: TIMEOUT_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    })
    try {
      await transport.sendMail({
        from: settings.from,
        to: { name: "", address },
        subject: `Tollgate: ${titleOf(message)}`,
        text: [`${titleOf(message)}.`, "", ...linesOf(message)].join("\n"),
        // If a mail server receives the message twice, the recipient sees it once.
        messageId: `<${message.id}@tollgate.invalid>`,
      })
    } catch (error) {
      throw new MailError(error)
    } finally {
      transport.close()
    }
  }
}
