import type { CostCorrection, ReconciliationRecord } from "../reconciliations.ts"
import { refusals } from "../refusals.ts"
import type { TimeRange } from "../settlements.ts"
import type { Store } from "../store.ts"
import { bigints } from "./arrays.ts"
import type { Statements } from "./client.ts"
import type { StoreParts } from "./store-parts.ts"

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

export function reconciliationMethods({ client, audited }: StoreParts): Store["reconciliations"] {
  return {
    list: () => list(client),
    listCorrections: (range) => listCorrections(client, range),
    save: (record, corrections, audit) =>
      audited(audit, (transaction) => save(transaction, record, corrections)),
  }
}

async function list(statements: Statements): Promise<ReconciliationRecord[]> {
  const rows = await statements.rows<ReconciliationRow>(
    "SELECT provider, number, at, body FROM reconciliations ORDER BY provider",
  )
  return rows.map(({ number, at, ...row }) => ({ ...row, number: Number(number), at: Number(at) }))
}

async function listCorrections(
  statements: Statements,
  { from, until }: TimeRange,
): Promise<CostCorrection[]> {
  const rows = await statements.rows<CorrectionRow>(
    `SELECT provider, day, amount FROM provider_corrections WHERE day >= $1 AND day < $2
     ORDER BY day, provider, number`,
    [BigInt(from), BigInt(until)],
  )
  return rows.map((row) => ({ ...row, day: Number(row.day) }))
}

async function save(
  transaction: Statements,
  { provider, number, at, body }: ReconciliationRecord,
  corrections: readonly CostCorrection[],
): Promise<void> {
  const changes = await transaction.run(
    `INSERT INTO reconciliations AS last (provider, number, at, body) VALUES ($1, $2, $3, $4)
     ON CONFLICT (provider) DO UPDATE SET number = excluded.number, at = excluded.at, body = excluded.body
     WHERE last.number = excluded.number - 1`,
    [provider, BigInt(number), BigInt(at), body],
  )
  if (changes === 0) throw refusals.wasReconciled(provider)
  await transaction.run(
    `INSERT INTO provider_corrections (provider, day, number, amount)
     SELECT $1, day, $2, amount FROM unnest($3::bigint[], $4::bigint[]) AS new (day, amount)`,
    [
      provider,
      BigInt(number),
      bigints(corrections.map(({ day }) => BigInt(day))),
      bigints(corrections.map(({ amount }) => amount)),
    ],
  )
}
