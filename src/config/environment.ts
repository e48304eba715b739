import type { ConfigProblem } from "./config-error.ts"
import {
  type DatabaseOverrides,
  databaseSecret,
  databaseUrl,
  settleMode,
} from "./database-settings.ts"
import { suggestion } from "./nearest.ts"
import {
  Fault,
  durationOrOff,
  host,
  network,
  number,
  oneOf,
  readSecret,
  readWith,
} from "./scalars.ts"
import type { Environment } from "./substitute.ts"
import { type TelemetryEnvironment, telemetryEnvironment } from "./telemetry-settings.ts"

const KNOWN_VARIABLES = [
  "TOLLGATE_ADMIN_TOKEN",
  "TOLLGATE_CONFIG",
  "TOLLGATE_DATA",
  "TOLLGATE_DATABASE_URL",
  "TOLLGATE_DEBUG",
  "TOLLGATE_DRAIN",
  "TOLLGATE_DRAIN_DELAY",
  "TOLLGATE_LOG",
  "TOLLGATE_HOST",
  "TOLLGATE_MEMORY_MB",
  "TOLLGATE_PORT",
  "TOLLGATE_SECRET",
  "TOLLGATE_SETTLE",
  "TOLLGATE_TRUSTED_PROXIES",
  "TOLLGATE_WATCHDOG",
  "TOLLGATE_WORKERS",
]

/** From the most that is logged to nothing. */
const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"]

/** Set by the gateway for its own processes, or by its callers for theirs. */
const OTHER_VARIABLES = /^TOLLGATE_((WORKER|SANDBOX)_|KEY$)/

/** Settings from `TOLLGATE_*`; each one set here wins over the file, unless it says otherwise. */
export interface Overrides extends DatabaseOverrides {
  readonly host?: string
  readonly port?: number
  readonly workers?: number
  readonly drainDelay?: number
  readonly drain?: number
  /** Megabytes. */
  readonly memory?: number
  readonly watchdog?: number
  readonly trustedProxies?: readonly string[]
  readonly data?: string
  readonly adminToken?: string
  /** From `OTEL_*`, over which the file wins. */
  readonly telemetry?: TelemetryEnvironment
}

export interface EnvironmentReading {
  readonly overrides: Overrides
  readonly problems: readonly ConfigProblem[]
  readonly warnings: readonly string[]
}

/** Reads `TOLLGATE_*` and `OTEL_*`. A variable that is set to nothing counts as not set. */
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
  read("TOLLGATE_LOG", readWith(oneOf(LOG_LEVELS, "log level")))
  const telemetry = telemetryEnvironment(environment)
  const overrides = {
    host: read("TOLLGATE_HOST", readWith(host())),
    port: read("TOLLGATE_PORT", readPort),
    workers: read("TOLLGATE_WORKERS", readWith(number(1, 256, "whole number"))),
    drainDelay: read("TOLLGATE_DRAIN_DELAY", readWith(durationOrOff())),
    drain: read("TOLLGATE_DRAIN", readWith(durationOrOff())),
    memory: read("TOLLGATE_MEMORY_MB", readWith(number(64, 1_048_576))),
    watchdog: read("TOLLGATE_WATCHDOG", readWith(durationOrOff())),
    trustedProxies: read("TOLLGATE_TRUSTED_PROXIES", readNetworks),
    data: read("TOLLGATE_DATA", (text) => text),
    databaseUrl: read("TOLLGATE_DATABASE_URL", readWith(databaseUrl())),
    databaseSecret: read("TOLLGATE_SECRET", readWith(databaseSecret())),
    databaseSettle: read("TOLLGATE_SETTLE", readWith(settleMode())),
    adminToken: read("TOLLGATE_ADMIN_TOKEN", readSecret),
    telemetry: telemetry.values,
  }
  return {
    overrides: Object.fromEntries(
      Object.entries(overrides).filter(([, value]) => value !== undefined),
    ),
    problems,
    warnings: [...unknownVariables(environment), ...telemetry.warnings],
  }
}

/** How much is logged. `readEnvironment` has validated it. */
export function logLevel(environment: Environment): string {
  return environment.TOLLGATE_LOG || "info"
}

function readPort(text: string): number | Fault {
  const port = readWith(number(0, 65_535, "whole number"))(text)
  if (!(port instanceof Fault) || !/^[a-z]+:\/\//.test(text)) return port
  return new Fault(
    `${port.message}. Kubernetes sets it so for a Service named tollgate: ` +
      "give the pod enableServiceLinks: false",
  )
}

/** Separated by commas or spaces. */
function readNetworks(text: string): readonly string[] | Fault {
  const read = readWith(network())
  const networks: string[] = []
  for (const entry of text.split(/[\s,]+/).filter((one) => one !== "")) {
    const value = read(entry)
    if (value instanceof Fault)
      return new Fault(`${value.message}, and is not ${entry.slice(0, 50)}`)
    networks.push(value)
  }
  return networks
}

function unknownVariables(environment: Environment): string[] {
  return Object.keys(environment)
    .filter((name) => name.startsWith("TOLLGATE_"))
    .filter((name) => !OTHER_VARIABLES.test(name) && !KNOWN_VARIABLES.includes(name))
    .map((name) => `${name}: unknown variable, ignored.${suggestion(name, KNOWN_VARIABLES)}`)
}
