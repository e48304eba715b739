import type { ChainEnd } from "../../accounting/anchor.ts"
import type { AuditRecord } from "../../accounting/chained-records.ts"
import { GENESIS_HASH, hashAudit } from "../../accounting/hash-chain.ts"
import type { StoreReader } from "../../store/store.ts"
import { Redactions } from "./redactions.ts"

/** Number of records that are read at once. */
const PAGE = 500
/** Maximum attempts if names are erased during the verification. */
const MAX_ATTEMPTS = 5

type AuditReader = Pick<StoreReader, "audit" | "personKeys">

export interface AuditVerdict {
  readonly records: number
  /** The first invalid record. Later records cannot be checked. */
  readonly problem: { readonly number: number; readonly message: string } | null
}

/**
 * Checks the audit log. Numbers must have no gaps, each hash must cover the record and the previous hash, and the
 * redactions of erased people must be authorized. Safe during writes.
 * @param ends the ends of the log according to the anchors.
 */
export async function verifyAudit(
  store: AuditReader,
  ends: readonly ChainEnd[] = [],
): Promise<AuditVerdict> {
  for (let attempt = 1; ; attempt++) {
    const redactions = await Redactions.read(store)
    const verdict = await verifyOnce(store, ends, redactions)
    if (verdict.problem === null || attempt === MAX_ATTEMPTS) return verdict
    // A name that was erased during the verification makes its record look changed.
    if ((await Redactions.read(store)).count === redactions.count) return verdict
  }
}

async function verifyOnce(
  store: AuditReader,
  ends: readonly ChainEnd[],
  redactions: Redactions,
): Promise<AuditVerdict> {
  const missing = new Set(ends.map(({ number }) => number))
  let records = 0
  let later: AuditRecord | undefined
  let problem: AuditVerdict["problem"] = null
  // The log is read from the newest to the oldest record, so the last problem found is the first in the log.
  for (;;) {
    const page: AuditRecord[] = await store.audit.list({}, later?.number ?? null, PAGE)
    for (const record of page) {
      problem = (later && linkFault(record, later)) ?? problem
      problem = contentFault(record, redactions) ?? problem
      if (ends.some(({ number, hash }) => number === record.number && hash !== record.hash)) {
        problem = {
          number: record.number,
          message: "it differs from the one that an anchor covers",
        }
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

function contentFault(record: AuditRecord, redactions: Redactions): AuditVerdict["problem"] {
  const { number } = record
  if (record.hash !== hashAudit(record) && !redactions.hasAudit(record)) {
    return { number, message: "it was changed after it was written" }
  }
  if (redactions.areThoseOf(record)) return null
  return { number, message: "it does not cover the names that were removed" }
}

function linkFault(record: AuditRecord, later: AuditRecord): AuditVerdict["problem"] {
  if (later.number !== record.number + 1) {
    return { number: record.number + 1, message: "it is missing" }
  }
  if (later.previousHash === record.hash) return null
  return { number: later.number, message: "it does not follow the record before it" }
}
