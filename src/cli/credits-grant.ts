import { formatCredits } from "../ledger/money.ts"
import { commandGroup, outputOf, type RegisterCommand } from "./command.ts"
import { requireAccount, withInstallation } from "./installation.ts"
import { formatFields } from "./output.ts"
import { creditsArgument } from "./parse.ts"

/** `tollgate credits grant ACCOUNT N [--note TEXT]` */
export const registerCreditsGrant: RegisterCommand = (program, terminal) => {
  commandGroup(program, "credits", "credits: what accounts pay with")
    .command("grant")
    .description("add credits to an account")
    .argument("<ACCOUNT>", "its name or id")
    .argument("<N>", "how many", creditsArgument)
    .option("--note <TEXT>", "why; it stands in the book")
    .action(async (name: string, amount: bigint, options: { note?: string }, command) => {
      const granted = await withInstallation(command, async ({ store }) => {
        const account = await requireAccount(store, name)
        const entry = await store.addEntry({
          account: account.id,
          kind: "grant",
          amount,
          at: Date.now(),
          note: options.note ?? null,
          author: "cli",
        })
        return { account, entry }
      })
      const balance = formatCredits(granted.entry.balance)
      const document = {
        account: granted.account.id,
        name: granted.account.name,
        entry: granted.entry.number,
        amount: formatCredits(amount),
        balance,
      }
      outputOf(command, terminal).result(document, (style) =>
        formatFields(
          [
            ["account", granted.account.name],
            ["granted", `${formatCredits(amount)} credits, entry ${granted.entry.number}`],
            ["balance", `${balance} credits`],
          ],
          style,
        ),
      )
    })
}
