import { formatCredits } from "../ledger/money.ts"
import { withYes } from "./ask-first.ts"
import { commandGroup, type RegisterCommand } from "./command.ts"
import { addEntry } from "./entry-result.ts"
import { creditsArgument } from "./parse.ts"

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
