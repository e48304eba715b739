/** A difference between the ledger and its original content. */
export interface LedgerProblem {
  /** The affected account; null if the problem does not belong to one account. */
  readonly account: string | null
  /** The number of the invalid entry or write-off; null if the problem does not concern a single row. */
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
