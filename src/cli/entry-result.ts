import type { Command } from "commander"
import { parseCredits } from "../ledger/money.ts"
import { COMMAND_LINE } from "../management/actor.ts"
import type { NewEntry } from "../management/contract/accounts.ts"
import { askAboutLargeAmount, type LargeAmountOptions } from "./ask-first.ts"
import { outputOf } from "./command.ts"
import { requireAccount, withInstallation } from "./installation.ts"
import { formatFields } from "./output.ts"
import type { Terminal } from "./terminal.ts"

/** What an operator adds to the book of an account, and how the answer calls it. */
export interface EntryOrder {
  /** By name or id. */
  readonly account: string
  readonly entry: NewEntry
  /** `granted`, `adjusted by`. */
  readonly verb: string
}

/** What is about to be done, in the question about a large amount. */
const VERBS: Readonly<Record<NewEntry["kind"], string>> = {
  grant: "grant",
  refund: "refund",
  adjustment: "adjust by",
}

/** Adds an entry and shows it. */
export async function addEntry(
  order: EntryOrder,
  command: Command,
  terminal: Terminal,
): Promise<void> {
  const { account, entry } = await withInstallation(command, async ({ store, credits }) => {
    const account = await requireAccount(store, order.account)
    const { amount: credit, kind } = order.entry
    const deed = `${VERBS[kind]} ${credit} credits: account ${account.name}`
    const facts = { amount: parseCredits(credit), balance: account.balance, deed }
    await askAboutLargeAmount(facts, command.opts<LargeAmountOptions>(), terminal)
    return { account, entry: await credits.add(COMMAND_LINE, account.id, order.entry) }
  })
  const document = {
    account: account.id,
    name: account.name,
    entry: entry.number,
    amount: entry.amount,
    balance: entry.balance,
  }
  outputOf(command, terminal).result(document, (style) =>
    formatFields(
      [
        ["account", account.name],
        [order.verb, `${entry.amount} credits, entry ${entry.number}`],
        ["balance", `${entry.balance} credits`],
      ],
      style,
    ),
  )
}
