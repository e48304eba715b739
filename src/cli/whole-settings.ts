import type { Database } from "../store/database.ts"
import { consoleRecords, type PriceLists, readLists } from "../management/prices/stored-lists.ts"
import { type ConsoleReading, mergeConsole, readConsole } from "../config/console-settings.ts"
import type { LoadedSettings, LoadOptions } from "../config/load.ts"
import { withSandbox } from "../config/sandbox.ts"
import { SecretCipher } from "../config/secret-cipher.ts"
import type { Settings } from "../config/settings.ts"
import type { SettingRecord } from "../store/settings.ts"
import type { InstallationSecrets } from "../secrets/installation-secrets.ts"
import type { StoreReader } from "../store/store.ts"
import { databaseOf } from "../store/installation-database.ts"

/** The settings of an installation, including those from its console. */
export interface WholeSettings {
  readonly settings: Settings
  readonly reading: ConsoleReading
  /** The active and the pending price lists. */
  readonly lists: PriceLists
  /** Whether any provider is configured, even one whose secrets cannot be decrypted. */
  readonly hasProviders: boolean
  readonly hasAccounts: boolean
}

/**
 * Adds the settings from an installation's console to the loaded settings, which take precedence. Nothing is created or
 * changed.
 * @throws LedgerError if the database exists but cannot be opened, or has another version.
 */
export function wholeSettings(load: LoadOptions, loaded: LoadedSettings): Promise<WholeSettings> {
  return readWhole(load, loaded, (database) => database.openReader())
}

/**
 * Adds the settings from the console in order to serve. A database of an older version is migrated, and a missing one
 * is not created.
 * @throws Error if the database exists but cannot be opened.
 */
export function settingsToServe(load: LoadOptions, loaded: LoadedSettings): Promise<WholeSettings> {
  return readWhole(load, loaded, (database) => database.openStore())
}

type OpenDatabase = (database: Database) => Promise<StoreReader>

async function readWhole(
  load: LoadOptions,
  loaded: LoadedSettings,
  open: OpenDatabase,
): Promise<WholeSettings> {
  const { providers } = loaded.settings
  const database = databaseOf(loaded.settings)
  const { records: all, hasAccounts } = await readDatabase(database, open)
  const records = consoleRecords(all)
  const cipher = new SecretCipher(await secretsFor(records, database))
  const reading = readConsole(records, { vendors: load.vendors, cipher })
  const isSetUp = records.some(({ section }) => section === "provider")
  return {
    settings: mergeConsole(loaded, reading),
    reading,
    lists: readLists(all),
    hasProviders: isSetUp || Object.keys(providers).length > 0,
    hasAccounts,
  }
}

/**
 * Opens the secrets only if there are stored settings to decrypt, because opening would create
 * tables in an empty database.
 */
async function secretsFor(
  records: readonly SettingRecord[],
  database: Database,
): Promise<Pick<InstallationSecrets, "read" | "readOrCreate">> {
  if (records.length > 0) return database.openSecrets()
  return { read: () => undefined, readOrCreate: () => "" }
}

/** Adds the simulator to the settings if it replaces the vendors. */
export function effectiveSettings(settings: Settings, sandboxUrl: string | undefined): Settings {
  return sandboxUrl === undefined ? settings : withSandbox(settings, sandboxUrl)
}

/** Reads all contents at once, because opening the ledger takes several milliseconds. */
async function readDatabase(database: Database, open: OpenDatabase): Promise<DatabaseContents> {
  if (!(await database.exists())) return { records: [], hasAccounts: false }
  await using store = await open(database)
  const { records } = await store.settings.read()
  return { records, hasAccounts: await store.accounts.any() }
}

interface DatabaseContents {
  readonly records: readonly SettingRecord[]
  readonly hasAccounts: boolean
}
