import type { Command } from "commander"
import { runtimeConfigOf } from "../../app/state.ts"
import { Redactor } from "../../canon/redactor.ts"
import { describeSettings } from "../../config/describe.ts"
import { type LoadedSettings, loadSettings } from "../../config/load.ts"
import { secretsOf } from "../../config/secret-values.ts"
import { hidesCostsIn } from "../../config/sections/sign-in.ts"
import type { Settings } from "../../config/settings.ts"
import { accountTables } from "../../management/export/account-tables.ts"
import type { ExportScope } from "../../management/export/exported-table.ts"
import { ledgerTables } from "../../management/export/ledger-tables.ts"
import { modelTable } from "../../management/export/model-table.ts"
import { VERSION } from "../../runtime.ts"
import { databaseOf } from "../../store/installation-database.ts"
import type { Snapshot } from "../../store/database.ts"
import { outputOf, type RegisterCommand } from "../command.ts"
import { CommandError } from "../exit-codes.ts"
import { requireAccount } from "../installation.ts"
import { loadOptions } from "../load-options.ts"
import { formatBytes } from "../output.ts"
import { momentArgument } from "../parse.ts"
import { wholeSettings } from "../whole-settings.ts"
import { type ExportedFile, ExportFolder } from "./export-folder.ts"
import { FORMATS, type RowsFormat } from "./rows-text.ts"
import { momentText } from "../../management/moment-text.ts"

interface ExportOptions {
  readonly format: string
  readonly account?: string
  /** Start of the exported time range in Unix milliseconds. */
  readonly since?: number
  readonly until?: number
  readonly withKeyHashes?: boolean
}

/** `tollgate export FOLDER` */
export const registerExport: RegisterCommand = (program, terminal) => {
  program
    .command("export")
    .description("export accounts, keys, the ledger, receipts, settings and prices to files")
    .argument("<FOLDER>", "new folder for the files")
    .option("--format <FORMAT>", "jsonl or csv", "jsonl")
    .option("--account <ACCOUNT>", "name or id of the only account to export")
    .option(
      "--since <TIME>",
      "only entries and receipts since this day (UTC) or time",
      momentArgument,
    )
    .option(
      "--until <TIME>",
      "only entries and receipts before this day (UTC) or time",
      momentArgument,
    )
    .option("--with-key-hashes", "include the hashes of the keys")
    .action(async (path: string, options: ExportOptions, command: Command) => {
      const format = requireFormat(options.format)
      requirePeriod(options)
      const load = loadOptions(command)
      const loaded = loadSettings(load)
      const { settings, lists } = await wholeSettings(load, loaded)
      const { catalog } = runtimeConfigOf(settings, lists).config
      const manifest = await ExportFolder.fill(path, (folder) =>
        databaseOf(loaded.settings).readSnapshot(async (snapshot) => {
          const scope = await scopeOf(snapshot, options, settings)
          const tables = [...accountTables(scope), ...ledgerTables(scope)]
          if (!scope.isNarrowed) tables.push(modelTable(settings, catalog))
          const files: ExportedFile[] = []
          for (const table of tables) files.push(await folder.writeRows(table, format))
          if (!scope.isNarrowed) files.push(await writeSettings(folder, settings))
          const { until } = await snapshot.store.integrity.findPrunedRows()
          const manifest = manifestOf(scope, { format, removedBefore: until, files })
          await folder.writeDocument("manifest.json", manifest)
          return manifest
        }),
      )
      const fields = fieldsOf(path, manifest, loaded)
      outputOf(command, terminal).fields({ folder: path, ...manifest }, fields)
    })
}

function requireFormat(name: string): RowsFormat {
  const format = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined
  if (format) return format
  throw new CommandError("usage", `--format must be jsonl or csv, not '${name}'`)
}

function requirePeriod({ since, until }: ExportOptions): void {
  if (since === undefined || until === undefined || since < until) return
  throw new CommandError("usage", "--until must be later than --since")
}

async function scopeOf(
  snapshot: Snapshot,
  options: ExportOptions,
  settings: Settings,
): Promise<ExportScope> {
  const { account, since = 0, until, withKeyHashes = false } = options
  const { store } = snapshot
  const accounts =
    account === undefined ? await store.accounts.list() : [await requireAccount(store, account)]
  return {
    snapshot,
    accounts,
    isNarrowed: account !== undefined,
    hidesCosts: hidesCostsIn(settings),
    from: since,
    until,
    hasKeyHashes: withKeyHashes,
    now: Date.now(),
  }
}

/** Writes the settings. Secrets are redacted everywhere. */
async function writeSettings(folder: ExportFolder, settings: Settings): Promise<ExportedFile> {
  const redactor = new Redactor()
  redactor.addSecrets(secretsOf(settings))
  const described = JSON.stringify(describeSettings(settings), (_name, value: unknown) =>
    typeof value === "string" ? redactor.clean(value) : value,
  )
  return folder.writeDocument("settings.json", JSON.parse(described) as object)
}

interface ExportManifest {
  readonly format: 1
  /** The version of Tollgate that wrote the export. */
  readonly version: string
  readonly made_at: string
  readonly rows: string
  readonly account: string | null
  readonly since: string | null
  readonly until: string | null
  readonly has_key_hashes: boolean
  /** Retention has removed the entries before this moment. They are included in the opening balances. */
  readonly removed_before: string | null
  readonly files: readonly ExportedFile[]
}

interface ManifestFacts {
  readonly format: RowsFormat
  /** Entries before this moment were removed, in Unix milliseconds; 0 if none were removed. */
  readonly removedBefore: number
  readonly files: readonly ExportedFile[]
}

function manifestOf(scope: ExportScope, { format, removedBefore, files }: ManifestFacts) {
  const { accounts, isNarrowed, from, until, now, hasKeyHashes } = scope
  const manifest: ExportManifest = {
    format: 1,
    version: VERSION,
    made_at: momentText(now),
    rows: format.extension,
    account: isNarrowed ? (accounts[0]?.id ?? null) : null,
    since: from === 0 ? null : momentText(from),
    until: until === undefined ? null : momentText(until),
    has_key_hashes: hasKeyHashes,
    removed_before: removedBefore === 0 ? null : momentText(removedBefore),
    files,
  }
  return manifest
}

function fieldsOf(
  path: string,
  { files, removed_before: removed }: ExportManifest,
  { settings }: LoadedSettings,
): (readonly [string, string])[] {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  const counts = files.flatMap((file) =>
    file.rows === undefined ? [] : [`${file.rows} in ${file.path}`],
  )
  return [
    ["export", path],
    ["of", databaseOf(settings).place],
    ["size", `${formatBytes(bytes)} in ${files.length + 1} files`],
    ["rows", counts.join("\n")],
    ...(removed === null
      ? []
      : [["removed", `entries from before ${removed}: they are in opening_balance`] as const]),
  ]
}
