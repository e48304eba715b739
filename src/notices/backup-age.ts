import type { BackupSettings } from "../config/sections/storage.ts"
import type { BackupRecord } from "../store/backups.ts"

/** A backup is overdue after this many intervals. The additional half allows for its duration and for a retry. */
const OVERDUE_FACTOR = 1.5

/** The state of the backups, for notices and metrics. */
export interface BackupAge {
  /** The latest backup; null if no backup was ever made. */
  readonly last: BackupRecord | null
  /** Expected interval between backups in milliseconds; null if backups are not monitored. */
  readonly every: number | null
  readonly isOverdue: boolean
}

/**
 * Determines whether the latest backup is too old. The interval comes from the settings, or from the newest backup with
 * an interval.
 * @param backups newest first.
 */
export function backupAge(
  backups: readonly BackupRecord[],
  { every: wanted }: BackupSettings,
  now: number,
): BackupAge {
  const last = backups[0] ?? null
  const own = backups.find((backup) => backup.every !== null)?.every ?? null
  const every = wanted === "off" ? null : (wanted ?? own)
  const isOverdue = every !== null && (last === null || now > last.at + every * OVERDUE_FACTOR)
  return { last, every, isOverdue }
}
