import { momentWords } from "#contract/price-periods.ts"
import type { PriceListsDocument } from "#contract/prices.ts"
import type { Command } from "commander"
import { runtimeConfigOf } from "../app/state.ts"
import { keyId, PROJECT_KEYS } from "../catalog/prices/feed.ts"
import { type UpcomingChange, percentOf, upcomingChanges } from "../catalog/prices/upcoming.ts"
import { loadSettings } from "../config/load.ts"
import { COMMAND_LINE } from "../management/actor.ts"
import { changeDocuments, countsOf, priceView } from "../management/prices/price-view.ts"
import { type PriceLists, dayOf } from "../management/prices/stored-lists.ts"
import type { PriceChange } from "../catalog/prices/changes.ts"
import { fetchFeed, shown } from "../catalog/prices/fetch-feed.ts"
import { PriceUpdates } from "../management/prices/price-updates.ts"
import { type RegisterCommand, commandGroup, outputOf } from "./command.ts"
import { loadOptions } from "./load-options.ts"
import { type Column, type Style, formatTable } from "./output.ts"
import { wholeSettings } from "./whole-settings.ts"
import { type Installation, withInstallation } from "./installation.ts"

const GROUP = ["prices", "manage the list of known prices"] as const

/** `tollgate prices status` */
const registerPricesStatus: RegisterCommand = (program, terminal) => {
  commandGroup(program, ...GROUP)
    .command("status")
    .description("show the active list of known prices, and whether a newer list is pending")
    .action(async (_options: object, command) => {
      const document = await withPrices(command, async (updates, { loaded: { settings } }) => ({
        ...statusOf(await updates.lists()),
        refresh: settings.prices.refresh ?? null,
        apply: settings.prices.apply,
        keys: [...PROJECT_KEYS, ...settings.prices.keys].map(keyId),
      }))
      outputOf(command, terminal).result(document, () => statusText(document))
    })
}

function statusOf(lists: PriceLists) {
  const { vendors, generated_from: from } = lists.facts
  const { pending, ...view } = priceView(lists)
  return {
    ...view,
    pending: pending && withoutChanges(pending),
    models: Object.values(vendors).flatMap((each) => Object.keys(each ?? {})).length,
    lists: from.map(({ name, date }) => ({ name, date })),
    faults: [...lists.faults],
  }
}

function withoutChanges(pending: NonNullable<PriceListsDocument["pending"]>) {
  const { date, source, increased, decreased, added, removed } = pending
  return { date, source, increased, decreased, added, removed }
}

interface Status extends ReturnType<typeof statusOf> {
  readonly refresh: string | null
  readonly apply: string
  readonly keys: readonly string[]
}

function statusText(status: Status): string {
  const { date, source, since, models, pending, refresh } = status
  const from = status.lists.map((list) => `${list.name} of ${list.date}`).join(", ")
  const lines = [
    `active:    ${date}, ${models} models, ${source}${since === null ? "" : ` since ${since}`}`,
    `made from: ${from}`,
    `built in:  ${status.built_in}`,
    `refresh:   ${refresh === null ? "off (prices.refresh)" : `daily from ${refresh}, apply: ${status.apply}`}`,
    `keys:      ${status.keys.join(", ")}`,
  ]
  if (pending) {
    const { date: day, source: place, ...counts } = pending
    lines.push(`pending:   ${day}, ${place}: ${countWords(counts)}`, "")
    lines.push("Review it with 'tollgate prices diff', apply it with 'tollgate prices update'.")
  }
  return [...lines, ...status.faults].join("\n")
}

/** `tollgate prices diff` */
const registerPricesDiff: RegisterCommand = (program, terminal) => {
  commandGroup(program, ...GROUP)
    .command("diff")
    .description("show what a newer list of known prices would change")
    .option("--from <FILE|URL>", "a signed list (default: the pending list)")
    .action(async ({ from }: { from?: string }, command) => {
      const { facts, changes } = await withPrices(command, async (updates) =>
        from === undefined ? updates.waiting() : updates.examine((await readFrom(from)).text),
      )
      const counts = countsOf(changes)
      const document = { date: dayOf(facts), ...counts, changes: changeDocuments(changes) }
      outputOf(command, terminal).result(document, (style) => {
        const summary = `The list is of ${dayOf(facts)}: ${countWords(counts)}.`
        return changes.length === 0
          ? summary
          : `${formatTable(CHANGE_COLUMNS, partsOf(changes), style)}\n\n${summary}`
      })
    })
}

