import { DeliveryError } from "./channel.ts"

interface Failure {
  readonly cause: string
  readonly remedy: string
}

const UNREACHABLE: Failure = {
  cause: "the connection to the mail server failed",
  remedy:
    "Check the host and the port: smtps:// is for TLS, usually at port 465, and smtp:// for STARTTLS, usually at port 587",
}
const REJECTED_LOGIN: Failure = {
  cause: "the mail server rejected the user or the password",
  remedy:
    "Enter the address of the mail server again, with the right user and password. Special characters must be percent-encoded",
}
const REJECTED_EMAIL: Failure = {
  cause: "the mail server rejected the email",
  remedy:
    "Check that the server sends email for the sender's address, and that the recipient exists",
}
const NO_TLS: Failure = {
  cause: "the encrypted connection to the mail server failed",
  remedy:
    "Check that the certificate is valid for the host. Use smtps:// only at a port with TLS, usually 465, and smtp:// for STARTTLS, usually at port 587",
}

/** Failures by the codes of the mail library. */
const FAILURES: Readonly<Record<string, Failure>> = {
  EAUTH: REJECTED_LOGIN,
  ENOAUTH: REJECTED_LOGIN,
  ECONNECTION: UNREACHABLE,
  ESOCKET: UNREACHABLE,
  EPROTOCOL: UNREACHABLE,
  EDNS: {
    cause: "the name of the mail server could not be resolved",
    remedy: "Check the host in the address of the mail server",
  },
  ETIMEDOUT: {
    cause: "the mail server did not respond in time",
    remedy: "Check the host and the port. Many networks block port 25, so use 465 or 587",
  },
  ETLS: NO_TLS,
  EENVELOPE: REJECTED_EMAIL,
  EMESSAGE: REJECTED_EMAIL,
}

const OTHER: Failure = {
  cause: "the email could not be sent",
  remedy: "Check the address of the mail server and the log of the server",
}

/**
 * The reason why an email was not sent. It consists of fixed texts and codes, because messages of the library or of the
 * server may contain the server's credentials.
 */
export class MailError extends DeliveryError {
  /** The next step, without a full stop. */
  readonly remedy: string

  constructor(error: unknown) {
    const code: unknown = Reflect.get(Object(error), "code")
    const status: unknown = Reflect.get(Object(error), "responseCode")
    const name = typeof code === "string" ? code : ""
    const { cause, remedy } = (Object.hasOwn(FAILURES, name) ? FAILURES[name] : undefined) ?? OTHER
    const codes = [code, status].filter((part) => part !== undefined).map(String)
    super(`${cause} (${codes.join(" ") || "unknown error"})`)
    this.remedy = remedy
  }
}
