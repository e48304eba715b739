import { dirname, resolve } from "node:path"
import { buildSettings } from "./build.ts"
import { writtenNames } from "./changeable-settings.ts"
import { ConfigError, type ConfigProblem } from "./config-error.ts"
import { environmentProviders, switchedOn, type SwitchedOn } from "./environment-providers.ts"
import { readEnvironment } from "./environment.ts"
import type { Finding } from "./finding.ts"
import { suggestion } from "./nearest.ts"
import { DEFAULT_FILE, type FileReading, SettingsFile, findFile, readFile } from "./file.ts"
import { insecureDatabase, strayJournal } from "./sections/database.ts"
import type { Settings } from "./settings.ts"
import type { Environment } from "./substitute.ts"
import type { KnownVendor } from "./vendors.ts"
import { isLocalHost } from "../database-address.ts"

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
  // Without a configured provider, the gateway starts the simulator, so models may name the provider `sandbox`.
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

const SHORT_TOKEN = 16

/** Returns warnings about unusual but valid settings. */
function settingsWarnings(settings: Settings, found: readonly SwitchedOn[]): string[] {
  const warnings: string[] = []
  for (const entry of found) {
    const warning = unusedKey(entry, settings)
    if (warning !== undefined) warnings.push(warning)
  }
  if (settings.adminToken !== undefined && settings.adminToken.length < SHORT_TOKEN) {
    warnings.push(`admin_token: is shorter than ${SHORT_TOKEN} characters. Use a longer one.`)
  }
  if (/^0+(\.0+)?$/.test(settings.multiplier)) {
    warnings.push("multiplier: is 0, so callers pay nothing. Write 1 to charge the prices.")
  }
  return [...warnings, ...literalReferences(settings), ...plainIssuers(settings)]
}

/** Reports keys in LiteLLM's form, which are sent to the provider unchanged. */
function literalReferences({ providers }: Settings): string[] {
  return Object.entries(providers).flatMap(([id, { apiKey, apiKeys = [] }]) => {
    const keys = [apiKey, ...apiKeys.map((one) => one.apiKey)]
    const variable = keys
      .map((key) => /^os\.environ\/(\w+)$/.exec(key ?? "")?.[1])
      .find((name) => name !== undefined)
    if (variable === undefined) return []
    return [
      `providers.${id}.api_key: 'os.environ/' is sent as a part of the key. ` +
        `To read the variable, write api_key: "\${${variable}}".`,
    ]
  })
}

/** Reports issuers whose identities can be forged in transit, because the connection is not encrypted. */
function plainIssuers(settings: Settings): string[] {
  return (settings.console?.oidc ?? []).flatMap(({ id, issuer }) => {
    const url = URL.parse(issuer)
    if (url?.protocol !== "http:" || isLocalHost(url.host)) return []
    return [
      `console.oidc: the address of the issuer '${id}' starts with http://, so others on the network could sign in as any user. Use https://.`,
    ]
  })
}

/** Explains why a vendor's key in the environment is not used, if the operator may expect it to be. */
function unusedKey(
  { vendor, variable, settings: named, missing }: SwitchedOn,
  settings: Settings,
): string | undefined {
  const { id } = vendor
  const provider = settings.providers[id]
  const isKey = named[0]?.[0] === "api_key"
  if (isKey && provider?.vendor === id && provider.apiKey === undefined && !provider.apiKeys) {
    return (
      `${variable}: not used, since providers.${id} in the file has no api_key. ` +
      `To use it, write api_key: "\${${variable}}".`
    )
  }
  const used = Object.values(settings.providers).some((provider) => provider.vendor === id)
  if (used) return undefined
  if (missing.length > 0) return `${variable}: not used, since ${missing.join(" and ")} is not set.`
  if (vendor.baseUrl !== undefined || vendor.variableSets !== undefined) return undefined
  return (
    `${variable}: not used, since ${vendor.name} has no address of its own. ` +
    `Add a provider with vendor: ${id} and a base_url to tollgate.yaml.`
  )
}