/** `tollgate prices update` */
const registerPricesUpdate: RegisterCommand = (program, terminal) => {
  commandGroup(program, ...GROUP)
    .command("update")
    .description("activate a newer list of known prices")
    .option("--from <FILE|URL>", "a signed list (default: the pending list)")
    .action(async ({ from }: { from?: string }, command) => {
      const { facts, changes } = await withPrices(command, async (updates) => {
        if (from === undefined) return updates.apply(COMMAND_LINE)
        const { text, source } = await readFrom(from)
        return updates.update(COMMAND_LINE, text, source)
      })
      const counts = countsOf(changes)
      outputOf(command, terminal).result({ date: dayOf(facts), ...counts }, () =>
        changes.length === 0
          ? `The list is of ${dayOf(facts)} and changes nothing.`
          : `The prices of ${dayOf(facts)} are active: ${countWords(counts)}. Running gateways use them within a second; receipts keep the prices they were charged at.`,
      )
    })
}

/** One part of a changed price. The line of the first part also describes the whole change. */
interface ChangedPart<Change extends { readonly parts: readonly unknown[] }> {
  readonly change: Change
  readonly part: Change["parts"][number]
  readonly isFirst: boolean
}

function partsOf<Change extends { readonly parts: readonly unknown[] }>(
  changes: readonly Change[],
): ChangedPart<Change>[] {
  return changes.flatMap((change) =>
    change.parts.map((part, index) => ({ change, part, isFirst: index === 0 })),
  )
}

const UPCOMING_COLUMNS: readonly Column<ChangedPart<UpcomingChange>>[] = [
  {
    title: "WHEN",
    cell: ({ change: { at, isRecurring }, isFirst }) =>
      isFirst ? `${momentWords(at)}${isRecurring ? ", weekly" : ""}` : "",
  },
  {
    title: "MODEL",
    cell: ({ change: { model, deployment }, isFirst }) =>
      isFirst ? [model, ...(deployment === undefined ? [] : [deployment])].join(" at ") : "",
  },
  { title: "PRICE", cell: ({ part }) => part.name },
  { title: "BEFORE", align: "right", cell: ({ part }) => part.before ?? "-" },
  { title: "AFTER", align: "right", cell: ({ part }) => part.after ?? "-" },
  { title: "", align: "right", cell: ({ part }) => percentOf(part) },
  {
    title: "BEGINS",
    cell: ({ change: { period }, isFirst }) =>
      isFirst ? (period === undefined ? "the usual price" : (period ?? "a period")) : "",
  },
]

const UPCOMING_NOTE =
  "Prices are credits per million units, before the multiplier. Only the next change of a weekly price is listed."

/** `tollgate prices upcoming` */
const registerPricesUpcoming: RegisterCommand = (program, terminal) => {
  commandGroup(program, ...GROUP)
    .command("upcoming")
    .description("list upcoming price changes of the configured models")
    .action(async (_options: object, command) => {
      const load = loadOptions(command)
      const { settings, lists } = await wholeSettings(load, loadSettings(load))
      const { catalog } = runtimeConfigOf(settings, lists).config
      const changes = upcomingChanges(catalog.list(), Date.now())
      const document = { changes: changes.map(changeDocument) }
      outputOf(command, terminal).result(document, (style) => upcomingTable(changes, style))
    })
}

function changeDocument({ at, isRecurring, period, ...change }: UpcomingChange) {
  return {
    ...change,
    at: new Date(at).toISOString(),
    is_recurring: isRecurring,
    /** The name of the period that begins; null if no period begins, or if it has no name. */
    period: period ?? null,
  }
}

function upcomingTable(changes: readonly UpcomingChange[], style: Style): string {
  if (changes.length === 0) return "No price changes are known."
  return `${formatTable(UPCOMING_COLUMNS, partsOf(changes), style)}\n\n${UPCOMING_NOTE}`
}

const CHANGE_COLUMNS: readonly Column<ChangedPart<PriceChange>>[] = [
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
function withPrices<T>(
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
async function readFrom(from: string): Promise<{ text: string; source: string }> {
  const source = /^https?:/i.test(from) ? shown(from) : from
  return { text: await fetchFeed(from), source }
}

/** Formats counts: `3 increased, 1 added`. */
export function countWords(counts: Readonly<Record<string, number>>): string {
  const words = Object.entries(counts).flatMap(([kind, count]) =>
    count > 0 ? `${count} ${kind}` : [],
  )
  return words.length === 0 ? "nothing changes" : words.join(", ")
}

export const PRICE_COMMANDS: readonly RegisterCommand[] = [
  registerPricesStatus,
  registerPricesDiff,
  registerPricesUpdate,
  registerPricesUpcoming,
]
