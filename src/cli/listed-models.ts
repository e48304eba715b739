import { buildCatalog } from "../catalog/build-catalog.ts"
import facts from "../catalog/facts.json" with { type: "json" }
import type { Settings } from "../config/settings.ts"
import { vendors } from "../vendors/index.ts"

/** Returns the ids of the models that the settings make available. */
export function listedModels(settings: Settings): ReadonlySet<string> {
  const { catalog } = buildCatalog({ settings, facts, vendors })
  return new Set(catalog.list().map(({ id }) => id))
}
