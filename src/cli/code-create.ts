import { formatCredits } from "../ledger/money.ts"
import { COMMAND_LINE } from "../management/actor.ts"
import { askAboutLargeAmount, type LargeAmountOptions, withYes } from "./ask-first.ts"
import { commandGroup, outputOf, type RegisterCommand } from "./command.ts"
import { withInstallation } from "./installation.ts"
import { formatFields } from "./output.ts"
import { creditsArgument, durationArgument, positiveIntegerArgument } from "./parse.ts"

interface CodeCreateOptions extends LargeAmountOptions {
  readonly credits: bigint
  readonly uses?: number
  readonly expires?: number
  readonly note?: string
}

/** `tollgate code create --credits N [--uses K] [--expires TIME] [--note TEXT]` */
export const registerCodeCreate: RegisterCommand = (program, terminal) => {
  const group = commandGroup(
    program,
    "code",
    "codes: each gives credits to the account that redeems it",
  )
  withYes(group.command("create"))
    .description("create a code; it is shown once")
    .requiredOption("--credits <N>", "the credits that it gives", creditsArgument)
    .option("--uses <K>", "how many accounts may use it (default: 1)", positiveIntegerArgument)
    .option("--expires <TIME>", "how long it works, such as 30d", durationArgument)
    .option("--note <TEXT>", "what it is for")
    .action(async (options: CodeCreateOptions, command) => {
      const { credits, uses, expires, note } = options
      const amount = credits * BigInt(uses ?? 1)
      const deed = `create a code that gives ${formatCredits(amount)} credits in all`
      await askAboutLargeAmount({ amount, balance: 0n, deed }, options, terminal)
      const input = {
        credits: formatCredits(credits),
        uses: uses ?? 1,
        ...(expires !== undefined && { expires_at: new Date(Date.now() + expires).toISOString() }),
        ...(note !== undefined && { note }),
      }
      const code = await withInstallation(command, ({ codes }) => codes.create(COMMAND_LINE, input))
      outputOf(command, terminal).result(
        code,
        (style) =>
          // A line that scripts look for, so it is not padded.
          `code: ${code.code}\n${formatFields(
            [
              ["id", code.id],
              ["gives", `${code.credits} credits, once to each of ${code.uses} accounts`],
              ["expires", code.expires_at ?? "never"],
              ["note", "This is the only time the code is shown; only a hash of it is kept."],
            ],
            style,
          )}`,
      )
    })
}
