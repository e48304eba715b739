import { changeDocuments, countsOf } from "../management/prices/price-view.ts"
import { dayOf } from "../management/prices/stored-lists.ts"
import { commandGroup, outputOf, type RegisterCommand } from "./command.ts"
import { changeTable, countWords, readFrom, withPrices } from "./price-lines.ts"
import { PRICES } from "./prices-status.ts"

/** `tollgate prices diff` */
export const registerPricesDiff: RegisterCommand = (program, terminal) => {
  commandGroup(program, "prices", PRICES)
    .command("diff")
    .description("show what a newer list of known prices would change")
    .option("--from <FILE|URL>", "a signed list; without it, the one that waits")
    .action(async ({ from }: { from?: string }, command) => {
      const { facts, changes } = await withPrices(command, async (updates) =>
        from === undefined ? updates.waiting() : updates.examine((await readFrom(from)).text),
      )
      const counts = countsOf(changes)
      const document = { date: dayOf(facts), ...counts, changes: changeDocuments(changes) }
      outputOf(command, terminal).result(document, (style) => {
        const summary = `The list is of ${dayOf(facts)}: ${countWords(counts)}.`
        return changes.length === 0 ? summary : `${changeTable(changes, style)}\n\n${summary}`
      })
    })
}
