import { formatCredits } from "../ledger/money.ts"
import { withYes } from "./ask-first.ts"
import { commandGroup, type RegisterCommand } from "./command.ts"
import { addEntry } from "./entry-result.ts"
import { signedCreditsArgument } from "./parse.ts"

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
