import { formatCredits } from "../ledger/money.ts"
import { COMMAND_LINE } from "../management/actor.ts"
import { askAboutLargeAmount, type LargeAmountOptions, withYes } from "./ask-first.ts"
import { commandGroup, outputOf, type RegisterCommand } from "./command.ts"
import { withInstallation } from "./installation.ts"
import { formatFields } from "./output.ts"
import { creditsArgument } from "./parse.ts"

interface AccountCreateOptions extends LargeAmountOptions {
  readonly credits?: bigint
  readonly template?: string
}

/** `tollgate account create NAME [--credits N] [--template NAME]` */
export const registerAccountCreate: RegisterCommand = (program, terminal) => {
  const group = commandGroup(program, "account", "accounts: who pays")
  withYes(group.command("create"))
    .description("create an account")
    .argument("<NAME>", "its name, which no other account has")
    .option("--credits <N>", "credits to begin with", creditsArgument)
    .option("--template <NAME>", "one of the settings' account_templates: its credits and limits")
    .action(async (name: string, options: AccountCreateOptions, command) => {
      const amount = options.credits ?? 0n
      const deed = `create the account ${name} with ${formatCredits(amount)} credits`
      await askAboutLargeAmount({ amount, balance: 0n, deed }, options, terminal)
      const account = await withInstallation(command, ({ accounts }) =>
        accounts.create(COMMAND_LINE, {
          name,
          ...(options.template !== undefined && { template: options.template }),
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
