import { COMMAND_LINE } from "../management/actor.ts"
import { countsOf } from "../management/prices/price-view.ts"
import { dayOf } from "../management/prices/stored-lists.ts"
import { commandGroup, outputOf, type RegisterCommand } from "./command.ts"
import { countWords, readFrom, withPrices } from "./price-lines.ts"
import { PRICES } from "./prices-status.ts"

/** `tollgate prices update` */
export const registerPricesUpdate: RegisterCommand = (program, terminal) => {
  commandGroup(program, "prices", PRICES)
    .command("update")
    .description("put a newer list of known prices in force")
    .option("--from <FILE|URL>", "a signed list; without it, the one that waits")
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
          : `The prices of ${dayOf(facts)} are in force: ${countWords(counts)}. Running gateways use them within a second; receipts keep the prices they were charged at.`,
      )
    })
}
