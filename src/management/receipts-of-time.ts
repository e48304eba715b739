import type { ReceiptFilter, ReceiptRecord, SettlementReads } from "../store/settlements.ts"

const PAGE_SIZE = 200

export interface ReceiptReader {
  readonly settlements: Pick<SettlementReads, "listReceipts">
}

/** Reads all receipts of a time range, in the order of the request ids. */
export async function* receiptsOfTime(
  { settlements }: ReceiptReader,
  filter: ReceiptFilter,
): AsyncGenerator<ReceiptRecord> {
  let after = ""
  for (;;) {
    const receipts = await settlements.listReceipts(filter, after, PAGE_SIZE)
    yield* receipts
    const last = receipts.at(-1)
    if (last === undefined || receipts.length < PAGE_SIZE) return
    after = last.request
  }
}
