import type { Command } from "commander"
import { type LoadedSettings, loadSettings } from "../../config/load.ts"
import type { Database } from "../../store/database.ts"
import { databaseOf } from "../../store/installation-database.ts"
import { outputOf, type RegisterCommand } from "../command.ts"
import { CommandError } from "../exit-codes.ts"
import { failureOf } from "../failure.ts"
import { loadOptions } from "../load-options.ts"
import { formatBytes, formatLength, type Output } from "../output.ts"
import { durationArgument, positiveIntegerArgument } from "../parse.ts"
import { destinationAt } from "./find.ts"
import { lockFolder } from "./lock.ts"
import { makeBackup, removeOldest } from "./make.ts"
import type { BackupDestination } from "./destination.ts"
import { COMMAND_LINE } from "../../management/actor.ts"
import { Audit } from "../../management/audit.ts"
import type { BackupRecord } from "../../store/backups.ts"

/** `tollgate backup DIR|s3://BUCKET/PREFIX` */
export const registerBackup: RegisterCommand = (program, terminal) => {
  program
    .command("backup")
    .description("back up the running installation to a folder or bucket")
    .argument("[PLACE]", "a folder or s3://bucket/prefix, in which each backup creates a folder")
    .option(
      "--every <TIME>",
      "keep running and back up at this interval, such as 6h",
      durationArgument,
    )
    .option(
      "--keep <N>",
      "keep only the newest N backups of this installation",
      positiveIntegerArgument,
    )
    .option("--without-secrets", "leave out the settings file and the folder 'secrets'")
    .option("--record", "record that another tool made a backup")
    .action(async (to: string | undefined, options: BackupOptions, command: Command) => {
      const loaded = loadSettings(loadOptions(command))
      const database = databaseOf(loaded.settings)
      const output = outputOf(command, terminal)
      if (options.record === true) return recordBackup(database, to, options, output)
      requireFiles(loaded)
      const destination = destinationAt(requireDestination(to), loaded.settings.data)
      const work = { loaded, database, destination, options, output }
      return options.every === undefined ? backUpOnce(work) : backUpForever(work, options.every)
    })
}

interface BackupOptions {
  /** Interval between backups in milliseconds. */
  readonly every?: number
  readonly keep?: number
  readonly withoutSecrets?: boolean
  readonly record?: boolean
}

interface BackupWork {
  readonly loaded: LoadedSettings
  readonly database: Database
  readonly destination: BackupDestination
  readonly options: BackupOptions
  readonly output: Output
}

/**
 * Requires a database of files.
 * @throws CommandError if the database is on a server.
 */
function requireFiles({ settings }: LoadedSettings): void {
  if (settings.database === undefined) return
  throw new CommandError(
    "failed",
    "a PostgreSQL database is backed up with its own tools, which this command does not replace",
    `Run: pg_dump --format=custom --file=tollgate.dump ADDRESS && tollgate backup --record --every 24h. Store TOLLGATE_SECRET, if it is set, and the settings file separately. See docs/run/backup.md.`,
  )
}

function requireDestination(to: string | undefined): string {
  if (to !== undefined) return to
  throw new CommandError(
    "usage",
    "no destination was given",
    "Name a folder or s3://bucket/prefix.",
  )
}

/**
 * Logs a finished backup.
 * @param to the description of the destination, for display.
 */
async function recordBackup(
  database: Database,
  to: string | undefined,
  { every = null }: { readonly every?: number | null },
  output: Output,
): Promise<void> {
  const place = to ?? "elsewhere"
  const madeAt = new Date()
  await noteBackup(database, { place, at: madeAt.getTime(), every })
  const document = { place, made_at: madeAt.toISOString(), every_ms: every }
  const words = every === null ? "" : `; the next one is due in ${formatLength(every)}`
  output.result(document, () => `Recorded a backup (${place})${words}.`)
}

/** Makes backups at an interval. Later backups are made even if one fails. */
async function backUpForever(work: BackupWork, every: number): Promise<never> {
  const { database, destination, output } = work
  // A restarted service continues the interval from the last backup.
  const last = await lastAt(database, destination.words)
  const wait = last === undefined ? 0 : Math.max(0, Math.min(every, last + every - Date.now()))
  if (wait > 0)
    output.notice(`the next backup at ${destination.words} is due in ${formatLength(wait)}`)
  await Bun.sleep(wait)
  for (;;) {
    const began = Date.now()
    await backUpOnce(work).catch((error: unknown) => report(error, output))
    await Bun.sleep(Math.max(0, began + every - Date.now()))
  }
}

async function backUpOnce(work: BackupWork): Promise<void> {
  const { loaded, database, destination, options, output } = work
  using held = new DisposableStack()
  held.use(lockFolder(loaded.settings.data, "backup"))
  const hasSecrets = options.withoutSecrets !== true
  const made = await makeBackup({ loaded, database, destination, hasSecrets })
  const at = made.madeAt.getTime()
  // The backup is not recorded in a database of an older version, because writing would migrate it while nodes use it.
  const { schema } = await database.status()
  const note = { place: destination.words, at, every: options.every ?? null }
  if (schema.fault === null) await noteBackup(database, note, made.name)
  const removed =
    options.keep === undefined ? [] : await removeOldest(destination, made, options.keep)
  const document = {
    place: destination.words,
    name: made.name,
    made_at: made.madeAt.toISOString(),
    bytes: made.bytes,
    files: made.files,
    has_secrets: hasSecrets,
    removed,
  }
  output.fields(document, [
    ["backup", `${destination.words}/${made.name}`],
    ["size", `${formatBytes(made.bytes)} in ${made.files} files`],
    ["secrets", hasSecrets ? WITH_SECRETS : WITHOUT_SECRETS],
    ...(removed.length > 0 ? [["removed", removed.join("\n")] as const] : []),
    ["restore", `tollgate restore ${destination.words}/${made.name} --data NEW_FOLDER`],
  ])
}

const WITH_SECRETS =
  "included: anyone with this backup can read provider credentials and sign in as any user"
const WITHOUT_SECRETS =
  "not included: store the settings file and the folder 'secrets' elsewhere, because no backup can be restored without them"

function report(error: unknown, output: Output): void {
  const { message, hint } = failureOf(error)
  output.notice(`${new Date().toISOString()} backup failed: ${message}${hint ? ` (${hint})` : ""}`)
}

/**
 * Records a backup in the installation, so that overdue backups are detected.
 * @param name of the backup, for the audit log; absent if another tool made it.
 */
async function noteBackup(database: Database, backup: BackupRecord, name?: string): Promise<void> {
  await using store = await database.openStore()
  const after = { place: backup.place, ...(name !== undefined && { name }) }
  await new Audit(store).perform(COMMAND_LINE, { action: "backup.create", after }, (record) =>
    store.backups.record(backup, record),
  )
}

/** Returns the time of the last backup at a destination in Unix milliseconds; undefined if there is none. */
async function lastAt(database: Database, place: string): Promise<number | undefined> {
  await using reader = await database.openReader()
  return (await reader.backups.list()).find((backup) => backup.place === place)?.at
}
