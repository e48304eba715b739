import type { BatchStep } from "../batches.ts"
import type { Store } from "../store.ts"
import { createAccount, updateAccount } from "./accounts.ts"
import { appendAudit } from "../steps/audit.ts"
import { runStep } from "./run-steps.ts"
import type { PostgresClient, Transaction } from "./client.ts"
import { addReceived } from "./entries.ts"
import { insertKey, updateKey } from "./keys.ts"

/** A batch may be long, so it has a connection of its own and no time limit. */
export function batchMethods(client: PostgresClient): Store["batches"] {
  return {
    write: (steps) =>
      client.atLength(async (transaction) => {
        for (const step of steps) {
          await writeStep(transaction, step)
          await runStep(transaction, appendAudit(step.audit))
        }
      }, "READ COMMITTED"),
  }
}

function writeStep(transaction: Transaction, step: BatchStep): Promise<unknown> {
  switch (step.kind) {
    case "account.create":
      return createAccount(transaction, step.account)
    case "account.change":
      return updateAccount(transaction, step.id, step.change)
    case "account.entry":
      return addReceived(transaction, step.entry)
    case "key.create":
      return insertKey(transaction, step.key)
    case "key.change":
      return updateKey(transaction, step.id, step.change)
  }
}
