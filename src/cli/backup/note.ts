import { COMMAND_LINE } from "../../management/actor.ts"
import { Audit } from "../../management/audit.ts"
import type { BackupRecord } from "../../store/backups.ts"
import type { Database } from "../../store/database.ts"

/**
 * Notes in the installation that there is a backup, so that it can be seen when the next one is overdue.
 * @param name of the backup, for the audit log; absent: another tool has made it.
 */
export async function noteBackup(
  database: Database,
  backup: BackupRecord,
  name?: string,
): Promise<void> {
  await using store = await database.openStore()
  const after = { place: backup.place, ...(name !== undefined && { name }) }
  await new Audit(store).perform(COMMAND_LINE, { action: "backup.create", after }, (record) =>
    store.backups.note(backup, record),
  )
}

/** When the last one at a place was made, Unix milliseconds; undefined: none was. */
export async function lastAt(database: Database, place: string): Promise<number | undefined> {
  await using reader = await database.openReader()
  return (await reader.backups.list()).find((backup) => backup.place === place)?.at
}
