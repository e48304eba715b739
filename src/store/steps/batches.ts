import type { BatchStep } from "../batches.ts"
import type { Store } from "../store.ts"
import { createAccount, updateAccount } from "./accounts.ts"
import { audited } from "./audit.ts"
import { addReceived } from "./entries.ts"
import { insertKey, updateKey } from "./keys.ts"
import { longTransaction, type Step, type StepMethods } from "./step.ts"

export const batchSteps: StepMethods<Store["batches"]> = { write: longTransaction(write) }

function* write(steps: readonly BatchStep[]): Step<void> {
  for (const step of steps) yield* audited<unknown>(step.audit, stepOf(step))
}

function stepOf(step: BatchStep): Step<unknown> {
  switch (step.kind) {
    case "account.create":
      return createAccount(step.account)
    case "account.change":
      return updateAccount(step.id, step.change)
    case "account.entry":
      return addReceived(step.entry)
    case "key.create":
      return insertKey(step.key)
    case "key.change":
      return updateKey(step.id, step.change)
  }
}
