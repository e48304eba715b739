import { dirname, resolve } from "node:path"
import { buildSettings } from "./build.ts"
import { writtenNames } from "./changeable-settings.ts"
import { ConfigError, type ConfigProblem } from "./config-error.ts"
import { environmentProviders, switchedOn } from "./environment-providers.ts"
import { readEnvironment } from "./environment.ts"
import type { Finding } from "./finding.ts"
import { suggestion } from "./nearest.ts"
import { DEFAULT_FILE, type FileReading, SettingsFile, findFile, readFile } from "./file.ts"
import { insecureDatabase, strayJournal } from "./sections/database.ts"
import type { Settings } from "./settings.ts"
import type { Environment } from "./substitute.ts"
import type { KnownVendor } from "./vendors.ts"
import { settingsWarnings } from "./warnings.ts"

export interface LoadOptions {
  /** The settings file named on the command line. It takes precedence over `TOLLGATE_CONFIG`. */
  readonly file?: string
  /** Text to check before it is written to the file. If absent, the file is read. */
  readonly text?: string
  readonly environment: Environment
  /** The folder named on the command line. It takes precedence over `TOLLGATE_DATA` and the file. */
  readonly dataDirectory?: string
  readonly vendors: readonly KnownVendor[]
  /**
   * Returns the ids of the models that the settings make available. If absent, aliases and groups may name any model.
   */
  readonly modelsOf?: (settings: Settings) => ReadonlySet<string>
}

export interface LoadedSettings {
  readonly settings: Settings
  /** Names of the settings in the file, among those that the console can change. */
  readonly written: readonly string[]
  /** The absolute path of the file that was read; absent if there is none. */
  readonly file?: string
  /** Warnings about unusual but valid settings, without secrets. */
  readonly warnings: readonly string[]
}

/**
 * Reads the settings from the file and the environment.
 * @throws ConfigError with all problems and their positions, without secrets.
 */
export function loadSettings(options: LoadOptions): LoadedSettings {
  const { environment, vendors } = options
  const problems: ConfigProblem[] = []
  const isWritten = options.text === undefined
  const name = isWritten
    ? collect(problems, () => findFile(options.file, environment))
    : options.file
  const text =
    isWritten && name !== undefined ? collect(problems, () => readFile(name)) : options.text
  const file = new SettingsFile(name ?? "", text ?? "", environment)

  const own = readEnvironment(environment)
  const found = switchedOn(environment, vendors)
  const added = environmentProviders(environment, found, file.providerIds)
  const configured = [...file.providerIds, ...found.map(({ vendor }) => vendor.id)]
  // Without a vendor, the gateway starts the simulator, so that a first file can be tried.
  const nameable = configured.length === 0 ? ["sandbox"] : configured
  const reading: FileReading = file.read(vendors, nameable)

  problems.push(...reading.problems, ...own.problems, ...added.problems)
  if (problems.length > 0) throw new ConfigError(problems)
  const settings = buildSettings({
    file: reading.settings,
    fileDirectory: dirname(resolve(name ?? DEFAULT_FILE)),
    overrides: {
      ...own.overrides,
      ...(options.dataDirectory === undefined ? {} : { data: options.dataDirectory }),
    },
    telemetry: own.telemetry,
    environmentProviders: added.providers,
  })
  const databasePath = own.overrides["database.url"] ? "TOLLGATE_DATABASE_URL" : "database.url"
  const insecure = insecureDatabase(settings.database, databasePath)
  if (insecure) throw new ConfigError([placed(insecure, file)])
  const stray = strayJournal(reading.settings, own.overrides)
  if (stray) throw new ConfigError([placed(stray, file)])
  const unresolved = [
    ...strayProviders(settings, nameable),
    ...strayModels(settings, options.modelsOf),
  ]
  if (unresolved.length > 0)
    throw new ConfigError(unresolved.map((finding) => file.problem(finding)))
  return {
    settings,
    written: writtenNames(reading.settings),
    ...(name === undefined ? {} : { file: resolve(name) }),
    warnings: [...own.warnings, ...added.warnings, ...settingsWarnings(settings, found)],
  }
}

/** Adds the line to a problem if the setting is in the file and not overridden by the environment. */
function placed(problem: ConfigProblem, file: SettingsFile): ConfigProblem {
  const { path, message } = problem
  return path.startsWith("database.") ? file.problem({ path: path.split("."), message }) : problem
}

/** Returns the group members whose provider is not configured. */
function strayProviders({ models }: Settings, providers: readonly string[]): Finding[] {
  return membersOf(models).flatMap(({ path, id }) => {
    const [provider = ""] = id.split("/", 1)
    if (providers.includes(provider) || Object.hasOwn(models, id)) return []
    const hint = suggestion(provider, providers) || " Add it under 'providers'."
    const message = `is '${id}', and '${provider}' is not a configured provider.${hint}`
    return [{ path, message }]
  })
}

/**
 * Returns aliases and group members whose provider is configured but does not have the model. The console's settings
 * are not loaded yet, so aliases for models of its providers are resolved with the catalog.
 */
function strayModels(settings: Settings, modelsOf: LoadOptions["modelsOf"]): Finding[] {
  const { aliases = {}, models, providers, prices, unknownModels } = settings
  const named = [
    ...Object.entries(aliases).map(([alias, id]) => ({
      path: ["aliases", alias],
      id,
      leads: `leads to '${id}'`,
    })),
    ...membersOf(models).map((found) => ({ ...found, leads: `is '${found.id}'` })),
  ]
  if (modelsOf === undefined || named.length === 0) return []
  // Unknown models may be in a newer price list, or may be callable with the setting `unknown_models`.
  if (prices.refresh !== undefined || (unknownModels ?? "reject") !== "reject") return []
  const ids = modelsOf(settings)
  return named.flatMap(({ path, id, leads }) => {
    const [provider = ""] = id.split("/", 1)
    if (ids.has(id) || !Object.hasOwn(providers, provider)) return []
    const hint = suggestion(id, [...ids])
    return [{ path, message: `${leads}, and there is no such model.${hint}` }]
  })
}

function membersOf(models: Settings["models"]) {
  return Object.entries(models).flatMap(([group, { members = [] }]) =>
    members.map(({ model: id }, index) => ({ path: ["models", group, "members", index], id })),
  )
}

/** Runs a step and collects its problems, so that later steps can still report their own. */
function collect<Value>(problems: ConfigProblem[], step: () => Value): Value | undefined {
  try {
    return step()
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    problems.push(...error.problems)
    return undefined
  }
}
