import { formatCredits } from "../ledger/money.ts"
import { COMMAND_LINE } from "../management/actor.ts"
import type { AccountState } from "../store/accounts.ts"
import { type LargeAmountOptions, confirmLargeAmount, withYes } from "./ask-first.ts"
import { type RegisterCommand, commandGroup, outputOf } from "./command.ts"
import { requireAccount, withInstallation } from "./installation.ts"
import { formatFields } from "./output.ts"
import { creditsArgument } from "./parse.ts"

const GROUP = ["account", "accounts: balances that pay for requests"] as const

interface AccountCreateOptions extends LargeAmountOptions {
  readonly credits?: bigint
  readonly template?: string
}

/** `tollgate account create NAME [--credits N] [--template NAME]` */
const registerAccountCreate: RegisterCommand = (program, terminal) => {
  withYes(commandGroup(program, ...GROUP).command("create"))
    .description("create an account")
    .argument("<NAME>", "its name, which no other account has")
    .option("--credits <N>", "credits to begin with", creditsArgument)
    .option("--template <NAME>", "one of the settings' account_templates: its credits and limits")
    .action(async (name: string, options: AccountCreateOptions, command) => {
      const amount = options.credits ?? 0n
      const action = `create the account ${name} with ${formatCredits(amount)} credits`
      await confirmLargeAmount({ amount, balance: 0n, action }, options, terminal)
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

interface StateCommand {
  readonly name: string
  readonly state: AccountState
  readonly description: string
  readonly done: string
}

const STATE_COMMANDS: readonly StateCommand[] = [
  {
    name: "pause",
    state: "paused",
    description: "reject all requests of an account until it is resumed",
    done: "is paused. Running gateways refuse its requests within a second.",
  },
  {
    name: "resume",
    state: "active",
    description: "let a paused or closed account work again",
    done: "works again.",
  },
  {
    name: "close",
    state: "closed",
    description: "close an account: its requests and new keys are rejected; its ledger stays",
    done: "is closed. Running gateways refuse its requests within a second.",
  },
]

/** `tollgate account pause|resume|close NAME` */
const registerAccountState: RegisterCommand = (program, terminal) => {
  const group = commandGroup(program, ...GROUP)
  for (const { name, state, description, done } of STATE_COMMANDS) {
    group
      .command(name)
      .description(description)
      .argument("<ACCOUNT>", "its name or id")
      .action(async (idOrName: string, _options: object, command) => {
        const account = await withInstallation(command, async ({ store, accounts }) => {
          const { id } = await requireAccount(store, idOrName)
          return accounts.change(COMMAND_LINE, id, { state })
        })
        outputOf(command, terminal).result(account, () => `Account ${account.name} ${done}`)
      })
  }
}

export const ACCOUNT_COMMANDS: readonly RegisterCommand[] = [
  registerAccountCreate,
  registerAccountState,
]
