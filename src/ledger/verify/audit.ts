import type { ChainEnd } from "../../accounting/anchor.ts"
import type { AuditRecord } from "../../accounting/chained-records.ts"
import { GENESIS_HASH, hashAudit } from "../../accounting/hash-chain.ts"
import type { StoreReader } from "../../store/store.ts"

/** How many records are read at once. */
const PAGE = 500

export interface AuditVerdict {
  readonly records: number
  /** The first invalid record; what follows it cannot be checked. */
  readonly problem: { readonly number: number; readonly message: string } | null
}

/**
 * Checks the audit log: numbers without gaps, each hash over the record and the hash before. Safe during
 * writes.
 * @param ends the log's ends according to the anchors.
 */
export async function verifyAudit(
  store: Pick<StoreReader, "audit">,
  ends: readonly ChainEnd[] = [],
): Promise<AuditVerdict> {
  const missing = new Set(ends.map(({ number }) => number))
  let records = 0
  let later: AuditRecord | undefined
  let problem: AuditVerdict["problem"] = null
  // From the newest to the oldest: the last problem found is the first of the log.
  for (;;) {
    const page: AuditRecord[] = await store.audit.list({}, later?.number ?? null, PAGE)
    for (const record of page) {
      problem = (later && linkFault(record, later)) ?? problem
      if (record.hash !== hashAudit(record)) {
        problem = { number: record.number, message: "it was changed after it was written" }
      }
      if (ends.some(({ number, hash }) => number === record.number && hash !== record.hash)) {
        problem = { number: record.number, message: "it is another than the anchor has seen" }
      }
      missing.delete(record.number)
      later = record
      records++
    }
    if (page.length < PAGE) break
  }
  if (later && later.number !== 1) problem = { number: 1, message: "it is missing" }
  else if (later && later.previousHash !== GENESIS_HASH) {
    problem = { number: 1, message: "it does not begin the log" }
  }
  const cut = [...missing].find((number) => number > 0)
  if (cut !== undefined) problem ??= { number: cut, message: "it is missing" }
  return { records, problem }
}

function linkFault(record: AuditRecord, later: AuditRecord): AuditVerdict["problem"] {
  if (later.number !== record.number + 1) {
    return { number: record.number + 1, message: "it is missing" }
  }
  if (later.previousHash === record.hash) return null
  return { number: later.number, message: "it does not follow the record before it" }
}
