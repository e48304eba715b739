import { createHash } from "node:crypto"
import {
  copyFileSync,
  createReadStream,
  existsSync,
  readdirSync,
  statfsSync,
  statSync,
} from "node:fs"
import { chmod, rm, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { openSecrets } from "../../app/open-secrets.ts"
import type { LoadedSettings } from "../../config/load.ts"
import { anchorPath } from "../../ledger/anchor-file.ts"
import { SECRET_NAMES } from "../../secrets/installation-secrets.ts"
import { writeSecret } from "../../secrets/secret-folder.ts"
import type { Database } from "../../store/database.ts"
import type { FileKind } from "../../store/kept-files.ts"
import { LedgerError } from "../../store/ledger-error.ts"
import { isDiskError } from "../system-code.ts"
import { CommandError } from "../exit-codes.ts"
import { formatBytes } from "../output.ts"
import { keepOnDisk, makeFolder, partOf } from "./folder-destination.ts"
import {
  type BackedUpFile,
  installationOf,
  isBackedUp,
  MANIFEST,
  manifestText,
  SETTINGS,
} from "./manifest.ts"
import { backupName, type BackupDestination, installationIn } from "./destination.ts"

/** Files stored for callers. Together they may be larger than the ledger. */
const KEPT: readonly FileKind[] = ["responses", "images"]
/** Free space that a backup leaves on the ledger's disk, because a full disk stops the gateway. */
const RESERVED_BYTES = 512 * 1024 * 1024

export interface BackupParts {
  readonly loaded: LoadedSettings
  readonly database: Database
  readonly destination: BackupDestination
  readonly hasSecrets: boolean
}

export interface MadeBackup {
  readonly name: string
  readonly madeAt: Date
  readonly bytes: number
  readonly files: number
}

/**
 * Makes a backup of an installation while the gateway serves. The backup gets its name when it is completely on disk.
 * @throws LedgerError, CommandError. No partial backup remains.
 */
export async function makeBackup(parts: BackupParts): Promise<MadeBackup> {
  const { database, destination } = parts
  const secret = await secretOf(database)
  const installation = installationOf(secret)
  await destination.clean(installation)
  const madeAt = new Date()
  const name = backupName(installation, madeAt)
  await makeFolder(destination.workshop)
  await requireRoom(parts)
  const folder = join(destination.workshop, partOf(name))
  try {
    await makeFolder(folder)
    await fill(folder, parts)
    const files = await filesOf(folder)
    const facts = { installation, made_at: madeAt.toISOString(), has_secrets: parts.hasSecrets }
    await writeFile(join(folder, MANIFEST), manifestText({ ...facts, files }, secret), {
      mode: 0o600,
    })
    await keepOnDisk(join(folder, MANIFEST))
    await destination.publish(name, folder)
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
    return { name, madeAt, bytes, files: files.length }
  } catch (error) {
    throw isDiskError(error) ? noRoom(destination) : error
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Removes an installation's oldest backups beyond the number to keep. The newest backup is always kept, even if the
 * clock is wrong.
 * @returns the names of the removed backups.
 */
export async function removeOldest(
  destination: BackupDestination,
  { name }: MadeBackup,
  keep: number,
): Promise<string[]> {
  const installation = installationIn(name)
  const others = (await destination.names()).filter(
    (each) => each !== name && installationIn(each) === installation,
  )
  const surplus = others.slice(0, Math.max(0, others.length - (keep - 1)))
  for (const each of surplus) await destination.remove(each)
  return surplus
}

function noRoom({ workshop }: BackupDestination): CommandError {
  return new CommandError(
    "failed",
    `the backup cannot be written to ${workshop}: the disk is full or broken`,
    "Free some space, or choose another folder. The incomplete backup was removed.",
  )
}

/** Returns the secret of the installation, and creates it if the installation has never started. */
async function secretOf(database: Database): Promise<string> {
  if (!(await database.exists())) {
    throw new LedgerError("not_found", `there is no ledger at ${database.place}`)
  }
  const known = (await database.openSecrets()).read("key-pepper")
  if (known !== undefined) return known
  await using store = await database.openReader()
  return (await openSecrets(database, store)).keyPepper
}

async function requireRoom({ loaded, database, destination }: BackupParts): Promise<void> {
  const { data } = loaded.settings
  const { bytes: ofDatabase } = await database.status()
  const bytes = KEPT.reduce((sum, kind) => sum + sizeOf(join(data, kind)), ofDatabase)
  const { bavail, bsize } = statfsSync(destination.workshop)
  const disk = await stat(destination.workshop)
  const isOwnDisk = disk.dev === (await stat(data)).dev
  const needed = bytes + (isOwnDisk ? RESERVED_BYTES : 0)
  const free = bavail * bsize
  if (free >= needed) return
  const reserve = isOwnDisk
    ? `, including ${formatBytes(RESERVED_BYTES)} reserved for the gateway`
    : ""
  throw new CommandError(
    "failed",
    `a backup needs ${formatBytes(needed)} in ${destination.workshop}${reserve}, and ${formatBytes(free)} are free`,
    "Free some space, or choose a folder on another disk. Nothing was changed.",
  )
}

/** Returns the total size of the files in a folder in bytes; 0 if the folder does not exist. */
function sizeOf(folder: string): number {
  if (!existsSync(folder)) return 0
  return readdirSync(folder).reduce(
    (sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  )
}

async function fill(folder: string, parts: BackupParts): Promise<void> {
  const { loaded, database, hasSecrets } = parts
  const { data } = loaded.settings
  // The anchor is copied first, because the ledger may be ahead of its anchor but never behind it.
  if (existsSync(anchorPath(data))) copyFileSync(anchorPath(data), anchorPath(folder))
  await database.backUp(folder)
  if (!hasSecrets) return
  const secrets = await database.openSecrets()
  for (const name of SECRET_NAMES) {
    const secret = secrets.read(name)
    if (secret !== undefined) writeSecret(folder, name, secret)
  }
  if (loaded.file !== undefined) copyFileSync(loaded.file, join(folder, SETTINGS))
}

/** Makes the files of a backup private, flushes them to disk, and returns them with their hashes. */
async function filesOf(folder: string): Promise<BackedUpFile[]> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter(isBackedUp)
  const files: BackedUpFile[] = []
  for (const path of names.toSorted()) {
    await chmod(join(folder, path), 0o600)
    await keepOnDisk(join(folder, path))
    const hash = createHash("sha256")
    let bytes = 0
    for await (const chunk of createReadStream(join(folder, path))) {
      hash.update(chunk)
      bytes += chunk.length
    }
    files.push({ path, bytes, sha256: hash.digest("hex") })
  }
  return files
}
