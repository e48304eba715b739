import type { ConfigProblem } from "./config-error.ts"
import { suggestion } from "./nearest.ts"
import { Fault, host, number, readSecret } from "./scalars.ts"
import type { ProviderSettings } from "./settings.ts"
import type { Environment } from "./substitute.ts"
import type { KnownVendor } from "./vendors.ts"

const KNOWN_VARIABLES = [
  "TOLLGATE_ADMIN_TOKEN",
  "TOLLGATE_CONFIG",
  "TOLLGATE_DATA",
  "TOLLGATE_DATABASE_URL",
  "TOLLGATE_DEBUG",
  "TOLLGATE_LOG",
  "TOLLGATE_HOST",
  "TOLLGATE_PORT",
  "TOLLGATE_WORKERS",
]

/** Set by the gateway for its own processes. */
const INTERNAL_VARIABLES = /^TOLLGATE_(WORKER|SANDBOX)_/

/** Settings from `TOLLGATE_*`; each one set here wins over the file. */
export interface Overrides {
  readonly host?: string
  readonly port?: number
  readonly workers?: number
  readonly data?: string
  readonly adminToken?: string
}

export interface EnvironmentReading {
  readonly overrides: Overrides
  readonly problems: readonly ConfigProblem[]
  readonly warnings: readonly string[]
}

/** Reads `TOLLGATE_*`. A variable that is set to nothing counts as not set. */
export function readEnvironment(environment: Environment): EnvironmentReading {
  const problems: ConfigProblem[] = []
  const read = <Value>(path: string, parse: (text: string) => Value | Fault): Value | undefined => {
    const text = environment[path]
    if (typeof text !== "string" || text === "") return undefined
    const value = parse(text)
    if (!(value instanceof Fault)) return value
    problems.push({ path, message: value.message })
    return undefined
  }
  read("TOLLGATE_DATABASE_URL", () => new Fault(NO_POSTGRES))
  const overrides = {
    host: read("TOLLGATE_HOST", checked(host())),
    port: read("TOLLGATE_PORT", readPort),
    workers: read("TOLLGATE_WORKERS", checked(number(1, 256, "whole number"))),
    data: read("TOLLGATE_DATA", (text) => text),
    adminToken: read("TOLLGATE_ADMIN_TOKEN", readSecret),
  }
  return {
    overrides: Object.fromEntries(
      Object.entries(overrides).filter(([, value]) => value !== undefined),
    ),
    problems,
    warnings: unknownVariables(environment),
  }
}

const NO_POSTGRES =
  "PostgreSQL is not supported yet. Unset this variable: the SQLite database in the data directory is used"

function readPort(text: string): number | Fault {
  const port = checked(number(0, 65_535, "whole number"))(text)
  if (!(port instanceof Fault) || !/^[a-z]+:\/\//.test(text)) return port
  return new Fault(
    `${port.message}. Kubernetes sets it so for a Service named tollgate: ` +
      "give the pod enableServiceLinks: false",
  )
}

interface Checking<Value> {
  safeParse(input: unknown): {
    readonly data?: Value
    readonly error?: { readonly issues: readonly { readonly message: string }[] }
  }
}

function checked<Value>(schema: Checking<Value>): (text: string) => Value | Fault {
  return (text) => {
    const { data, error } = schema.safeParse(text)
    return data ?? new Fault(error?.issues[0]?.message ?? "is not valid")
  }
}

function unknownVariables(environment: Environment): string[] {
  return Object.keys(environment)
    .filter((name) => name.startsWith("TOLLGATE_"))
    .filter((name) => !INTERNAL_VARIABLES.test(name) && !KNOWN_VARIABLES.includes(name))
    .map((name) => `${name}: unknown variable, ignored.${suggestion(name, KNOWN_VARIABLES)}`)
}

/** A vendor whose key stands in the environment. */
export interface SwitchedOn {
  readonly vendor: KnownVendor
  readonly variable: string
  readonly key: string
}

/** The vendors that the environment holds a key for. */
export function switchedOn(
  environment: Environment,
  vendors: readonly KnownVendor[],
): readonly SwitchedOn[] {
  const found: SwitchedOn[] = []
  for (const vendor of vendors) {
    for (const variable of vendor.keyVariables ?? []) {
      const key = environment[variable]
      if (typeof key !== "string" || key.trim() === "") continue
      found.push({ vendor, variable, key })
      break
    }
  }
  return found
}

export interface EnvironmentProviders {
  readonly providers: Readonly<Record<string, ProviderSettings>>
  readonly problems: readonly ConfigProblem[]
}

/**
 * The providers that the environment adds: one per vendor it holds a key for and whose address is
 * known, unless the file has a provider of that id.
 */
export function environmentProviders(
  found: readonly SwitchedOn[],
  inFile: readonly string[],
): EnvironmentProviders {
  const providers: Record<string, ProviderSettings> = {}
  const problems: ConfigProblem[] = []
  for (const { vendor, variable, key } of found) {
    if (inFile.includes(vendor.id) || vendor.baseUrl === undefined) continue
    const apiKey = readSecret(key)
    if (apiKey instanceof Fault) {
      problems.push({ path: variable, message: apiKey.message })
    } else {
      const { id } = vendor
      providers[id] = { vendor: id, apiKey, headers: {}, knownModels: true, origin: "environment" }
    }
  }
  return { providers, problems }
}
