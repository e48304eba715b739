import type { Store } from "../store.ts"
import type { PostgresClient } from "./client.ts"
import { PostgresFailure } from "./failure.ts"
import { listHolds } from "./holds.ts"
import { postBatch } from "./postings.ts"
import { findReceipt } from "./receipts.ts"
import { listWriteOffs } from "./write-offs.ts"

const UNIQUE_VIOLATION = "23505"

export function settlementMethods(client: PostgresClient): Store["settlements"] {
  return {
    listHolds: (account) => listHolds(client, account),
    findReceipt: (request) => client.consistently((statements) => findReceipt(statements, request)),
    listWriteOffs: (accounts, before, limit) => listWriteOffs(client, accounts, { before, limit }),
    /**
     * Nearly no request is in the ledger before: to look for each beforehand costs more than to begin again. A batch
     * recognizes itself, so it may also be repeated when it is not known whether it was done.
     */
    async post(node, batch) {
      try {
        return await postBatch(client, node, batch, false)
      } catch (error) {
        if (!(error instanceof PostgresFailure && error.code === UNIQUE_VIOLATION)) throw error
        return postBatch(client, node, batch, true)
      }
    },
  }
}
