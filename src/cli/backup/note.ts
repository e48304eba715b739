import { COMMAND_LINE } from "../../management/actor.ts"
import { Audit } from "../../management/audit.ts"
import type { BackupRecord } from "../../store/backups.ts"
import type { Database } from "../../store/database.ts"

/**
 * Records a backup in the installation, so that overdue backups are detected.
 * @param name of the backup, for the audit log; absent if another tool made it.
 */
export async function noteBackup(
  database: Database,
  backup: BackupRecord,
  name?: string,
): Promise<void> {
  await using store = await database.openStore()
  const after = { place: backup.place, ...(name !== undefined && { name }) }
  await new Audit(store).perform(COMMAND_LINE, { action: "backup.create", after }, (record) =>
    store.backups.record(backup, record),
  )
}

/** Returns the time of the last backup at a destination in Unix milliseconds; undefined if there is none. */
export async function lastAt(database: Database, place: string): Promise<number | undefined> {
  await using reader = await database.openReader()
  return (await reader.backups.list()).find((backup) => backup.place === place)?.at
}
