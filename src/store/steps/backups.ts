import type { BackupRecord } from "../backups.ts"
import type { Store } from "../store.ts"
import { audited } from "./audit.ts"
import { RecordColumns } from "./record-columns.ts"
import { sql } from "./sql.ts"
import { run, statements, type Step, type StepMethods, transaction } from "./step.ts"

const BACKUP = new RecordColumns<BackupRecord>({ place: "text", at: "number", every: "number" })

export const backupSteps: StepMethods<Store["backups"]> = {
  list: statements(list),
  record: transaction((backup, audit) => audited(audit, record(backup))),
}

function list(): Step<BackupRecord[]> {
  return BACKUP.rows(sql`SELECT ${BACKUP.selected} FROM backups ORDER BY at DESC, place`)
}

function* record(backup: BackupRecord): Step<void> {
  yield* run(
    sql`INSERT INTO backups (${BACKUP.names}) VALUES (${BACKUP.values(backup)})
      ON CONFLICT (place) DO UPDATE SET at = excluded.at, every = coalesce(excluded.every, backups.every)`,
  )
}
