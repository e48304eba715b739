/** A fault of the database itself, independent of the operation. Errors cross threads, so codes are plain text. */
export class LedgerError extends Error {
  override readonly name = "LedgerError"
  readonly code: LedgerFault

  /** @param cause the error of the database. It does not cross threads. */
  constructor(code: LedgerFault, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
  }
}

export type LedgerFault =
  /** The database does not exist. */
  | "not_found"
  /** The ledger was lost. */
  | "missing"
  /** The secrets of the ledger were lost. */
  | "without_secrets"
  /** A ledger exists already. */
  | "exists"
  /** A copy from another database was interrupted. */
  | "unfinished"
  /** The stored data is corrupt. */
  | "damaged"
  /** It cannot be read or written at the moment, or from here. */
  | "unavailable"
  /** This program does not support its schema. */
  | "other_version"
  /** Its encoding does not support every character. */
  | "encoding"
