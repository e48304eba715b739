import { formatCredits } from "../ledger/money.ts"
import { COMMAND_LINE } from "../management/actor.ts"
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
      const account = await withInstallation(command, ({ accounts }) =>
        accounts.create(COMMAND_LINE, {
          name,
          ...(options.credits !== undefined && { credits: formatCredits(options.credits) }),
        }),
      )
      const { balance } = account
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
