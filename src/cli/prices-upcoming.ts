import { momentWords } from "#contract/price-periods.ts"
import { runtimeConfigOf } from "../app/state.ts"
import { percentOf, type UpcomingChange, upcomingChanges } from "../catalog/prices/upcoming.ts"
import { loadSettings } from "../config/load.ts"
import { commandGroup, outputOf, type RegisterCommand } from "./command.ts"
import { loadOptions } from "./load-options.ts"
import { formatTable, type Style } from "./output.ts"
import { PRICES } from "./prices-status.ts"
import { wholeSettings } from "./whole-settings.ts"

const COLUMNS = [
  { title: "WHEN" },
  { title: "MODEL" },
  { title: "PRICE" },
  { title: "BEFORE", align: "right" },
  { title: "AFTER", align: "right" },
  { title: "", align: "right" },
  { title: "BEGINS" },
] as const

const NOTE =
  "Prices are credits per million units, before the multiplier. Only the next change of a weekly price is listed."

/** `tollgate prices upcoming` */
export const registerPricesUpcoming: RegisterCommand = (program, terminal) => {
  commandGroup(program, "prices", PRICES)
    .command("upcoming")
    .description("list upcoming price changes of the configured models")
    .action(async (_options: object, command) => {
      const load = loadOptions(command)
      const { settings, lists } = await wholeSettings(load, loadSettings(load))
      const { catalog } = runtimeConfigOf(settings, lists).config
      const changes = upcomingChanges(catalog.list(), Date.now())
      const document = { changes: changes.map(changeDocument) }
      outputOf(command, terminal).result(document, (style) => changeTable(changes, style))
    })
}

function changeDocument({ at, isRecurring, period, ...change }: UpcomingChange) {
  return {
    ...change,
    at: new Date(at).toISOString(),
    is_recurring: isRecurring,
    /** The name of the period that begins; null: no period begins, or it has no name. */
    period: period ?? null,
  }
}

function changeTable(changes: readonly UpcomingChange[], style: Style): string {
  if (changes.length === 0) return "No price changes are known."
  const rows = changes.flatMap(({ model, deployment, at, isRecurring, period, parts }) =>
    parts.map((part, index) => {
      const isFirst = index === 0
      const begins = period === undefined ? "the usual price" : (period ?? "a period")
      return [
        isFirst ? `${momentWords(at)}${isRecurring ? ", weekly" : ""}` : "",
        isFirst ? [model, ...(deployment === undefined ? [] : [deployment])].join(" at ") : "",
        part.name,
        part.before ?? "-",
        part.after ?? "-",
        percentOf(part),
        isFirst ? begins : "",
      ]
    }),
  )
  return `${formatTable(COLUMNS, rows, style)}\n\n${NOTE}`
}
