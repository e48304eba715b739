import { formatCredits } from "../ledger/money.ts"
import { withYes } from "./ask-first.ts"
import { commandGroup, type RegisterCommand } from "./command.ts"
import { addEntry } from "./entry-result.ts"
import { creditsArgument } from "./parse.ts"

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
