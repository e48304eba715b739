import { DAY_MS } from "#contract/durations.ts"
import { accessSync, constants, mkdirSync, statfsSync } from "node:fs"
import { runtimeConfigOf } from "../app/state.ts"
import { ConfigError } from "../config/config-error.ts"
import { extraCertificatesProblem } from "../config/extra-certificates.ts"
import { type LoadedSettings, type LoadOptions, loadSettings } from "../config/load.ts"
import type { Settings } from "../config/settings.ts"
import { BUILT_IN, type PriceLists, dayOf } from "../management/prices/stored-lists.ts"
import { type Check, checkOf, warningChecks } from "../management/check.ts"
import { checkDatabase } from "./doctor-database.ts"
import { checkLines } from "./doctor-lines.ts"
import { checkProviders, checkProxies } from "./doctor-providers.ts"
import { wholeSettings } from "./whole-settings.ts"
import { backupAge } from "../notices/backup-age.ts"
import { databaseOf } from "../store/installation-database.ts"
import { formatLength } from "./output.ts"
import { MAX_READ_REQUESTS, newerModels, UNKNOWN_MODEL } from "../management/newer-models.ts"
import { journalState } from "../store/installation-journal.ts"
import { priceView } from "../management/prices/price-view.ts"
import { countWords } from "./prices.ts"

const LOW_FREE_BYTES = 512 * 1024 * 1024
const MAX_LISTED_MODELS = 5

