import type { NewEntry } from "#contract/accounts.ts"
import type { Command } from "commander"
import { formatCredits, parseCredits } from "../ledger/money.ts"
import { COMMAND_LINE } from "../management/actor.ts"
import { type LargeAmountOptions, askAboutLargeAmount, withYes } from "./ask-first.ts"
import { type RegisterCommand, commandGroup, outputOf } from "./command.ts"
import { requireAccount, withInstallation } from "./installation.ts"
import { formatFields } from "./output.ts"
import { creditsArgument, signedCreditsArgument } from "./parse.ts"
import type { Terminal } from "./terminal.ts"

/** `tollgate credits grant ACCOUNT N [--note TEXT]` */
export const registerCreditsGrant: RegisterCommand = (program, terminal) => {
  const group = commandGroup(program, "credits", "credits: what accounts pay with")
  withYes(group.command("grant"))
    .description("add credits to an account")
    .argument("<ACCOUNT>", "its name or id")
    .argument("<N>", "how many", creditsArgument)
    .option("--note <TEXT>", "the reason, which the ledger keeps", "granted")
    .action(async (account: string, amount: bigint, { note }: { note: string }, command) => {
      const entry = { kind: "grant" as const, amount: formatCredits(amount), note }
      await addEntry({ account, entry, verb: "granted" }, command, terminal)
    })
}

/** `tollgate credits adjust ACCOUNT N --note TEXT` */
export const registerCreditsAdjust: RegisterCommand = (program, terminal) => {
  const group = commandGroup(program, "credits", "credits: what accounts pay with")
  withYes(group.command("adjust"))
    .description("correct an account's balance, up or down; nothing in the ledger is ever edited")
    .argument("<ACCOUNT>", "its name or id")
    .argument("<N>", "by how many: 5 adds them, -5 takes them out", signedCreditsArgument)
    .requiredOption("--note <TEXT>", "the reason, which the ledger keeps")
    .action(async (account: string, amount: bigint, { note }: { note: string }, command) => {
      const entry = { kind: "adjustment" as const, amount: formatCredits(amount), note }
      await addEntry({ account, entry, verb: "adjusted by" }, command, terminal)
    })
}

/** `tollgate credits refund ACCOUNT N --note TEXT` */
export const registerCreditsRefund: RegisterCommand = (program, terminal) => {
  const group = commandGroup(program, "credits", "credits: what accounts pay with")
  withYes(group.command("refund"))
    .description("give credits back to an account for something that went wrong")
    .argument("<ACCOUNT>", "its name or id")
    .argument("<N>", "how many", creditsArgument)
    .requiredOption("--note <TEXT>", "the reason, which the ledger keeps")
    .action(async (account: string, amount: bigint, { note }: { note: string }, command) => {
      const entry = { kind: "refund" as const, amount: formatCredits(amount), note }
      await addEntry({ account, entry, verb: "refunded" }, command, terminal)
    })
}

/** What an operator adds to the ledger of an account, and its name in the output. */
export interface EntryInput {
  /** By name or id. */
  readonly account: string
  readonly entry: NewEntry
  /** `granted`, `adjusted by`. */
  readonly verb: string
}

/** The verb in the question about a large amount. */
const VERBS: Readonly<Record<NewEntry["kind"], string>> = {
  grant: "grant",
  refund: "refund",
  adjustment: "adjust by",
}

/** Adds an entry and shows it. */
export async function addEntry(
  input: EntryInput,
  command: Command,
  terminal: Terminal,
): Promise<void> {
  const { account, entry, now } = await withInstallation(command, async ({ store, credits }) => {
    const account = await requireAccount(store, input.account)
    const { amount: credit, kind } = input.entry
    const deed = `${VERBS[kind]} ${credit} credits (account ${account.name})`
    const facts = { amount: parseCredits(credit), balance: account.balance, deed }
    await askAboutLargeAmount(facts, command.opts<LargeAmountOptions>(), terminal)
    const entry = await credits.add(COMMAND_LINE, account.id, input.entry)
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
        [input.verb, `${entry.amount} credits, entry ${entry.number}`],
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
