/** A folder or bucket that stores backups. */
export interface BackupDestination {
  /** For people: holds no secret. */
  readonly words: string
  /** The folder in which backups are put together. It may not exist yet. */
  readonly workshop: string
  /** The backups that are whole, the oldest first. */
  names(): Promise<string[]>
  /** Gives a backup its name, when all of it is there: the files of a folder, and the manifest. */
  publish(name: string, folder: string): Promise<void>
  /** Removes what others of an installation have left that were not finished. */
  clean(installation: string): Promise<void>
  remove(name: string): Promise<void>
  /** Undefined where there is none of the name. */
  open(name: string): Promise<StoredBackup | undefined>
}

/** A backup to be read. */
export interface StoredBackup {
  /** Where it is, for people. */
  readonly words: string
  readonly manifest: string
  /** The bytes of one of its files. @throws Error where it is missing. */
  read(path: string): AsyncIterable<Uint8Array>
}

/** `tollgate-<installation>-<time>`: names are in the order of time. */
export const BACKUP_NAME = /^tollgate-(?<installation>[0-9a-f]{12})-\d{8}T\d{9}Z$/

/** The name of an installation's backup of a moment. */
export function backupName(installation: string, at: Date): string {
  return `tollgate-${installation}-${at.toISOString().replace(/[-:.]/g, "")}`
}

/** Which installation a backup is of; undefined where that is not the name of one. */
export function installationIn(name: string): string | undefined {
  return BACKUP_NAME.exec(name)?.groups?.["installation"]
}
