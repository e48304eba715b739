import { PROJECT_KEYS } from "../catalog/prices/feed-keys.ts"
import { keyId } from "../catalog/prices/feed.ts"
import { priceChanges } from "../catalog/prices/changes.ts"
import { countsOf } from "../management/prices/price-updates.ts"
import { BUILT_IN, dayOf, type PriceLists } from "../management/prices/stored-lists.ts"
import { commandGroup, outputOf, type RegisterCommand } from "./command.ts"
import { countWords, withPrices } from "./price-lines.ts"

export const PRICES = "known prices: which list is in force, and newer ones"

/** `tollgate prices status` */
export const registerPricesStatus: RegisterCommand = (program, terminal) => {
  commandGroup(program, "prices", PRICES)
    .command("status")
    .description("show which list of known prices is in force, and of what day it is")
    .action(async (_options: object, command) => {
      const document = await withPrices(command, async (updates, { loaded }) => ({
        ...statusOf(await updates.lists()),
        keys: [...PROJECT_KEYS, ...loaded.settings.prices.keys].map(keyId),
      }))
      outputOf(command, terminal).result(document, () => words(document))
    })
}

function statusOf(lists: PriceLists) {
  const { facts, kept, pending } = lists
  const models = Object.values(facts.vendors).flatMap((each) => Object.keys(each ?? {})).length
  return {
    date: dayOf(facts),
    source: kept?.source ?? "built in",
    since: kept === undefined ? null : new Date(kept.at).toISOString(),
    models,
    lists: facts.generated_from.map(({ name, date }) => ({ name, date })),
    built_in: dayOf(BUILT_IN.facts),
    pending:
      pending === undefined
        ? null
        : {
            date: dayOf(pending.facts),
            source: pending.source,
            ...countsOf(priceChanges(facts, pending.facts)),
          },
    faults: [...lists.faults],
  }
}

function words(
  document: ReturnType<typeof statusOf> & { readonly keys: readonly string[] },
): string {
  const { date, source, since, models, lists, built_in: builtIn, pending, keys, faults } = document
  const from = lists.map((list) => `${list.name} of ${list.date}`).join(", ")
  const lines = [
    `in force:  ${date}, ${models} models, ${source}${since === null ? "" : ` since ${since}`}`,
    `made from: ${from}`,
    `built in:  ${builtIn}`,
    `keys:      ${keys.join(", ")}`,
  ]
  if (pending) {
    const { date: day, source: place, ...counts } = pending
    lines.push(`waiting:   ${day}, ${place}: ${countWords(counts)}`, "")
    lines.push("Look at it with 'tollgate prices diff', take it with 'tollgate prices update'.")
  }
  return [...lines, ...faults].join("\n")
}
