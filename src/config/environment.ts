import type { ConfigProblem } from "./config-error.ts"
import { DECLARED_SETTINGS } from "./declared-settings.ts"
import { suggestion } from "./nearest.ts"
import { Fault } from "./reading.ts"
import { oneOf } from "./scalars.ts"
import type { Environment } from "./substitute.ts"
import { type TelemetryEnvironment, telemetryEnvironment } from "./telemetry-environment.ts"

/** Tollgate's environment variables, including those that override settings. */
const KNOWN_VARIABLES = [
  "TOLLGATE_CONFIG",
  "TOLLGATE_DEBUG",
  "TOLLGATE_LOG",
  ...DECLARED_SETTINGS.flatMap(({ environment }) => environment ?? []),
].toSorted()

/** Log levels, from the most verbose to no output. */
const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"]

/** Variables that the gateway sets for its own processes, or that callers use. */
const OTHER_VARIABLES = /^TOLLGATE_((WORKER|SANDBOX)_|KEY$)/

export interface EnvironmentReading {
  /** Values from `TOLLGATE_*`, by the name of the setting they override, such as `server.port`. */
  readonly overrides: Readonly<Record<string, unknown>>
  /** Values from `OTEL_*`, which the file overrides. */
  readonly telemetry: TelemetryEnvironment
  readonly problems: readonly ConfigProblem[]
  readonly warnings: readonly string[]
}

/** Reads `TOLLGATE_*` and `OTEL_*`. An empty variable counts as not set. */
export function readEnvironment(environment: Environment): EnvironmentReading {
  const problems: ConfigProblem[] = []
  const read = (path: string, parse: (text: string) => unknown): unknown => {
    const text = environment[path]
    if (typeof text !== "string" || text === "") return undefined
    const value = parse(text)
    if (!(value instanceof Fault)) return value
    problems.push({ path, message: value.message })
    return undefined
  }
  read("TOLLGATE_LOG", (text) => oneOf(LOG_LEVELS, "log level").readOne(text))
  const overrides = DECLARED_SETTINGS.flatMap((setting) => {
    if (setting.environment === undefined) return []
    const { reader, readVariable } = setting
    const value = read(setting.environment, readVariable ?? ((text) => reader.readOne(text)))
    return value === undefined ? [] : [[setting.name, value] as const]
  })
  const telemetry = telemetryEnvironment(environment)
  return {
    overrides: Object.fromEntries(overrides),
    telemetry: telemetry.values,
    problems,
    warnings: [...unknownVariables(environment), ...telemetry.warnings],
  }
}

/** Returns the log level. `readEnvironment` has validated it. */
export function logLevel(environment: Environment): string {
  return environment.TOLLGATE_LOG || "info"
}

function unknownVariables(environment: Environment): string[] {
  return Object.keys(environment)
    .filter((name) => name.startsWith("TOLLGATE_"))
    .filter((name) => !OTHER_VARIABLES.test(name) && !KNOWN_VARIABLES.includes(name))
    .map((name) => `${name}: unknown variable, ignored.${suggestion(name, KNOWN_VARIABLES)}`)
}
