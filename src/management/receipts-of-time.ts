import type { ReceiptFilter, ReceiptRecord, SettlementReads } from "../store/settlements.ts"

/** Receipts that are read at once. */
const PAGE = 200

/** What receipts are read from. */
export interface ReceiptReader {
  readonly settlements: Pick<SettlementReads, "listReceipts">
}

/** All receipts of a time, in the order of the requests' ids. */
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
