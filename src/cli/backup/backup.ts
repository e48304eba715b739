import type { Command } from "commander"
import { join } from "node:path"
import { type LoadedSettings, loadSettings } from "../../config/load.ts"
import { bootName } from "../../machine/boot-name.ts"
import { type Database } from "../../store/database.ts"
import { databaseOf } from "../../store/installation-database.ts"
import { NodeLocks } from "../../store/node-locks.ts"
import { outputOf, type RegisterCommand } from "../command.ts"
import { CommandError } from "../exit-codes.ts"
import { failureOf } from "../failure.ts"
import { loadOptions } from "../load-options.ts"
import { formatBytes, formatFields, type Output } from "../output.ts"
import { durationArgument, positiveIntegerArgument } from "../parse.ts"
import { placeAt } from "./find.ts"
import { makeBackup, removeOldest } from "./make.ts"
import type { BackupPlace } from "./place.ts"

/** The name of the lock, beside those of nodes. */
const LOCK = "backup"

/** `tollgate backup DIR|s3://BUCKET/PREFIX` */
export const registerBackup: RegisterCommand = (program, terminal) => {
  program
    .command("backup")
    .description("copy the installation into a folder or a bucket, while it serves")
    .argument(
      "<PLACE>",
      "a folder, or s3://bucket/prefix; each backup gets a folder of its own in it",
    )
    .option("--every <TIME>", "go on, and make one each time: 6h", durationArgument)
    .option(
      "--keep <N>",
      "remove older ones of this installation, all but so many",
      positiveIntegerArgument,
    )
    .option("--without-secrets", "leave out the settings file and the folder 'secrets'")
    .action(async (to: string, options: BackupOptions, command: Command) => {
      const loaded = loadSettings(loadOptions(command))
      requireFiles(loaded)
      const output = outputOf(command, terminal)
      const work = {
        loaded,
        database: databaseOf(loaded.settings),
        place: placeAt(to, loaded.settings.data),
        options,
        output,
      }
      if (options.every === undefined) return backUpOnce(work)
      for (;;) {
        await backUpOnce(work).catch((error: unknown) => report(error, output))
        await Bun.sleep(options.every)
      }
    })
}

interface BackupOptions {
  /** Milliseconds. */
  readonly every?: number
  readonly keep?: number
  readonly withoutSecrets?: boolean
}

interface BackupWork {
  readonly loaded: LoadedSettings
  readonly database: Database
  readonly place: BackupPlace
  readonly options: BackupOptions
  readonly output: Output
}

/** @throws CommandError where the database is on a server. */
function requireFiles({ settings }: LoadedSettings): void {
  if (settings.database === undefined) return
  throw new CommandError(
    "failed",
    "a PostgreSQL database is backed up with its own tools, which this command does not replace",
    `Run: pg_dump --format=custom --file=tollgate.dump ${databaseOf(settings).place}. Keep TOLLGATE_SECRET, if it is set, and the settings file apart from it. docs/backup.md says more.`,
  )
}

async function backUpOnce(work: BackupWork): Promise<void> {
  const { loaded, database, place, options, output } = work
  using held = new DisposableStack()
  held.use(lock(loaded.settings.data))
  const hasSecrets = options.withoutSecrets !== true
  const made = await makeBackup({ loaded, database, place, hasSecrets })
  const removed = options.keep === undefined ? [] : await removeOldest(place, made, options.keep)
  const document = {
    place: place.words,
    name: made.name,
    made_at: made.madeAt.toISOString(),
    bytes: made.bytes,
    files: made.files,
    has_secrets: hasSecrets,
    removed,
  }
  output.result(document, (style) =>
    formatFields(
      [
        ["backup", `${place.words}/${made.name}`],
        ["size", `${formatBytes(made.bytes)} in ${made.files} files`],
        ["secrets", hasSecrets ? WITH_SECRETS : WITHOUT_SECRETS],
        ...(removed.length > 0 ? [["removed", removed.join("\n")] as const] : []),
        ["restore", `tollgate restore ${place.words}/${made.name} --data NEW_FOLDER`],
      ],
      style,
    ),
  )
}

const WITH_SECRETS =
  "in it: whoever reads this backup reads the credentials of providers and can sign in as anyone"
const WITHOUT_SECRETS =
  "not in it: keep the settings file and the folder 'secrets' elsewhere, no key works without them"

/** @throws CommandError while another backup of the installation is made. */
function lock(data: string): Disposable {
  const locks = new NodeLocks(join(data, "run"), bootName())
  const taken = locks.take(LOCK)
  if (taken === undefined && locks.stateOf(LOCK, locks.machine) === "alive") {
    throw new CommandError(
      "failed",
      `another backup of ${data} is being made just now`,
      "Wait for it, or end it: what it leaves is removed by the next one.",
    )
  }
  return taken ?? { [Symbol.dispose]() {} }
}

/** One that fails does not end those that follow. */
function report(error: unknown, output: Output): void {
  const { message, hint } = failureOf(error)
  output.notice(`${new Date().toISOString()} no backup: ${message}${hint ? ` (${hint})` : ""}`)
}
