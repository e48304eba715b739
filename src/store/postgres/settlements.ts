import { rejections } from "../rejections.ts"
import type { Batch } from "../settlements.ts"
import { findPrunedRows } from "../steps/integrity.ts"
import type { SharedSettlements } from "../steps/settlements.ts"
import type { Store } from "../store.ts"
import type { PostgresClient } from "./client.ts"
import { PostgresFailure } from "./failure.ts"
import { postBatch } from "./postings.ts"
import { findReceipt, findReceipts, listReceipts } from "./receipts.ts"
import { runStep } from "./run-steps.ts"

const UNIQUE_VIOLATION = "23505"

/** Minimum age of rows that may be pruned. */
const MIN_PRUNED_AGE_MS = 31 * 24 * 60 * 60_000

/**
 * Rejects requests so old that their receipts would already be pruned. They may have been charged, but a repetition
 * could not be detected.
 * @throws StoreError `expired`.
 */
async function requireKnowable(client: PostgresClient, { postings }: Batch): Promise<void> {
  const oldest = postings.reduce((at, posting) => Math.min(at, posting.at), Infinity)
  if (oldest > Date.now() - MIN_PRUNED_AGE_MS) return
  const { until } = await runStep(client, findPrunedRows())
  if (oldest < until) throw rejections.requestIsTooOld(new Date(until).toISOString())
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
     * Repetitions are rare, so checking for them first would cost more than a second attempt. A batch detects its own
     * repetition, so it may also be repeated if its outcome is unclear.
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
  return isOf(error, UNIQUE_VIOLATION) ? error : rejections.cannotBeStored(error.message)
}
