import type { Database } from "bun:sqlite"
import type { CostCorrection, ReconciliationRecord } from "../reconciliations.ts"
import { refusals } from "../refusals.ts"
import type { TimeRange } from "../settlements.ts"
import type { DirectStore } from "./direct-store.ts"
import type { Transactions } from "./transactions.ts"

interface ReconciliationRow {
  readonly provider: string
  readonly number: bigint
  readonly at: bigint
  readonly body: string
}

interface CorrectionRow {
  readonly provider: string
  readonly day: bigint
  readonly amount: bigint
}

export function reconciliationMethods(
  transactions: Transactions,
  database: Database,
): DirectStore["reconciliations"] {
  return {
    list: () => list(database),
    listCorrections: (range) => listCorrections(database, range),
    save: (record, corrections, audit) =>
      transactions.audited(audit, () => save(database, record, corrections)),
  }
}

function list(database: Database): ReconciliationRecord[] {
  return database
    .query<ReconciliationRow, []>(
      "SELECT provider, number, at, body FROM reconciliations ORDER BY provider",
    )
    .all()
    .map(({ number, at, ...row }) => ({ ...row, number: Number(number), at: Number(at) }))
}

function listCorrections(database: Database, { from, until }: TimeRange): CostCorrection[] {
  return database
    .query<CorrectionRow, [bigint, bigint]>(
      `SELECT provider, day, amount FROM provider_corrections WHERE day >= ? AND day < ?
       ORDER BY day, provider, number`,
    )
    .all(BigInt(from), BigInt(until))
    .map((row) => ({ ...row, day: Number(row.day) }))
}

function save(
  database: Database,
  { provider, number, at, body }: ReconciliationRecord,
  corrections: readonly CostCorrection[],
): void {
  const { changes } = database.run(
    `INSERT INTO reconciliations (provider, number, at, body) VALUES (?, ?, ?, ?)
     ON CONFLICT (provider) DO UPDATE SET number = excluded.number, at = excluded.at, body = excluded.body
     WHERE number = excluded.number - 1`,
    [provider, BigInt(number), BigInt(at), body],
  )
  if (changes === 0) throw refusals.wasReconciled(provider)
  for (const { day, amount } of corrections) {
    database.run(
      "INSERT INTO provider_corrections (provider, day, number, amount) VALUES (?, ?, ?, ?)",
      [provider, BigInt(day), BigInt(number), amount],
    )
  }
}
