/**
 * An error of the database itself, independent of the operation. Its code is plain text, because errors are passed
 * between threads.
 */
export class LedgerError extends Error {
  override readonly name = "LedgerError"
  readonly code: LedgerFault

  /** @param cause the error of the database. It is not passed between threads. */
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
  /** A ledger already exists. */
  | "exists"
  /** A copy from another database was interrupted. */
  | "unfinished"
  /** The stored data is corrupt. */
  | "damaged"
  /** The ledger cannot be read or written, at the moment or from this machine. */
  | "unavailable"
  /** This program does not support the schema of the ledger. */
  | "other_version"
  /** The encoding of the database does not support all characters. */
  | "encoding"
