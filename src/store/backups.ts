import type { NewAuditRecord } from "./audit.ts"

/** A backup that was made. */
export interface BackupRecord {
  /** Where it is, for people: holds no secret. One record for each place, of its last backup. */
  readonly place: string
  /** Unix milliseconds. */
  readonly at: number
  /** How long after it the next one is to be made, milliseconds; null if unknown. */
  readonly every: number | null
}

export interface BackupReads {
  /** The newest first. */
  list(): Promise<BackupRecord[]>
}

export interface BackupWrites {
  /** Takes the place of the record of the same place, and keeps its interval where the new one has none. */
  note(backup: BackupRecord, audit: NewAuditRecord): Promise<void>
}
