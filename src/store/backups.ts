import type { NewAuditRecord } from "./audit.ts"

/** The latest backup at one destination. */
export interface BackupRecord {
  /** The destination, for display. It contains no secret and identifies the record. */
  readonly place: string
  /** Unix milliseconds. */
  readonly at: number
  /** The time until the next backup in milliseconds; null if unknown. */
  readonly every: number | null
}

export interface BackupReads {
  /** Lists all backups, newest first. */
  list(): Promise<BackupRecord[]>
}

export interface BackupWrites {
  /** Replaces the record of the same destination. If the new interval is unknown, the old one is kept. */
  record(backup: BackupRecord, audit: NewAuditRecord): Promise<void>
}
