import { runtimeConfigOf } from "../app/state.ts"
import type { Settings } from "../config/settings.ts"
import type { Check } from "../management/check.ts"
import { MAX_READ_REQUESTS, newerModels, UNKNOWN_MODEL } from "../management/newer-models.ts"
import type { PriceLists } from "../management/prices/stored-lists.ts"
import { databaseOf } from "../store/installation-database.ts"

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
  return {
    name: "newer models",
    result: "warning",
    found: `callers requested models newer than the price list: ${named.join(", ")}${more}`,
    fix: "offer them at the highest price of their family: set unknown_models: family in the console (Models) or in tollgate.yaml. Or load a newer price list, or set their prices",
  }
}
