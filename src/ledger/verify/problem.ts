/** Something in the ledger that differs from what was written. */
export interface LedgerProblem {
  /** Null when it does not belong to one account. */
  readonly account: string | null
  /** The invalid entry or write-off; null when it is not a single one. */
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
