import type { NewAuditRecord } from "./audit.ts"

/** The last backup at one place. */
export interface BackupRecord {
  /** The place, for display. It contains no secret and identifies the record. */
  readonly place: string
  /** Unix milliseconds. */
  readonly at: number
  /** The interval to the next backup in milliseconds; null if unknown. */
  readonly every: number | null
}

export interface BackupReads {
  /** Lists all backups, newest first. */
  list(): Promise<BackupRecord[]>
}

export interface BackupWrites {
  /** Replaces the record of the same place. The old interval is kept if the new one is unknown. */
  note(backup: BackupRecord, audit: NewAuditRecord): Promise<void>
}
