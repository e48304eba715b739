import { existsSync, readFileSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { ConfigError, type ConfigProblem } from "./config-error.ts"
import { asObject, type Finding } from "./finding.ts"
import { dialectsOf } from "./provider-rules.ts"
import { Faults } from "./reading.ts"
import { structureFindings } from "./rules.ts"
import { type FileNames, fileReader, type FileSettings } from "./schema.ts"
import type { Environment } from "./substitute.ts"
import type { KnownVendor } from "./vendors.ts"
import { YamlFile } from "./yaml-file.ts"

/** File in the working directory that is read if no file is named. */
export const DEFAULT_FILE = "tollgate.yaml"

/**
 * Returns the path of the settings file. A file named by an option or the environment must exist. The default file is
 * optional.
 */
export function findFile(named: string | undefined, environment: Environment): string | undefined {
  const option = named === undefined ? "TOLLGATE_CONFIG" : "--config"
  const file = named ?? (environment.TOLLGATE_CONFIG || undefined)
  if (file === undefined) return existsSync(DEFAULT_FILE) ? DEFAULT_FILE : undefined
  if (existsSync(file)) return file
  const message = `there is no file ${resolve(file)}. Create it, or name another`
  throw new ConfigError([{ path: option, message }])
}

/** Reads the text of a settings file. */
export function readFile(file: string): string {
  try {
    return readFileSync(file, "utf8")
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : ""
    const message = `cannot be read${code}. It must be a file that this user may read`
    throw new ConfigError([{ file, path: "", message }], { cause })
  }
}

export interface FileReading {
  /** Empty if there are problems. */
  readonly settings: FileSettings
  readonly problems: readonly ConfigProblem[]
}

/** Parses and validates the text of a settings file. */
export class SettingsFile {
  readonly #yaml: YamlFile
  readonly #directory: string
  /** The data before validation. */
  readonly #value: unknown

  constructor(name: string, text: string, environment: Environment) {
    this.#yaml = new YamlFile(name, text, environment)
    this.#directory = dirname(resolve(name))
    this.#value = withoutExtensions(this.#yaml.value ?? {})
  }

  /** Ids of the providers in the file, including those with invalid entries. */
  get providerIds(): readonly string[] {
    return Object.keys(asObject(asObject(this.#value)?.providers) ?? {})
  }

  /** @param providers ids of the providers that deployments may name. */
  read(vendors: readonly KnownVendor[], providers: readonly string[]): FileReading {
    const names: FileNames = {
      vendors: vendors.map((vendor) => vendor.id),
      providers,
      dialects: [...new Set(vendors.flatMap(dialectsOf))],
    }
    const read = fileReader(names, this.#directory).read(this.#value)
    const faults = read instanceof Faults ? read.all : []
    const problems = [
      ...this.#yaml.problems,
      ...faults.map(({ path, message, name }) => this.#yaml.problem(path, message, name)),
      ...structureFindings(this.#value, vendors, providers).map((finding) => this.problem(finding)),
    ]
    const settings = read instanceof Faults ? {} : read
    return { settings, problems: problems.toSorted(byPlace) }
  }

  /** Adds the position in the file to a finding. */
  problem({ path, message }: Finding): ConfigProblem {
    return this.#yaml.problem(path, message)
  }
}

/** Removes top-level names that begin with `x-`. They contain anchors that other parts of the file refer to. */
function withoutExtensions(value: unknown): unknown {
  const entries = Object.entries(asObject(value) ?? {})
  const kept = entries.filter(([name]) => !name.startsWith("x-"))
  return kept.length === entries.length ? value : Object.fromEntries(kept)
}

function byPlace(left: ConfigProblem, right: ConfigProblem): number {
  return (left.line ?? 0) - (right.line ?? 0) || (left.column ?? 0) - (right.column ?? 0)
}
