import type { NewEntry } from "#contract/accounts.ts"
import type { Command } from "commander"
import { formatCredits } from "../ledger/money.ts"
import { COMMAND_LINE } from "../management/actor.ts"
import { type LargeAmountOptions, confirmLargeAmount, withYes } from "./ask-first.ts"
import { type RegisterCommand, commandGroup, outputOf } from "./command.ts"
import { requireAccount, withInstallation } from "./installation.ts"
import { creditsArgument, labelArgument, signedCreditsArgument } from "./parse.ts"
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
    amount: "number of credits",
    parseAmount: creditsArgument,
    defaultNote: "granted",
    verb: "grant",
    done: "granted",
  },
  {
    name: "adjust",
    kind: "adjustment",
    description: "correct the balance of an account with a new entry",
    amount: "number of credits: 5 adds five, -5 removes five",
    parseAmount: signedCreditsArgument,
    verb: "adjust by",
    done: "adjusted by",
  },
  {
    name: "refund",
    kind: "refund",
    description: "refund credits to an account",
    amount: "number of credits",
    parseAmount: creditsArgument,
    verb: "refund",
    done: "refunded",
  },
]

/** `tollgate credits grant|adjust|refund ACCOUNT N [--note TEXT]` */
export const registerCredits: RegisterCommand = (program, terminal) => {
  const group = commandGroup(program, "credits", "add credits to accounts, or correct balances")
  for (const creditCommand of COMMANDS) {
    withYes(group.command(creditCommand.name))
      .description(creditCommand.description)
      .argument("<ACCOUNT>", "name or id of the account")
      .argument("<N>", creditCommand.amount, creditCommand.parseAmount)
      .requiredOption(
        "--note <TEXT>",
        "the reason, recorded in the ledger",
        labelArgument,
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
  outputOf(command, terminal).fields(document, [
    ["account", account.name],
    [done, `${entry.amount} credits, entry ${entry.number}`],
    ["balance", `${document.balance} credits`],
    ...debtFields(now.debt),
  ])
}

function debtFields(debt: bigint): [string, string][] {
  return debt > 0n ? [["owes", `${formatCredits(debt)} credits, which new credits pay first`]] : []
}
