import type { CostCorrection, ReconciliationRecord } from "../reconciliations.ts"
import { rejections } from "../rejections.ts"
import type { TimeRange } from "../settlements.ts"
import type { Store } from "../store.ts"
import { audited } from "./audit.ts"
import { sql } from "./sql.ts"
import { rows, run, statements, type Step, type StepMethods, transaction } from "./step.ts"

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

export const reconciliationSteps: StepMethods<Store["reconciliations"]> = {
  list: statements(list),
  listCorrections: statements(listCorrections),
  save: transaction((record, corrections, audit) => audited(audit, save(record, corrections))),
}

function* list(): Step<ReconciliationRecord[]> {
  const found = yield* rows<ReconciliationRow>(
    sql`SELECT provider, number, at, body FROM reconciliations ORDER BY provider`,
  )
  return found.map(({ number, at, ...row }) => ({ ...row, number: Number(number), at: Number(at) }))
}

function* listCorrections({ from, until }: TimeRange): Step<CostCorrection[]> {
  const found = yield* rows<CorrectionRow>(
    sql`SELECT provider, day, amount FROM provider_corrections WHERE day >= ${from} AND day < ${until}
      ORDER BY day, provider, number`,
  )
  return found.map((row) => ({ ...row, day: Number(row.day) }))
}

function* save(
  { provider, number, at, body }: ReconciliationRecord,
  corrections: readonly CostCorrection[],
): Step<void> {
  const changed = yield* run(
    sql`INSERT INTO reconciliations (provider, number, at, body) VALUES (${provider}, ${number}, ${at}, ${body})
      ON CONFLICT (provider) DO UPDATE SET number = excluded.number, at = excluded.at, body = excluded.body
      WHERE reconciliations.number = excluded.number - 1`,
  )
  if (changed === 0) throw rejections.wasReconciled(provider)
  for (const { day, amount } of corrections) {
    yield* run(
      sql`INSERT INTO provider_corrections (provider, day, number, amount)
        VALUES (${provider}, ${day}, ${number}, ${amount})`,
    )
  }
}
