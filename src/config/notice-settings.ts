import { Fault, flag, readText, reading } from "./scalars.ts"

/** How mail is sent. */
export interface MailSettings {
  /** `smtps://user:password@host`. Never printed. */
  readonly smtp: string
  readonly from: string
}

export interface NoticeSettings {
  /** Absent: no mail is sent. */
  readonly mail?: MailSettings
  /** Whether webhooks may be in the operator's own network. */
  readonly allowsPrivate: boolean
}

/** The names under `notices` in the file. */
export const noticeScalars = {
  smtp: reading((input) => {
    const text = readText(input)
    if (text instanceof Fault) return text
    const url = URL.parse(text)
    const isServer = url !== null && /^smtps?:$/.test(url.protocol) && url.hostname !== ""
    return isServer
      ? text
      : new Fault(
          "must be the address of a mail server, such as smtps://user:password@mail.example.com",
        )
  }).optional(),
  from: reading((input) => {
    const text = readText(input)
    if (text instanceof Fault) return text
    return /^[^@\s<>]+@[^@\s<>]+$|^[^<>\r\n]+<[^@\s<>]+@[^@\s<>]+>$/.test(text)
      ? text
      : new Fault("must be an e-mail address, such as Tollgate <tollgate@example.com>")
  }).optional(),
  private: flag().optional(),
}

interface FileNotices {
  readonly smtp?: string | undefined
  readonly from?: string | undefined
  readonly private?: boolean | undefined
}

/** The parsed section of the file. */
export function noticeSettings(section: FileNotices | null | undefined): NoticeSettings {
  const { smtp, from } = section ?? {}
  return {
    ...(smtp !== undefined && from !== undefined && { mail: { smtp, from } }),
    allowsPrivate: section?.private ?? false,
  }
}

/** Both or neither of the two names by which mail is sent. */
export function hasWholeMail(section: FileNotices): boolean {
  return (section.smtp === undefined) === (section.from === undefined)
}
