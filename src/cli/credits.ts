import type { NewEntry } from "#contract/accounts.ts"
import type { Command } from "commander"
import { formatCredits } from "../ledger/money.ts"
import { COMMAND_LINE } from "../management/actor.ts"
import { type LargeAmountOptions, confirmLargeAmount, withYes } from "./ask-first.ts"
import { type RegisterCommand, commandGroup, outputOf } from "./command.ts"
import { requireAccount, withInstallation } from "./installation.ts"
import { formatFields } from "./output.ts"
import { creditsArgument, signedCreditsArgument } from "./parse.ts"
import type { Terminal } from "./terminal.ts"

interface CreditCommand {
  readonly name: string
  readonly kind: NewEntry["kind"]
  readonly description: string
  readonly amount: string
  readonly parseAmount: (text: string) => bigint
  /** Absent if the option is required. */
  readonly defaultNote?: string
  /** The verb in the question that confirms a large amount. */
  readonly verb: string
  /** The verb in the output. */
  readonly done: string
}

const COMMANDS: readonly CreditCommand[] = [
  {
    name: "grant",
    kind: "grant",
    description: "add credits to an account",
    amount: "how many",
    parseAmount: creditsArgument,
    defaultNote: "granted",
    verb: "grant",
    done: "granted",
  },
  {
    name: "adjust",
    kind: "adjustment",
    description: "correct an account's balance, up or down; nothing in the ledger is ever edited",
    amount: "by how many: 5 adds them, -5 takes them out",
    parseAmount: signedCreditsArgument,
    verb: "adjust by",
    done: "adjusted by",
  },
  {
    name: "refund",
    kind: "refund",
    description: "give credits back to an account for something that went wrong",
    amount: "how many",
    parseAmount: creditsArgument,
    verb: "refund",
    done: "refunded",
  },
]

/** `tollgate credits grant|adjust|refund ACCOUNT N [--note TEXT]` */
export const registerCredits: RegisterCommand = (program, terminal) => {
  const group = commandGroup(program, "credits", "credits: entries and balances of accounts")
  for (const creditCommand of COMMANDS) {
    withYes(group.command(creditCommand.name))
      .description(creditCommand.description)
      .argument("<ACCOUNT>", "its name or id")
      .argument("<N>", creditCommand.amount, creditCommand.parseAmount)
      .requiredOption(
        "--note <TEXT>",
        "the reason, which the ledger keeps",
        creditCommand.defaultNote,
      )
      .action(async (account: string, amount: bigint, options: CreditOptions, command) => {
        await addEntry(creditCommand, { account, amount, options }, command, terminal)
      })
  }
}

interface CreditOptions extends LargeAmountOptions {
  readonly note: string
}

interface EntryInput {
  /** The account's name or id. */
  readonly account: string
  readonly amount: bigint
  readonly options: CreditOptions
}

/** Adds an entry and prints it. */
async function addEntry(
  { kind, verb, done }: CreditCommand,
  { account: idOrName, amount, options }: EntryInput,
  command: Command,
  terminal: Terminal,
): Promise<void> {
  const credit = formatCredits(amount)
  const { account, entry, now } = await withInstallation(command, async ({ store, credits }) => {
    const account = await requireAccount(store, idOrName)
    const action = `${verb} ${credit} credits (account ${account.name})`
    await confirmLargeAmount({ amount, balance: account.balance, action }, options, terminal)
    const order = { kind, amount: credit, note: options.note }
    const entry = await credits.add(COMMAND_LINE, account.id, order)
    // New credits may have paid a debt immediately.
    return { account, entry, now: await requireAccount(store, account.id) }
  })
  const document = {
    account: account.id,
    name: account.name,
    entry: entry.number,
    amount: entry.amount,
    balance: formatCredits(now.balance),
    debt: formatCredits(now.debt),
  }
  outputOf(command, terminal).result(document, (style) =>
    formatFields(
      [
        ["account", account.name],
        [done, `${entry.amount} credits, entry ${entry.number}`],
        ["balance", `${document.balance} credits`],
        ...debtFields(now.debt),
      ],
      style,
    ),
  )
}

function debtFields(debt: bigint): [string, string][] {
  return debt > 0n ? [["owes", `${formatCredits(debt)} credits, which new ones pay first`]] : []
}
