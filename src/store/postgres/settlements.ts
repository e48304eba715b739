import { refusals } from "../refusals.ts"
import type { Batch } from "../settlements.ts"
import { findPrunedRows } from "../steps/pruned-rows.ts"
import type { SharedSettlements } from "../steps/settlements.ts"
import type { Store } from "../store.ts"
import type { PostgresClient } from "./client.ts"
import { PostgresFailure } from "./failure.ts"
import { postBatch } from "./postings.ts"
import { findReceipt, findReceipts, listReceipts } from "./receipts.ts"
import { runStep } from "./run-steps.ts"

const UNIQUE_VIOLATION = "23505"

/** Rows are removed that are older than this, at the earliest. Milliseconds. */
const OLD = 31 * 24 * 60 * 60_000

/**
 * A request whose receipt would have been removed by now may have been charged: it cannot be recognized any more.
 * @throws StoreError `expired`.
 */
async function requireKnowable(client: PostgresClient, { postings }: Batch): Promise<void> {
  const oldest = postings.reduce((at, posting) => Math.min(at, posting.at), Infinity)
  if (oldest > Date.now() - OLD) return
  const { until } = await runStep(client, findPrunedRows())
  if (oldest < until) throw refusals.requestIsTooOld(new Date(until).toISOString())
}

export function settlementMethods(
  client: PostgresClient,
): Omit<Store["settlements"], keyof SharedSettlements> {
  return {
    findReceipt: (request) => client.consistently((statements) => findReceipt(statements, request)),
    findReceipts: (requests, range) =>
      client.consistently((statements) => findReceipts(statements, requests, range)),
    listReceipts: (filter, after, limit) =>
      client.consistently((statements) => listReceipts(statements, filter, { after, limit })),
    /**
     * Nearly no request is in the ledger before: to look for each beforehand costs more than to begin again. A batch
     * recognizes itself, so it may also be repeated when it is not known whether it was done.
     */
    async post(node, batch) {
      await requireKnowable(client, batch)
      try {
        return await postBatch(client, node, batch, false)
      } catch (error) {
        if (!isOf(error, UNIQUE_VIOLATION)) throw storeErrorOf(error)
      }
      try {
        return await postBatch(client, node, batch, true)
      } catch (error) {
        throw storeErrorOf(error)
      }
    },
  }
}

function isOf(error: unknown, code: string): boolean {
  return error instanceof PostgresFailure && error.code === code
}

function storeErrorOf(error: unknown): unknown {
  if (!(error instanceof PostgresFailure) || !error.isOfInput) return error
  return isOf(error, UNIQUE_VIOLATION) ? error : refusals.cannotBeStored(error.message)
}
