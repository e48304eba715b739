import type { NewAuditRecord } from "./audit.ts"

/** Times are Unix milliseconds; amounts are nanocredits. */

export interface AccountRecord {
  readonly id: string
  readonly name: string
  readonly createdAt: number
  /** The posted sum: what all entries add up to. */
  readonly balance: bigint
  /** The part of the balance that nodes hold leases on. */
  readonly leased: bigint
  /** What it owes: while that is above zero, its credits pay for no request. */
  readonly debt: bigint
  /** Whether prompts and answers of its requests are stored. */
  readonly storesContent: boolean
}

/** What may be changed of an account; what is absent stays. */
export interface AccountChange {
  readonly name?: string
  readonly storesContent?: boolean
}

export type NewAccount = Pick<AccountRecord, "id" | "name" | "createdAt">

export interface AccountReads {
  /** By id or by name. */
  find(idOrName: string): Promise<AccountRecord | null>
  /** In the order in which they were created. */
  list(): Promise<AccountRecord[]>
}

export interface AccountWrites {
  /** @throws StoreError `exists` when the name is taken. */
  create(account: NewAccount, audit: NewAuditRecord): Promise<AccountRecord>
  /** @throws StoreError `not_found`, or `exists` when the name is taken. */
  update(id: string, change: AccountChange, audit: NewAuditRecord): Promise<AccountRecord>
}
