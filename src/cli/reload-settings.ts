import { statSync } from "node:fs"
import { ConfigError, type ConfigProblem } from "../config/config-error.ts"
import { type LoadedSettings, type LoadOptions, loadSettings } from "../config/load.ts"
import { valueAt } from "../config/places.ts"
import { vendors } from "../vendors/index.ts"
import { PoolThread } from "../workers/pool-thread.ts"
import { listedModels } from "./listed-models.ts"

/** Maximum size of a file that is read on the event loop. Reading it takes up to 30 ms. */
const MAX_INLINE_BYTES = 4 * 1024
/** Timeout for reading a file. */
const DEADLINE_MS = 60_000
const THREAD = "cli/settings-thread.ts"

/** The location of the settings. The thread adds the vendors and the models itself. */
type Location = Pick<LoadOptions, "file" | "dataDirectory" | "environment">

/** The result of reading settings on a thread. A copy loses the class of an error. */
type Reading =
  | {
      readonly loaded: LoadedSettings
      /** Paths of the tables without a prototype, because a copy has one. */
      readonly tables: readonly (readonly string[])[]
    }
  | { readonly problems: readonly ConfigProblem[] }

/**
 * Reads the settings of a running gateway. A large file is read on a separate thread, so that callers do not wait.
 * @throws ConfigError
 */
export async function reloadSettings(load: LoadOptions): Promise<LoadedSettings> {
  const { file, dataDirectory, environment } = load
  const bytes = file === undefined ? 0 : (statSync(file, { throwIfNoEntry: false })?.size ?? 0)
  if (bytes <= MAX_INLINE_BYTES) return loadSettings(load)
  const input: Location = {
    environment: { ...environment },
    ...(file !== undefined && { file }),
    ...(dataDirectory !== undefined && { dataDirectory }),
  }
  using thread = new PoolThread(THREAD, () => {})
  const job = { name: "read-settings", input, owner: "" }
  const reading = (await thread.run(job, DEADLINE_MS)) as Reading | undefined
  if (reading === undefined) throw new Error("the settings could not be read in time")
  if ("problems" in reading) throw new ConfigError(reading.problems)
  for (const path of reading.tables) Object.setPrototypeOf(valueAt(reading.loaded, path), null)
  return reading.loaded
}

/** Reads the settings on the thread. */
export function readSettings(location: Location): Reading {
  try {
    const loaded = loadSettings({
      ...location,
      vendors: [...vendors.values()],
      modelsOf: listedModels,
    })
    return { loaded, tables: tablesIn(loaded) }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return { problems: error.problems }
  }
}

/** Returns the paths of all objects without a prototype. */
function tablesIn(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== "object" || value === null) return []
  const inner = Object.entries(value).flatMap(([name, one]) => tablesIn(one, [...path, name]))
  return Object.getPrototypeOf(value) === null ? [path, ...inner] : inner
}
