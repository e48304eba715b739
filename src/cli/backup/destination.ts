/** A folder or bucket that stores backups. */
export interface BackupDestination {
  /** Description for display, without secrets. */
  readonly words: string
  /** The folder for assembling backups. It may not exist yet. */
  readonly workshop: string
  /** Returns the names of complete backups, oldest first. */
  names(): Promise<string[]>
  /** Publishes a complete backup under its name. The backup consists of the files of a folder and its manifest. */
  publish(name: string, folder: string): Promise<void>
  /** Removes incomplete backups of an installation. */
  clean(installation: string): Promise<void>
  remove(name: string): Promise<void>
  /** Opens a backup; undefined if there is none with this name. */
  open(name: string): Promise<StoredBackup | undefined>
}

/** A backup that can be read. */
export interface StoredBackup {
  /** The location of the backup, for display. */
  readonly words: string
  readonly manifest: string
  /**
   * Reads a file of the backup.
   * @throws Error if the file is missing.
   */
  read(path: string): AsyncIterable<Uint8Array>
}

/** `tollgate-<installation>-<time>`. Names sort chronologically. */
export const BACKUP_NAME = /^tollgate-(?<installation>[0-9a-f]{12})-\d{8}T\d{9}Z$/

/** Returns the name of an installation's backup at a moment. */
export function backupName(installation: string, at: Date): string {
  return `tollgate-${installation}-${at.toISOString().replace(/[-:.]/g, "")}`
}

/** Returns the installation of a backup; undefined if the name does not belong to a backup. */
export function installationIn(name: string): string | undefined {
  return BACKUP_NAME.exec(name)?.groups?.["installation"]
}

/** Maximum characters of a manifest. The limit is high, because a manifest lists every file stored for callers. */
const MAX_MANIFEST_CHARACTERS = 512 * 1024 * 1024

/** Reads the text of a manifest. */
export async function textOf(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ""
  for await (const chunk of bytes) {
    text += decoder.decode(chunk, { stream: true })
    // Limits the memory that an endless response can use.
    if (text.length > MAX_MANIFEST_CHARACTERS) break
  }
  return text
}
