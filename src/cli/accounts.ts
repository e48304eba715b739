import type { Account } from "#contract/accounts.ts"
import { formatCredits } from "../ledger/money.ts"
import { COMMAND_LINE } from "../management/actor.ts"
import type { AccountState } from "../store/accounts.ts"
import { type LargeAmountOptions, confirmLargeAmount, withYes } from "./ask-first.ts"
import { type RegisterCommand, commandGroup, outputOf } from "./command.ts"
import { requireAccount, withInstallation } from "./installation.ts"
import type { Column, Fields } from "./output.ts"
import { creditsArgument, labelArgument } from "./parse.ts"

const GROUP = ["account", "manage accounts, whose balances pay for requests"] as const

interface AccountCreateOptions extends LargeAmountOptions {
  readonly credits?: bigint
  readonly template?: string
}

/** `tollgate account create NAME [--credits N] [--template NAME]` */
const registerAccountCreate: RegisterCommand = (program, terminal) => {
  withYes(commandGroup(program, ...GROUP).command("create"))
    .description("create an account")
    .argument("<NAME>", "a unique name", labelArgument)
    .option("--credits <N>", "credits to grant to the new account", creditsArgument)
    .option(
      "--template <NAME>",
      "a template from account_templates in the settings, with credits and limits",
    )
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
      outputOf(command, terminal).fields({ id: account.id, name, balance }, [
        ["account", name],
        ["id", account.id],
        ["balance", `${balance} credits`],
        ["next", `tollgate key create --account ${name}`],
      ])
    })
}

const COLUMNS: readonly Column<Account>[] = [
  { title: "ID", cell: ({ id }) => id },
  { title: "NAME", cell: ({ name }) => name },
  { title: "STATE", cell: ({ state }) => state },
  { title: "BALANCE", align: "right", cell: ({ balance }) => balance },
  { title: "DEBT", align: "right", cell: ({ debt }) => debt },
  { title: "CREATED", cell: ({ created_at }) => created_at },
]

const ALL_BY_NAME = { limit: Number.MAX_SAFE_INTEGER, sort: "name", order: "asc" } as const

/** `tollgate account list` */
const registerAccountList: RegisterCommand = (program, terminal) => {
  commandGroup(program, ...GROUP)
    .command("list")
    .description("list the accounts with their balances")
    .action(async (_options: object, command) => {
      const accounts = await withInstallation(command, async ({ accounts: service }) => {
        const { data } = await service.list(COMMAND_LINE, ALL_BY_NAME)
        return data
      })
      outputOf(command, terminal).table("accounts", accounts, {
        columns: COLUMNS,
        empty: "No accounts yet. Create one with: tollgate account create NAME",
      })
    })
}

/** `tollgate account show NAME` */
const registerAccountShow: RegisterCommand = (program, terminal) => {
  commandGroup(program, ...GROUP)
    .command("show")
    .description("show the balance, the budgets and the limits of an account")
    .argument("<ACCOUNT>", "name or id of the account")
    .action(async (idOrName: string, _options: object, command) => {
      const account = await withInstallation(command, async ({ store, accounts }) => {
        const { id } = await requireAccount(store, idOrName)
        return accounts.find(COMMAND_LINE, id)
      })
      outputOf(command, terminal).fields(account, fieldsOf(account))
    })
}

function fieldsOf(account: Account): Fields {
  const { daily_budget: daily, monthly_budget: monthly } = account
  const limits: readonly (readonly [string, unknown])[] = [
    ["models", account.models?.join(", ")],
    ["price group", account.price_group],
    ["daily budget", daily && `${account.daily_budget_left} of ${daily} credits left`],
    ["monthly budget", monthly && `${account.monthly_budget_left} of ${monthly} credits left`],
    ["requests per minute", account.requests_per_minute],
    ["tokens per minute", account.tokens_per_minute],
    ["concurrent requests", account.concurrent_requests],
    ["maximum keys", account.max_keys],
    ["maximum invitations", account.max_invitations],
  ]
  const given = limits.flatMap(([name, value]) =>
    value === null || value === undefined ? [] : [[name, String(value)] as const],
  )
  return [
    ["account", account.name],
    ["id", account.id],
    ["state", account.state],
    ["created", account.created_at],
    ["balance", `${account.balance} credits`],
    ...(account.debt === "0" ? [] : [["debt", `${account.debt} credits`] as const]),
    ["stores prompts", account.stores_content ? "yes" : "no"],
    ...given,
  ]
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
    done: "is paused. Running gateways reject its requests within a second.",
  },
  {
    name: "resume",
    state: "active",
    description: "resume a paused account, or reopen a closed one",
    done: "is active again.",
  },
  {
    name: "close",
    state: "closed",
    description: "close an account; its ledger is kept, and its requests and new keys are rejected",
    done: "is closed. Running gateways reject its requests within a second.",
  },
]

/** `tollgate account pause|resume|close NAME` */
const registerAccountState: RegisterCommand = (program, terminal) => {
  const group = commandGroup(program, ...GROUP)
  for (const { name, state, description, done } of STATE_COMMANDS) {
    group
      .command(name)
      .description(description)
      .argument("<ACCOUNT>", "name or id of the account")
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
  registerAccountList,
  registerAccountShow,
  registerAccountState,
]
