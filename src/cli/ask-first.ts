import type { Command } from "commander"
import { formatCredits } from "../ledger/money.ts"
import { isLargeEntry } from "#contract/amounts.ts"
import { CommandError } from "./exit-codes.ts"
import type { Terminal } from "./terminal.ts"

/** Options of a command that moves credits. */
export interface LargeAmountOptions {
  readonly yes?: boolean
}

/** Adds the option that confirms the action in advance. */
export function withYes(command: Command): Command {
  return command.option("--yes", "do not ask for confirmation of an unusually large amount")
}

export interface LargeAmountFacts {
  /** The moved amount in nanocredits, positive or negative. */
  readonly amount: bigint
  readonly balance: bigint
  /** The action: `grant 5000 credits to acme`. */
  readonly action: string
}

/**
 * Asks for confirmation of an unusually large amount.
 * @throws CommandError if the response is no, or if no terminal is available for the question.
 */
export async function confirmLargeAmount(
  { amount, balance, action }: LargeAmountFacts,
  { yes = false }: LargeAmountOptions,
  terminal: Terminal,
): Promise<void> {
  if (yes || !isLargeEntry(amount, balance)) return
  const has = balance > 0n ? ` The account has ${formatCredits(balance)} credits now.` : ""
  const question = `About to ${action}. That is an unusually large amount.${has}`
  if (terminal.confirm === undefined) {
    throw new CommandError("usage", question, "Add --yes to confirm it.")
  }
  if (await terminal.confirm(`${question} Continue?`)) return
  throw new CommandError("failed", "nothing was done", "Run the command again with another amount.")
}
