import type { BackupRecord } from "../backups.ts"
import type { Store } from "../store.ts"
import { audited } from "./audit.ts"
import { numberOrNull, sql } from "./sql.ts"
import { rows, run, statements, type Step, type StepMethods, transaction } from "./step.ts"

interface BackupRow {
  readonly place: string
  readonly at: bigint
  readonly every: bigint | null
}

export const backupSteps: StepMethods<Store["backups"]> = {
  list: statements(list),
  record: transaction((backup, audit) => audited(audit, record(backup))),
}

function* list(): Step<BackupRecord[]> {
  const found = yield* rows<BackupRow>(
    sql`SELECT place, at, every FROM backups ORDER BY at DESC, place`,
  )
  return found.map(({ place, at, every }) => ({
    place,
    at: Number(at),
    every: numberOrNull(every),
  }))
}

function* record({ place, at, every }: BackupRecord): Step<void> {
  yield* run(
    sql`INSERT INTO backups (place, at, every) VALUES (${place}, ${at}, ${every})
      ON CONFLICT (place) DO UPDATE SET at = excluded.at, every = coalesce(excluded.every, backups.every)`,
  )
}
