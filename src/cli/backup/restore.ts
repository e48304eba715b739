import type { Command } from "commander"
import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { open } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { loadSettings } from "../../config/load.ts"
import type { VerifyOptions } from "../../ledger/verify/progress.ts"
import { Machine } from "../../machine/machine.ts"
import { SECRET_NAMES } from "../../secrets/installation-secrets.ts"
import { readSecret, writeSecret } from "../../secrets/secret-folder.ts"
import { databaseOf } from "../../store/installation-database.ts"
import { outputOf, type RegisterCommand } from "../command.ts"
import { CommandError } from "../exit-codes.ts"
import { inspectLedger, type LedgerInspection } from "../inspect-ledger.ts"
import { loadOptions } from "../load-options.ts"
import { formatBytes } from "../output.ts"
import { progressReporter } from "../verify-progress.ts"
import { makeFolder } from "./folder-destination.ts"
import { findBackup } from "./find.ts"
import { lockFolder } from "./lock.ts"
import {
  type BackedUpFile,
  isGenuine,
  KEY_PEPPER,
  type Manifest,
  readManifest,
  type ReadManifest,
  SETTINGS,
} from "./manifest.ts"
import { backupName, installationIn, type StoredBackup } from "./destination.ts"
import { systemCode } from "../system-code.ts"

/** `tollgate restore BACKUP` */
export const registerRestore: RegisterCommand = (program, terminal) => {
  program
    .command("restore")
    .description("restore a backup into an empty data folder, and verify it")
    .argument(
      "<BACKUP>",
      "a backup, or a folder or s3://bucket/prefix with backups, of which the newest is used",
    )
    .option(
      "--secrets <FOLDER>",
      "the folder 'secrets' of the installation, for a backup without secrets",
    )
    .action(async (from: string, { secrets }: { secrets?: string }, command: Command) => {
      const { settings } = loadSettings(loadOptions(command))
      const { data } = settings
      if (settings.database !== undefined) throw needsTools()
      requireNoGateway(data)
      using held = new DisposableStack()
      held.use(lockFolder(data, "restore"))
      const backup = await findBackup(from, data)
      const output = outputOf(command, terminal)
      const onPage = progressReporter(output)
      const { manifest, inspection } = await restore({ backup, data, secrets, onPage })
      const { verdict } = inspection
      const document = {
        backup: backup.words,
        data,
        made_at: manifest.made_at,
        has_secrets: manifest.has_secrets,
        accounts: verdict.accounts,
        entries: verdict.entries,
      }
      output.fields(document, [
        ["backup", backup.words],
        ["made at", `${manifest.made_at}: later charges are not included`],
        ["restored", `${data}, ${formatBytes(sizeOf(manifest))}`],
        ["ledger", `${verdict.accounts} accounts, ${verdict.entries} entries`],
        ["verdict", "every byte matches the backup, and every row of the ledger is correct"],
        ["next", nextWords(manifest, data)],
      ])
    })
}

function nextWords(manifest: Manifest, data: string): string {
  const hasSettings = manifest.files.some(({ path }) => path === SETTINGS)
  const settings = hasSettings ? `; its settings were those in ${join(data, SETTINGS)}` : ""
  return `start the gateway with --data ${data}${settings}`
}

interface RestoreParts {
  readonly backup: StoredBackup
  readonly data: string
  /** The folder with the secrets of the installation; undefined if only the backup has them. */
  readonly secrets: string | undefined
  readonly onPage: VerifyOptions["onPage"]
}

/**
 * Restores a backup into the data folder.
 * @throws CommandError, LedgerError. No partial restore remains.
 */
async function restore({
  backup,
  data,
  secrets,
  onPage,
}: RestoreParts): Promise<{ manifest: Manifest; inspection: LedgerInspection }> {
  const read = readManifest(backup.manifest)
  if (read === undefined) {
    throw altered(backup, "its manifest is damaged, or from a later version of Tollgate")
  }
  const { manifest } = read
  requireOwnName(backup, manifest)
  if (secrets === undefined) requireSecrets(backup, manifest)
  else requireGenuine(backup, read, secrets)
  const inspection = await databaseOf({ data }).restore(async (folder) => {
    for (const file of manifest.files) await copy(backup, file, join(folder, file.path))
    if (secrets === undefined) requireGenuine(backup, read, join(folder, "secrets"))
    else copySecrets(secrets, folder)
    await bringUpToDate(folder)
    const found = await inspectLedger({ data: folder }, { onPage })
    const wrong = found.verdict.problems[0] ?? found.audit.problem
    if (wrong) throw altered(backup, `its ledger has been altered: ${wrong.message}`)
    if (found.anchor?.isGenuine === false) throw altered(backup, "its anchor.json is forged")
    return found
  })
  return { manifest, inspection }
}

