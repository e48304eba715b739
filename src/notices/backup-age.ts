import type { BackupSettings } from "../config/sections/storage.ts"
import type { BackupRecord } from "../store/backups.ts"

/** A backup is overdue half an interval after the next one was to be made: it takes a while, and may be tried again. */
const GRACE = 1.5

/** Backups as they are to be watched. */
export interface BackupAge {
  /** Null: none was made. */
  readonly last: BackupRecord | null
  /** How long after one the next is to be made, milliseconds; null: nobody wants to know. */
  readonly every: number | null
  readonly isOverdue: boolean
}

/**
 * Whether the last backup is too old: by the settings, or else by the interval of the last one that had one.
 * @param backups the newest first.
 */
export function backupAge(
  backups: readonly BackupRecord[],
  { every: wanted }: BackupSettings,
  now: number,
): BackupAge {
  const last = backups[0] ?? null
  const own = backups.find((backup) => backup.every !== null)?.every ?? null
  const every = wanted === "off" ? null : (wanted ?? own)
  const isOverdue = every !== null && (last === null || now > last.at + every * GRACE)
  return { last, every, isOverdue }
}
