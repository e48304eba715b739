import type { Command } from "commander"
import type { PriceChange } from "../catalog/prices/changes.ts"
import { fetchFeed, shown } from "../catalog/prices/fetch-feed.ts"
import { PriceUpdates } from "../management/prices/price-updates.ts"
import { type Installation, withInstallation } from "./installation.ts"
import { formatTable, type Style } from "./output.ts"

const COLUMNS = [
  { title: "MODEL" },
  { title: "PRICE" },
  { title: "NOW", align: "right" },
  { title: "THEN", align: "right" },
  { title: "" },
] as const

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
  const rows = changes.flatMap(({ vendor, model, kind, parts }) =>
    parts.map(({ name, before, after }, index) => [
      index === 0 ? `${vendor}/${model ?? "(services)"}` : "",
      name,
      before ?? "-",
      after ?? "-",
      index === 0 ? kind : "",
    ]),
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
