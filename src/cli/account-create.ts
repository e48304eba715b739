import { randomText } from "../keys/secret.ts"
import { formatCredits } from "../ledger/money.ts"
import { commandGroup, outputOf, type RegisterCommand } from "./command.ts"
import { withInstallation } from "./installation.ts"
import { formatFields } from "./output.ts"
import { creditsArgument } from "./parse.ts"

/** `tollgate account create NAME [--credits N]` */
export const registerAccountCreate: RegisterCommand = (program, terminal) => {
  commandGroup(program, "account", "accounts: who pays")
    .command("create")
    .description("create an account")
    .argument("<NAME>", "its name, which no other account has")
    .option("--credits <N>", "credits to begin with", creditsArgument)
    .action(async (name: string, options: { credits?: bigint }, command) => {
      const account = await withInstallation(command, async ({ store }) => {
        const createdAt = Date.now()
        const created = await store.createAccount({
          id: `acc_${randomText(16)}`,
          name,
          createdAt,
        })
        if (options.credits === undefined) return created
        const { balance } = await store.addEntry({
          account: created.id,
          kind: "grant",
          amount: options.credits,
          at: createdAt,
          note: "credits to begin with",
          author: "cli",
        })
        return { ...created, balance }
      })
      const balance = formatCredits(account.balance)
      outputOf(command, terminal).result({ id: account.id, name, balance }, (style) =>
        formatFields(
          [
            ["account", name],
            ["id", account.id],
            ["balance", `${balance} credits`],
            ["next", `tollgate key create --account ${name}`],
          ],
          style,
        ),
      )
    })
}
