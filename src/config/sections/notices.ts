import { section, setting } from "../declare.ts"
import { Fault, readingText, SECRET_TEXT } from "../reading.ts"
import { flag } from "../scalars.ts"
import { ADDRESS_SECRET } from "../secret-forms.ts"

/** The mail server and the sender of notices. */
export interface MailSettings {
  /** An address such as `smtps://user:password@host`. Never printed. */
  readonly smtp: string
  readonly from: string
}

export interface NoticeSettings {
  /** The mail server; if absent, no mail is sent. */
  readonly mail?: MailSettings
  /** Whether webhook addresses may be in a private network. */
  readonly allowsPrivate: boolean
}

const mailServer = readingText((text) => {
  const url = URL.parse(text)
  const isServer = url !== null && /^smtps?:$/.test(url.protocol) && url.hostname !== ""
  return isServer
    ? text
    : new Fault(
        "must be the address of a mail server, such as smtps://user:password@mail.example.com",
      )
}, SECRET_TEXT)

const sender = readingText((text) =>
  /^[^@\s<>]+@[^@\s<>]+$|^[^<>\r\n]+<[^@\s<>]+@[^@\s<>]+>$/.test(text)
    ? text
    : new Fault("must be an email address, such as Tollgate <tollgate@example.com>"),
)

export const NOTICES = section(
  "notices",
  {
    smtp: setting(mailServer, {
      at: ["mail", "smtp"],
      secret: ADDRESS_SECRET,
      console: {
        label: "Mail server",
        help: "smtps://user:password@host for TLS (port 465), or smtp://user:password@host:587 for STARTTLS. Percent-encode special characters in the user and the password.",
      },
      documentation:
        "the mail server for [notices](../run/notices.md) by email, `smtps://user:password@host`; needs `notices.from`",
    }),
    from: setting(sender, {
      at: ["mail", "from"],
      console: {
        label: "Sender of email",
        help: "The address from which email is sent, such as Tollgate <tollgate@example.com>.",
      },
      documentation: "the sender of notices by email; needs `notices.smtp`",
    }),
    private: setting(flag(), {
      at: ["allowsPrivate"],
      default: "false",
      documentation: "whether webhooks may be in your own network, and without TLS",
    }),
  },
  {
    rule: {
      message: "needs both smtp and from to send mail. Add the other one",
      together: ["smtp", "from"],
      isMet: (names) => names.has("smtp") === names.has("from"),
    },
    build: ({ smtp, from, private: allowsPrivate }): NoticeSettings => ({
      ...(smtp !== undefined && from !== undefined && { mail: { smtp, from } }),
      allowsPrivate,
    }),
  },
)
