import type { ChainEnd } from "../../accounting/anchor.ts"
import type { WriteOffRecord } from "../../accounting/chained-records.ts"
import { GENESIS_HASH, hashWriteOff } from "../../accounting/hash-chain.ts"
import type { StoreReader } from "../../store/store.ts"
import type { LedgerProblem } from "./problem.ts"

/** Number of records that are read at once. */
const PAGE = 500

export interface WriteOffsVerdict {
  readonly writeOffs: number
  readonly problem: LedgerProblem | null
}

/**
 * Checks the write-offs. Numbers must have no gaps, each hash must cover the line and the previous hash, and no line
 * covered by an anchor may be missing. Safe during writes.
 */
export async function verifyWriteOffs(
  store: Pick<StoreReader, "settlements">,
  ends: readonly ChainEnd[],
): Promise<WriteOffsVerdict> {
  let writeOffs = 0
  let later: WriteOffRecord | undefined
  let problem: LedgerProblem | null = null
  const seen = new Map(ends.map(({ number, hash }) => [number, hash]))
  // The chain is read from the newest to the oldest line, so the last problem found is the first in the chain.
  for (;;) {
    const page: WriteOffRecord[] = await store.settlements.listWriteOffs(
      undefined,
      later?.number ?? null,
      PAGE,
    )
    for (const record of page) {
      const message = faultOf(record, later, seen)
      if (message !== undefined) problem = problemOf(record, message)
      seen.delete(record.number)
      later = record
      writeOffs++
    }
    if (page.length < PAGE) break
  }
  if (later && (later.number !== 1 || later.previousHash !== GENESIS_HASH)) {
    problem = problemOf({ account: null, number: 1 }, "it is missing")
  }
  const cut = [...seen.keys()].find((number) => number > 0)
  if (cut !== undefined) problem ??= problemOf({ account: null, number: cut }, "it is missing")
  return { writeOffs, problem }
}

function faultOf(
  record: WriteOffRecord,
  later: WriteOffRecord | undefined,
  seen: ReadonlyMap<number, string>,
): string | undefined {
  if (record.hash !== hashWriteOff(record)) return "it was changed after it was written"
  if (later && later.number !== record.number + 1) return "the one after it is missing"
  if (later && later.previousHash !== record.hash) return "the one after it does not follow it"
  const anchored = seen.get(record.number)
  return anchored === undefined || anchored === record.hash
    ? undefined
    : "it differs from the one that an anchor covers"
}

function problemOf(
  place: Pick<LedgerProblem, "account" | "number">,
  message: string,
): LedgerProblem {
  return { ...place, fault: "write_off", message: `write-off: ${message}` }
}
