/** A difference between the ledger and its original content. */
export interface LedgerProblem {
  /** Null if it does not belong to one account. */
  readonly account: string | null
  /** The invalid entry or write-off; null if it is not a single one. */
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
