/** Something in the ledger that is not what was written. */
export interface LedgerProblem {
  /** Null when it is not of one account. */
  readonly account: string | null
  /** The entry, or the write-off, that is wrong; null when it is no single one. */
  readonly number: number | null
  readonly fault:
    | "number"
    | "previous_hash"
    | "hash"
    | "balance"
    | "receipt"
    | "posted"
    | "budget"
    | "missing"
    | "leased"
    | "limit"
    | "debt"
    | "write_off"
    | "anchor"
  readonly message: string
}
