import type { Command } from "commander"
import type { PriceChange } from "../catalog/prices/changes.ts"
import { fetchFeed, shown } from "../catalog/prices/fetch-feed.ts"
import { PriceUpdates } from "../management/prices/price-updates.ts"
import { type Installation, withInstallation } from "./installation.ts"
import { type Column, formatTable, type Style } from "./output.ts"

/** One part of a changed price. The model and the kind of change are only in the line of the first part. */
interface ChangedPart {
  readonly change: PriceChange
  readonly part: PriceChange["parts"][number]
  readonly isFirst: boolean
}

const COLUMNS: readonly Column<ChangedPart>[] = [
  {
    title: "MODEL",
    cell: ({ change, isFirst }) =>
      isFirst ? `${change.vendor}/${change.model ?? "(services)"}` : "",
  },
  { title: "PRICE", cell: ({ part }) => part.name },
  { title: "NOW", align: "right", cell: ({ part }) => part.before ?? "-" },
  { title: "THEN", align: "right", cell: ({ part }) => part.after ?? "-" },
  { title: "", cell: ({ change, isFirst }) => (isFirst ? change.kind : "") },
]

/** Runs a command with the price lists of an installation. */
export function withPrices<T>(
  command: Command,
  work: (updates: PriceUpdates, installation: Installation) => Promise<T>,
): Promise<T> {
  return withInstallation(command, (installation) => {
    const { store, audit, loaded } = installation
    const ownKeys = (): readonly string[] => loaded.settings.prices.keys
    return work(new PriceUpdates({ store, audit, ownKeys }), installation)
  })
}

/** Reads a list from a file or an address, and returns it with the name of its source. */
export async function readFrom(from: string): Promise<{ text: string; source: string }> {
  const source = /^https?:/i.test(from) ? shown(from) : from
  return { text: await fetchFeed(from), source }
}

/** Formats price changes as a table with one line for each part of a price. */
export function changeTable(changes: readonly PriceChange[], style: Style): string {
  const rows = changes.flatMap((change) =>
    change.parts.map((part, index) => ({ change, part, isFirst: index === 0 })),
  )
  return formatTable(COLUMNS, rows, style)
}

/** Formats counts: `3 increased, 1 added`. */
export function countWords(counts: Readonly<Record<string, number>>): string {
  const words = Object.entries(counts).flatMap(([kind, count]) =>
    count > 0 ? `${count} ${kind}` : [],
  )
  return words.length === 0 ? "nothing changes" : words.join(", ")
}
