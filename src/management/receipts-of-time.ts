import type { ReceiptFilter, ReceiptRecord, SettlementReads } from "../store/settlements.ts"

/** Maximum receipts per read. */
const PAGE = 200

/** Source of receipts. */
export interface ReceiptReader {
  readonly settlements: Pick<SettlementReads, "listReceipts">
}

/** Yields all receipts of a time range, ordered by request id. */
export async function* receiptsOfTime(
  { settlements }: ReceiptReader,
  filter: ReceiptFilter,
): AsyncGenerator<ReceiptRecord> {
  let after = ""
  for (;;) {
    const receipts = await settlements.listReceipts(filter, after, PAGE)
    yield* receipts
    const last = receipts.at(-1)
    if (last === undefined || receipts.length < PAGE) return
    after = last.request
  }
}
