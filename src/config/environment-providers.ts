import type { ConfigProblem } from "./config-error.ts"
import { baseAddress } from "./addresses.ts"
import { Fault } from "./reading.ts"
import { type ProviderEntry, vendorMembers } from "./sections/providers.ts"
import { snakeCase } from "./shapes.ts"
import type { Environment } from "./substitute.ts"
import type { KnownVendor, SettingVariables, VariableSet, VendorSetting } from "./vendors.ts"

type Setting = VendorSetting | "base_url"

/** A vendor whose credential is in the environment. */
export interface SwitchedOn {
  readonly vendor: KnownVendor
  /** The variable that contains the credential. */
  readonly variable: string
  /** The variable of each setting. */
  readonly settings: readonly (readonly [name: Setting, variable: string])[]
  /** Required variables that are not set. */
  readonly missing: readonly string[]
  readonly isShared: boolean
}

/** Returns the vendors whose credentials are in the environment. */
export function switchedOn(
  environment: Environment,
  vendors: readonly KnownVendor[],
): readonly SwitchedOn[] {
  return vendors.flatMap((vendor) => {
    const found = setsOf(vendor).flatMap((set) => lookUp(environment, vendor, set) ?? [])
    return found.find(({ missing }) => missing.length === 0) ?? found[0] ?? []
  })
}

function setsOf({ variableSets, keyVariables = [] }: KnownVendor): readonly VariableSet[] {
  if (variableSets !== undefined) return variableSets
  return keyVariables.length === 0 ? [] : [{ needed: { api_key: keyVariables } }]
}

/** Reads a set of variables. The set applies if its first setting, the credential, is present. */
function lookUp(
  environment: Environment,
  vendor: KnownVendor,
  { needed, optional = {}, isShared = false }: VariableSet,
): SwitchedOn | undefined {
  const settings: (readonly [Setting, string])[] = []
  const missing: string[] = []
  for (const [name, variables] of [...variablesOf(needed), ...variablesOf(optional)]) {
    const variable = variables.find((one) => isSet(environment[one]))
    if (variable !== undefined) settings.push([name, variable])
    else if (name in needed) missing.push(variables[0] ?? name)
  }
  const [credential] = settings
  if (credential === undefined || credential[0] !== Object.keys(needed)[0]) return undefined
  // Incomplete sets are ignored if other programs also use these variables.
  if (isShared && missing.length > 0) return undefined
  return { vendor, variable: credential[1], settings, missing, isShared }
}

function variablesOf(set: SettingVariables): [Setting, readonly string[]][] {
  return Object.entries(set) as [Setting, readonly string[]][]
}

function isSet(value: string | undefined): boolean {
  return typeof value === "string" && value.trim() !== ""
}

export interface EnvironmentProviders {
  readonly providers: Readonly<Record<string, ProviderEntry>>
  readonly problems: readonly ConfigProblem[]
  readonly warnings: readonly string[]
}

/**
 * Returns the providers that the environment adds: one for each vendor with sufficient variables, unless the file has a
 * provider with the same id.
 */
export function environmentProviders(
  environment: Environment,
  found: readonly SwitchedOn[],
  inFile: readonly string[],
): EnvironmentProviders {
  const providers: Record<string, ProviderEntry> = {}
  const problems: ConfigProblem[] = []
  const warnings: string[] = []
  for (const entry of found) {
    const { vendor, isShared } = entry
    if (inFile.includes(vendor.id) || !isEnough(entry)) continue
    const { provider, faults } = readEntry(environment, entry)
    if (faults.length === 0) providers[vendor.id] = provider
    else if (!isShared) problems.push(...faults)
    else
      warnings.push(...faults.map(({ path, message }) => `${path}: not used, since it ${message}.`))
  }
  return { providers, problems, warnings }
}

/** Whether the environment alone is sufficient for a provider. */
function isEnough({ vendor, missing }: SwitchedOn): boolean {
  const hasAddress = vendor.baseUrl !== undefined || vendor.variableSets !== undefined
  return hasAddress && missing.length === 0
}

function readEntry(
  environment: Environment,
  { vendor, settings }: SwitchedOn,
): { provider: ProviderEntry; faults: ConfigProblem[] } {
  const members = { ...vendorMembers(process.cwd()), baseUrl: baseAddress() }
  const faults: ConfigProblem[] = []
  const values: Record<string, unknown> = {}
  for (const [member, reader] of Object.entries(members)) {
    const variable = settings.find(([name]) => name === snakeCase(member))?.[1]
    if (variable === undefined) continue
    const value = reader.readOne(environment[variable] ?? "")
    if (value instanceof Fault) faults.push({ path: variable, message: value.message })
    else values[member] = value
  }
  // Each value was parsed like a value in the file.
  return { provider: { vendor: vendor.id, headers: {}, knownModels: true, ...values }, faults }
}
