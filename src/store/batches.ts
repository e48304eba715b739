import type { AccountChange, NewAccount } from "./accounts.ts"
import type { NewAuditRecord } from "./audit.ts"
import type { NewEntry } from "./entries.ts"
import type { KeyChange, NewKey } from "./keys.ts"

/** One write of a batch, with its audit record. */
export type BatchStep = { readonly audit: NewAuditRecord } & (
  | { readonly kind: "account.create"; readonly account: NewAccount }
  | { readonly kind: "account.change"; readonly id: string; readonly change: AccountChange }
  | { readonly kind: "account.entry"; readonly entry: NewEntry }
  | { readonly kind: "key.create"; readonly key: NewKey }
  | { readonly kind: "key.change"; readonly id: string; readonly change: KeyChange }
)

/** Writes changes that belong together, such as those of an import. */
export interface BatchWrites {
  /**
   * Writes all steps in order, in one transaction.
   * @throws the StoreError of the first rejected step. Nothing is written in that case.
   */
  write(steps: readonly BatchStep[]): Promise<void>
}