/** Runs all checks. A failed check never prevents the next one. */
export async function examine(load: LoadOptions): Promise<Check[]> {
  let loaded: LoadedSettings
  try {
    loaded = loadSettings(load)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.problems.map((problem) =>
      checkOf("settings").failed(
        `${problem.line === undefined ? "" : `line ${problem.line}: `}${problem.path} ${problem.message}`.trim(),
        "correct it in the settings file or the environment",
      ),
    )
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
  return [checkOf("settings").ok(found), ...checks]
}

/** The effective state of an installation. */
interface Whole {
  readonly settings: Settings
  readonly lists: PriceLists
  readonly check?: Check
}

/** Returns the settings including those from the console, and the problems of unusable settings. */
async function withConsole(load: LoadOptions, loaded: LoadedSettings): Promise<Whole> {
  const check = checkOf("console")
  try {
    const { settings, reading, lists } = await wholeSettings(load, loaded)
    const faults = [...reading.faults].map(([place, fault]) => `${place}: ${fault}`)
    if (faults.length === 0) return { settings, lists }
    const found = `${faults.length} settings of the console are invalid`
    return { settings, lists, check: check.warning(found, faults.join("; ")) }
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
  return checkOf("certificates").failed(found, fix)
}

function checkData(directory: string): Check {
  const check = checkOf("data directory")
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    accessSync(directory, constants.R_OK | constants.W_OK)
    const { bavail, bsize } = statfsSync(directory)
    const room = bavail * bsize
    const found = `${directory}, ${Math.floor(room / 1024 / 1024)} MB free`
    if (room > LOW_FREE_BYTES) return check.ok(found)
    return check.warning(found, "free some space: a full disk stops the gateway")
  } catch (error) {
    const found = error instanceof Error ? error.message : String(error)
    return check.failed(found, "choose a writable folder with --data")
  }
}

/** Checks whether all models have a price, because requests for models without a price are rejected. */
export function checkPrices(settings: Settings, lists: PriceLists): Check {
  const check = checkOf("prices")
  const { catalog } = runtimeConfigOf(settings, lists).config
  const models = catalog.list().length
  if (models === 0) return check.ok("there are no models yet")
  const unpriced = catalog.unpriced.map(({ id }) => id)
  if (unpriced.length === 0) return check.ok(`all ${models} models have a price`)
  const named = unpriced.slice(0, MAX_LISTED_MODELS).join(", ")
  const more =
    unpriced.length > MAX_LISTED_MODELS ? ` and ${unpriced.length - MAX_LISTED_MODELS} more` : ""
  return check.warning(
    `${unpriced.length} of ${models} models have no price and are rejected`,
    `give them a price in the console or in tollgate.yaml: ${named}${more}`,
  )
}

/** Checks whether the last backup is too old. Returns undefined if there is nothing to back up. */
async function checkBackup(settings: Settings, now = Date.now()): Promise<Check | undefined> {
  const check = checkOf("backup")
  const database = databaseOf(settings)
  if (!(await database.exists())) return undefined
  await using reader = await database.openReader()
  const { last, every, isOverdue } = backupAge(await reader.backups.list(), settings.backup, now)
  const fix =
    settings.database === undefined
      ? "make one with 'tollgate backup', and find out why the last one failed"
      : "check that pg_dump runs, and then 'tollgate backup --record'"
  if (last === null) {
    const found = "no backup was made or recorded with 'tollgate backup'"
    return isOverdue ? check.warning(found, fix) : check.ok(found)
  }
  const moment = new Date(last.at).toISOString()
  const interval = every === null ? "" : `; one is expected every ${formatLength(every)}`
  const found = `${formatLength(now - last.at)} old, of ${moment}, at ${last.place}${interval}`
  return isOverdue ? check.warning(found, fix) : check.ok(found)
}

/** Maximum models that the check lists. */
const MAX_NAMES = 5

/** Warns about requested models that are newer than the price list; undefined if there were none. */
export async function checkNewerModels(
  settings: Settings,
  lists: PriceLists,
): Promise<Check | undefined> {
  if (settings.unknownModels !== undefined) return undefined
  const database = databaseOf(settings)
  if (!(await database.exists())) return undefined
  const failed = await database.failedRequests(UNKNOWN_MODEL, MAX_READ_REQUESTS)
  const found = newerModels(runtimeConfigOf(settings, lists).config.catalog, failed)
  if (found.length === 0) return undefined
  const named = found.slice(0, MAX_NAMES).map(({ id, requests }) => `${id} (${requests} requests)`)
  const more = found.length > MAX_NAMES ? ` and ${found.length - MAX_NAMES} more` : ""
  return checkOf("newer models").warning(
    `callers requested models newer than the price list: ${named.join(", ")}${more}`,
    "offer them at the highest price of their family: set unknown_models: family in the console (Models) or in tollgate.yaml. Or load a newer price list, or set their prices",
  )
}

/** Maximum normal age of a pending charge. A reachable database receives pending charges within seconds. */
const LONG_WAIT_MS = 60_000

/** Checks whether charges are pending in the journal of a data folder; undefined if there is no journal. */
function checkJournal(folder: string, now = Date.now()): Check | undefined {
  const check = checkOf("journal")
  try {
    const state = journalState(folder)
    if (state === null) return undefined
    const { waiting, oldest, rejected } = state
    const since = oldest === null ? "" : `, the oldest since ${new Date(oldest).toISOString()}`
    const found = `${waiting} charges are pending for the database${since}; it has rejected ${rejected}`
    if (rejected > 0) {
      const fix =
        "look for ledger_failed in the log: these charges are in journal.db, with the reason"
      return check.warning(found, fix)
    }
    const isLate = oldest !== null && now - oldest > LONG_WAIT_MS
    if (!isLate) return check.ok(found)
    return check.warning(found, "start a gateway on this data folder, which posts them")
  } catch (error) {
    const found = error instanceof Error ? error.message : String(error)
    const fix =
      "move journal.db aside, and keep it, because it may contain charges that are not posted yet"
    return check.failed(found, fix)
  }
}

/** Age in days at which prices count as old. Vendors change prices every few weeks. */
const OLD_DAYS = 60

/** Checks whether the known prices are recent, and whether newer prices are pending. */
export function checkPriceLists({ prices }: Settings, lists: PriceLists, now = Date.now()): Check {
  const check = checkOf("known prices")
  const day = dayOf(lists.facts)
  const { pending } = priceView(lists)
  if (lists.faults.length > 0) {
    const fix = "apply a list again: tollgate prices update --from FILE|URL"
    return check.warning(lists.faults.join("; "), fix)
  }
  if (pending !== null) {
    const { date, increased, decreased, added, removed } = pending
    const counts = countWords({ increased, decreased, added, removed })
    return check.warning(
      `of ${day}; those of ${date} are pending: ${counts}`,
      "review them with 'tollgate prices diff', apply them with 'tollgate prices update'",
    )
  }
  const age = Math.floor((now - Date.parse(day)) / DAY_MS)
  if (age <= OLD_DAYS) return check.ok(`of ${day}`)
  return check.warning(
    `of ${day}, ${age} days old: vendors may charge more now`,
    prices.refresh === undefined
      ? "set prices.refresh, apply a newer list with 'tollgate prices update --from FILE|URL', or upgrade"
      : `see the log for the reason why no newer list from ${prices.refresh} was applied`,
  )
}
