import type { CostCorrection, ReconciliationRecord } from "../reconciliations.ts"
import { rejections } from "../rejections.ts"
import type { TimeRange } from "../settlements.ts"
import type { Store } from "../store.ts"
import { audited } from "./audit.ts"
import { RecordColumns } from "./record-columns.ts"
import { sql } from "./sql.ts"
import { run, statements, type Step, type StepMethods, transaction } from "./step.ts"

const RECONCILIATION = new RecordColumns<ReconciliationRecord>({
  provider: "text",
  number: "number",
  at: "number",
  body: "text",
})
const CORRECTION = new RecordColumns<CostCorrection>({
  provider: "text",
  day: "number",
  amount: "bigint",
})

export const reconciliationSteps: StepMethods<Store["reconciliations"]> = {
  list: statements(list),
  listCorrections: statements(listCorrections),
  save: transaction((record, corrections, audit) => audited(audit, save(record, corrections))),
}

function list(): Step<ReconciliationRecord[]> {
  return RECONCILIATION.rows(
    sql`SELECT ${RECONCILIATION.selected} FROM reconciliations ORDER BY provider`,
  )
}

function listCorrections({ from, until }: TimeRange): Step<CostCorrection[]> {
  return CORRECTION.rows(
    sql`SELECT ${CORRECTION.selected} FROM provider_corrections WHERE day >= ${from} AND day < ${until}
      ORDER BY day, provider, number`,
  )
}

function* save(record: ReconciliationRecord, corrections: readonly CostCorrection[]): Step<void> {
  const changed = yield* run(
    sql`INSERT INTO reconciliations (${RECONCILIATION.names}) VALUES (${RECONCILIATION.values(record)})
      ON CONFLICT (provider) DO UPDATE SET number = excluded.number, at = excluded.at, body = excluded.body
      WHERE reconciliations.number = excluded.number - 1`,
  )
  if (changed === 0) throw rejections.wasReconciled(record.provider)
  for (const correction of corrections) {
    yield* run(
      sql`INSERT INTO provider_corrections (${CORRECTION.names}, number)
        VALUES (${CORRECTION.values(correction)}, ${record.number})`,
    )
  }
}
