import type { BatchStep } from "../batches.ts"
import type { DirectStore } from "./direct-store.ts"
import type { Transactions } from "./transactions.ts"

type Methods = Pick<DirectStore, "accounts" | "entries" | "keys">

/** Transactions nest, so the steps are the methods themselves. */
export function batchMethods(transactions: Transactions, methods: Methods): DirectStore["batches"] {
  return {
    write: (steps) =>
      transactions.atomically(() => {
        for (const step of steps) writeStep(methods, step)
      }),
  }
}

function writeStep({ accounts, entries, keys }: Methods, step: BatchStep): unknown {
  switch (step.kind) {
    case "account.create":
      return accounts.create(step.account, step.audit)
    case "account.change":
      return accounts.update(step.id, step.change, step.audit)
    case "account.entry":
      return entries.add(step.entry, step.audit)
    case "key.create":
      return keys.insert(step.key, step.audit)
    case "key.change":
      return keys.update(step.id, step.change, step.audit)
  }
}
