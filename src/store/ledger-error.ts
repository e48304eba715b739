/** What is wrong with the database itself, whatever was asked of it. The codes cross threads, so they are plain text. */
export class LedgerError extends Error {
  override readonly name = "LedgerError"
  readonly code: LedgerFault

  /** @param cause what the database said. It does not cross threads. */
  constructor(code: LedgerFault, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
  }
}

export type LedgerFault =
  /** There is none. */
  | "not_found"
  /** There is no ledger where one was. */
  | "missing"
  /** The secrets that it was written with are gone. */
  | "without_secrets"
  /** There is a ledger already. */
  | "exists"
  /** It was being copied from another database, and that was interrupted. */
  | "unfinished"
  /** Its contents are not what was written. */
  | "damaged"
  /** It cannot be read or written at the moment, or here. */
  | "unavailable"
  /** Its schema is another than this program's. */
  | "other_version"
  /** It does not store every character. */
  | "encoding"