/**
 * Migrates a copy written by an older version, and removes its nodes, which do not serve this copy. Their leases are
 * returned and their requests expire.
 */
async function bringUpToDate(folder: string): Promise<void> {
  await using store = await databaseOf({ data: folder }).openStore()
  for (const { id } of await store.nodes.list()) await store.nodes.remove(id, Date.now())
}

/**
 * Copies and verifies the files of a backup.
 * @throws CommandError if a file differs from the manifest.
 */
async function copy(
  backup: StoredBackup,
  { path, bytes, sha256 }: BackedUpFile,
  target: string,
): Promise<void> {
  await makeFolder(dirname(target))
  const file = await open(target, "wx", 0o600)
  const hash = createHash("sha256")
  let length = 0
  try {
    for await (const chunk of backup.read(path)) {
      hash.update(chunk)
      length += chunk.length
      // Limits the disk space that an endless response can use.
      if (length > bytes) break
      await file.writeFile(chunk)
    }
    await file.sync()
  } catch (error) {
    throw systemCode(error) === "ENOENT" ? altered(backup, `${path} is missing`) : error
  } finally {
    await file.close()
  }
  if (length > bytes) throw altered(backup, `${path} has more bytes than ${bytes}`)
  if (length < bytes) throw altered(backup, `${path} has ${length} bytes instead of ${bytes}`)
  if (hash.digest("hex") !== sha256) throw altered(backup, `${path} has changed`)
}

/**
 * Rejects a backup that lacks the secret for its signature. Without that check, anyone who can write to the backups
 * could add users to it.
 */
function requireSecrets(backup: StoredBackup, manifest: Manifest): void {
  if (manifest.files.some(({ path }) => path === KEY_PEPPER)) return
  if (manifest.has_secrets) throw altered(backup, `its manifest lacks ${KEY_PEPPER}`)
  throw new CommandError(
    "usage",
    `the backup ${backup.words} has no secrets to check its signature with`,
    "Name the folder 'secrets' of the installation: --secrets FOLDER. Nothing was restored.",
  )
}

/** Rejects a backup under the name of another one, because the newest backup is chosen by name. */
function requireOwnName(backup: StoredBackup, { installation, made_at: madeAt }: Manifest): void {
  const name = basename(backup.words)
  const isName = installationIn(name) !== undefined
  if (!isName || name === backupName(installation, new Date(madeAt))) return
  throw altered(backup, `it was made at ${madeAt}, which is not the time in its name`)
}

/** Verifies the signature of a backup with the secrets in a folder. */
function requireGenuine(backup: StoredBackup, read: ReadManifest, secrets: string): void {
  const secret = readSecret(secrets, "key-pepper")
  if (secret === undefined) {
    throw new CommandError(
      "not_found",
      `there is no secret 'key-pepper' in ${secrets}`,
      "Name the folder 'secrets' of the installation. Nothing was restored.",
    )
  }
  if (isGenuine(read, secret)) return
  throw altered(
    backup,
    "its manifest was changed after it was written, or was signed with other secrets",
  )
}

/** Copies the secrets that a backup lacks. */
function copySecrets(secrets: string, folder: string): void {
  for (const name of SECRET_NAMES) {
    const secret = readSecret(secrets, name)
    const isRestored = readSecret(join(folder, "secrets"), name) !== undefined
    if (secret !== undefined && !isRestored) writeSecret(folder, name, secret)
  }
}

function altered({ words }: StoredBackup, fault: string): CommandError {
  return new CommandError(
    "failed",
    `the backup ${words} has been altered: ${fault}`,
    "Nothing was restored. Use another backup.",
  )
}

/**
 * Rejects a restore while a gateway runs, since a gateway may continue to run after its ledger was lost.
 * @throws CommandError.
 */
function requireNoGateway(data: string): void {
  if (!existsSync(data)) return
  using machine = new Machine(data)
  if (machine.presence.count === 1) return
  throw new CommandError(
    "failed",
    `a gateway runs on ${data}, or was killed within the last minute`,
    "Stop it first, or choose another folder with --data.",
  )
}

function needsTools(): CommandError {
  return new CommandError(
    "failed",
    "the settings name a PostgreSQL database, which is restored with its own tools",
    "Run: pg_restore --dbname=ADDRESS tollgate.dump, into an empty database, then: tollgate ledger verify. See docs/run/backup.md.",
  )
}

function sizeOf({ files }: Manifest): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0)
}
