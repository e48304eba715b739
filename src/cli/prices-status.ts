import type { PriceListsDocument } from "#contract/prices.ts"
import { PROJECT_KEYS } from "../catalog/prices/feed-keys.ts"
import { keyId } from "../catalog/prices/feed.ts"
import { priceView } from "../management/prices/price-view.ts"
import type { PriceLists } from "../management/prices/stored-lists.ts"
import { commandGroup, outputOf, type RegisterCommand } from "./command.ts"
import { countWords, withPrices } from "./price-lines.ts"

export const PRICES = "known prices: which list is in force, and newer ones"

/** `tollgate prices status` */
export const registerPricesStatus: RegisterCommand = (program, terminal) => {
  commandGroup(program, "prices", PRICES)
    .command("status")
    .description("show which list of known prices is in force, and whether a newer one waits")
    .action(async (_options: object, command) => {
      const document = await withPrices(command, async (updates, { loaded: { settings } }) => ({
        ...statusOf(await updates.lists()),
        refresh: settings.prices.refresh ?? null,
        apply: settings.prices.apply,
        keys: [...PROJECT_KEYS, ...settings.prices.keys].map(keyId),
      }))
      outputOf(command, terminal).result(document, () => words(document))
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
  const { date, source, dearer, cheaper, added, removed } = pending
  return { date, source, dearer, cheaper, added, removed }
}

interface Status extends ReturnType<typeof statusOf> {
  readonly refresh: string | null
  readonly apply: string
  readonly keys: readonly string[]
}

function words(status: Status): string {
  const { date, source, since, models, pending, refresh } = status
  const from = status.lists.map((list) => `${list.name} of ${list.date}`).join(", ")
  const lines = [
    `in force:  ${date}, ${models} models, ${source}${since === null ? "" : ` since ${since}`}`,
    `made from: ${from}`,
    `built in:  ${status.built_in}`,
    `refresh:   ${refresh === null ? "off (prices.refresh)" : `daily from ${refresh}, apply: ${status.apply}`}`,
    `keys:      ${status.keys.join(", ")}`,
  ]
  if (pending) {
    const { date: day, source: place, ...counts } = pending
    lines.push(`waiting:   ${day}, ${place}: ${countWords(counts)}`, "")
    lines.push("See it with 'tollgate prices diff', take it with 'tollgate prices update'.")
  }
  return [...lines, ...status.faults].join("\n")
}
