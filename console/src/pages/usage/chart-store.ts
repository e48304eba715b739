import { memberOf } from "../../api/api-error.ts"

/** A view of the usage page that the user has named. */
export interface SavedChart {
  readonly name: string
  /** The query of the view's address. */
  readonly search: Readonly<Record<string, string | undefined>>
}

/** Maximum number of saved charts. Longer lists are hard to search. */
const MAX_CHARTS = 50

/** Reads the stored charts. Invalid entries are ignored. */
export function readCharts(text: string): readonly SavedChart[] {
  try {
    const stored: unknown = JSON.parse(text)
    return Array.isArray(stored) ? stored.flatMap(chartIn) : []
  } catch {
    return []
  }
}

function chartIn(value: unknown): SavedChart[] {
  const [name, search] = [memberOf(value, "name"), memberOf(value, "search")]
  if (typeof name !== "string" || typeof search !== "object" || search === null) return []
  const texts = Object.entries(search).filter(([, member]) => typeof member === "string")
  return [{ name, search: Object.fromEntries(texts) }]
}

/** Adds a chart. It replaces a chart of the same name. Charts are sorted by name. */
export function withChart(charts: readonly SavedChart[], chart: SavedChart): readonly SavedChart[] {
  return [...charts.filter(({ name }) => name !== chart.name), chart]
    .slice(-MAX_CHARTS)
    .toSorted((left, right) => left.name.localeCompare(right.name))
}
