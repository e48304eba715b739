import { accessSync, constants, mkdirSync, statfsSync } from "node:fs"
import { runtimeConfigOf } from "../app/state.ts"
import { ConfigError } from "../config/config-error.ts"
import { extraCertificatesProblem } from "../config/extra-certificates.ts"
import { type LoadedSettings, type LoadOptions, loadSettings } from "../config/load.ts"
import type { Settings } from "../config/settings.ts"
import { BUILT_IN, type PriceLists } from "../management/prices/stored-lists.ts"
import { checkBackup } from "./doctor-backup.ts"
import { warningChecks } from "../management/warning-checks.ts"
import type { Check } from "../management/check.ts"
import { checkDatabase } from "./doctor-database.ts"
import { checkJournal } from "./doctor-journal.ts"
import { checkLines } from "./doctor-lines.ts"
import { checkNewerModels } from "./doctor-newer-models.ts"
import { checkPriceLists } from "./doctor-prices.ts"
import { checkProviders, checkProxies } from "./doctor-providers.ts"
import { wholeSettings } from "./whole-settings.ts"

const LOW_FREE_BYTES = 512 * 1024 * 1024
const MAX_LISTED_MODELS = 5

/** Runs all checks. A failed check never prevents the next one. */
export async function examine(load: LoadOptions): Promise<Check[]> {
  let loaded: LoadedSettings
  try {
    loaded = loadSettings(load)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.problems.map((problem) => ({
      name: "settings",
      result: "failed",
      found:
        `${problem.line === undefined ? "" : `line ${problem.line}: `}${problem.path} ${problem.message}`.trim(),
      fix: "correct it in the settings file or the environment",
    }))
  }
  const database = await checkDatabase(loaded.settings)
  const isUsable = database.every(({ result }) => result !== "failed")
  // The database check already reports why the database cannot be read.
  const whole: Whole = isUsable
    ? await withConsole(load, loaded)
    : { settings: loaded.settings, lists: BUILT_IN }
  const { settings, lists, check } = whole
  const providers = await checkProviders(settings)
  const journal = checkJournal(settings.data)
  const certificates = checkCertificates()
  const newer = isUsable ? await checkNewerModels(settings, lists) : undefined
  const backup = isUsable ? await checkBackup(settings) : undefined
  return [
    ...checkSettings(loaded, whole),
    ...(check === undefined ? [] : [check]),
    checkData(settings.data),
    ...database,
    ...(journal === undefined ? [] : [journal]),
    ...(backup === undefined ? [] : [backup]),
    ...(await checkLines(settings.log)),
    ...(certificates === undefined ? [] : [certificates]),
    providers.clock,
    ...checkProxies(load.environment),
    ...providers.checks,
    checkPrices(settings, lists),
    checkPriceLists(settings, lists),
    ...(newer === undefined ? [] : [newer]),
  ]
}

/** Reports the source of the settings, and every warning that a start with them would log. */
function checkSettings(loaded: LoadedSettings, { settings, lists }: Whole): Check[] {
  const { warnings } = runtimeConfigOf(settings, lists)
  const checks = warningChecks([...loaded.warnings, ...warnings])
  const found = loaded.file ?? "no file, environment only"
  return [{ name: "settings", result: "ok", found }, ...checks]
}

/** The effective state of an installation. */
interface Whole {
  readonly settings: Settings
  readonly lists: PriceLists
  readonly check?: Check
}

/** Returns the settings including those from the console, and the problems of unusable settings. */
async function withConsole(load: LoadOptions, loaded: LoadedSettings): Promise<Whole> {
  const name = "console"
  try {
    const { settings, reading, lists } = await wholeSettings(load, loaded)
    const faults = [...reading.faults].map(([place, fault]) => `${place}: ${fault}`)
    if (faults.length === 0) return { settings, lists }
    const found = `${faults.length} settings of the console are invalid`
    return { settings, lists, check: { name, result: "warning", found, fix: faults.join("; ") } }
  } catch {
    // The database check reports why the database cannot be opened.
    return { settings: loaded.settings, lists: BUILT_IN }
  }
}

/** Checks the file of additional certificate authorities; undefined if there is no problem. */
function checkCertificates(): Check | undefined {
  const found = extraCertificatesProblem(process.env)
  if (found === undefined) return undefined
  const fix = "correct the path, make the file readable for this process, or unset the variable"
  return { name: "certificates", result: "failed", found, fix }
}

function checkData(directory: string): Check {
  const name = "data directory"
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    accessSync(directory, constants.R_OK | constants.W_OK)
    const { bavail, bsize } = statfsSync(directory)
    const room = bavail * bsize
    const found = `${directory}, ${Math.floor(room / 1024 / 1024)} MB free`
    if (room > LOW_FREE_BYTES) return { name, result: "ok", found }
    return {
      name,
      result: "warning",
      found,
      fix: "free some space: a full disk stops the gateway",
    }
  } catch (error) {
    const found = error instanceof Error ? error.message : String(error)
    return {
      name,
      result: "failed",
      found,
      fix: "choose a writable folder with --data",
    }
  }
}

/** Checks whether all models have a price, because requests for models without a price are rejected. */
export function checkPrices(settings: Settings, lists: PriceLists): Check {
  const name = "prices"
  const { catalog } = runtimeConfigOf(settings, lists).config
  const models = catalog.list().length
  if (models === 0) return { name, result: "ok", found: "there are no models yet" }
  const unpriced = catalog.unpriced.map(({ id }) => id)
  if (unpriced.length === 0)
    return { name, result: "ok", found: `all ${models} models have a price` }
  const named = unpriced.slice(0, MAX_LISTED_MODELS).join(", ")
  const more =
    unpriced.length > MAX_LISTED_MODELS ? ` and ${unpriced.length - MAX_LISTED_MODELS} more` : ""
  return {
    name,
    result: "warning",
    found: `${unpriced.length} of ${models} models have no price and are rejected`,
    fix: `give them a price in the console or in tollgate.yaml: ${named}${more}`,
  }
}
