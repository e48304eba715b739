import type { Settings } from "../config/settings.ts"
import { backupAge } from "../notices/backup-age.ts"
import { databaseOf } from "../store/installation-database.ts"
import type { Check } from "../management/check.ts"
import { formatLength } from "./output.ts"

/** Checks whether the last backup is too old. Returns undefined if there is nothing to back up. */
export async function checkBackup(
  settings: Settings,
  now = Date.now(),
): Promise<Check | undefined> {
  const name = "backup"
  const database = databaseOf(settings)
  if (!(await database.exists())) return undefined
  await using reader = await database.openReader()
  const { last, every, isOverdue } = backupAge(await reader.backups.list(), settings.backup, now)
  const fix =
    settings.database === undefined
      ? "make one with 'tollgate backup', and find out why the last one failed"
      : "check that pg_dump runs, and then 'tollgate backup --record'"
  if (last === null) {
    const found = "no backup was made or recorded with 'tollgate backup'"
    return isOverdue ? { name, result: "warning", found, fix } : { name, result: "ok", found }
  }
  const moment = new Date(last.at).toISOString()
  const interval = every === null ? "" : `; one is expected every ${formatLength(every)}`
  const found = `${formatLength(now - last.at)} old, of ${moment}, at ${last.place}${interval}`
  return isOverdue ? { name, result: "warning", found, fix } : { name, result: "ok", found }
}
