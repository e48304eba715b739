/** Reports the number of known models of each vendor and the ages of their prices. */
import { DAY_MS } from "#contract/durations.ts"
import shipped from "../src/catalog/facts.json" with { type: "json" }
import type { Facts, ModelFacts } from "../src/catalog/facts.ts"
import { vendors as shippedVendors } from "../src/vendors/index.ts"
import type { Vendor } from "../src/vendors/vendor.ts"

const HEAD = ["provider", "models", "unpriced", "newest", "median", "oldest"]

type CheckedVendor = Pick<Vendor, "id" | "isSelfHosted">

interface KnownModels {
  /** Rows of the table, one per vendor. */
  readonly table: readonly string[]
  /** Vendors without known models. */
  readonly violations: string[]
}

/**
 * Lists the known models of each vendor and the ages of their prices in days. Prices from a table of this project have
 * no age.
 * @param today the date as `YYYY-MM-DD`.
 */
export function knownModels(
  today: string,
  facts: Facts = shipped,
  vendors: Iterable<CheckedVendor> = shippedVendors.values(),
): KnownModels {
  const hosted = [...vendors].filter(({ isSelfHosted }) => isSelfHosted !== true)
  const models = hosted.map(({ id }) => Object.values(facts.vendors[id] ?? {}))
  const rows = hosted
    .map(({ id }, index) => [id, ...figures(models[index] ?? [], today)])
    .toSorted(([left = ""], [right = ""]) => (left < right ? -1 : 1))
  const violations = hosted.flatMap(({ id }, index) =>
    (models[index] ?? []).length > 0
      ? []
      : [`${id}: no model is known: add it to price-data/vendors.ts and run npm run facts`],
  )
  return { table: aligned([HEAD, ...rows]), violations }
}

function figures(models: readonly ModelFacts[], today: string): string[] {
  const unpriced = models.filter(({ price }) => price === undefined).length
  const ages = models
    .flatMap(({ priced }) => (priced === undefined ? [] : [daysBetween(priced, today)]))
    .toSorted((left, right) => left - right)
  const shown = [ages[0], ages[Math.floor(ages.length / 2)], ages.at(-1)]
  return [models.length, unpriced, ...shown].map((figure) => String(figure ?? "-"))
}

function daysBetween(day: string, today: string): number {
  return Math.round((Date.parse(today) - Date.parse(day)) / DAY_MS)
}

/** Aligns the first column to the left and the other columns to the right. */
function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)))
  return rows.map((row) =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0
        return column === 0 ? cell.padEnd(width) : cell.padStart(width)
      })
      .join("  "),
  )
}
