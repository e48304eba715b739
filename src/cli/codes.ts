import type { Code } from "#contract/codes.ts"
import { formatCredits } from "../ledger/money.ts"
import { COMMAND_LINE } from "../management/actor.ts"
import type { Codes } from "../management/codes.ts"
import { type LargeAmountOptions, confirmLargeAmount, withYes } from "./ask-first.ts"
import { type RegisterCommand, commandGroup, outputOf } from "./command.ts"
import { withInstallation } from "./installation.ts"
import type { Column, Fields } from "./output.ts"
import {
  creditsArgument,
  durationArgument,
  labelArgument,
  positiveIntegerArgument,
} from "./parse.ts"

const GROUP = ["code", "manage codes that accounts redeem for credits"] as const

interface CodeCreateOptions extends LargeAmountOptions {
  readonly credits: bigint
  readonly uses?: number
  readonly expires?: number
  readonly note?: string
}

/** `tollgate code create --credits N [--uses K] [--expires TIME] [--note TEXT]` */
const registerCodeCreate: RegisterCommand = (program, terminal) => {
  withYes(commandGroup(program, ...GROUP).command("create"))
    .description("create a code; it is shown once")
    .requiredOption("--credits <N>", "credits that the code is worth", creditsArgument)
    .option(
      "--uses <K>",
      "number of accounts that may redeem the code (default: 1)",
      positiveIntegerArgument,
    )
    .option("--expires <TIME>", "period of validity, such as 30d", durationArgument)
    .option("--note <TEXT>", "the purpose of the code", labelArgument)
    .action(async (options: CodeCreateOptions, command) => {
      const { credits, uses, expires, note } = options
      const amount = credits * BigInt(uses ?? 1)
      const action = `create a code that gives ${formatCredits(amount)} credits in all`
      await confirmLargeAmount({ amount, balance: 0n, action }, options, terminal)
      const input = {
        credits: formatCredits(credits),
        uses: uses ?? 1,
        ...(expires !== undefined && { expires_at: new Date(Date.now() + expires).toISOString() }),
        ...(note !== undefined && { note }),
      }
      const code = await withInstallation(command, ({ codes }) => codes.create(COMMAND_LINE, input))
      const fields: Fields = [
        ["id", code.id],
        ["gives", `${code.credits} credits, once to each of ${code.uses} accounts`],
        ["expires", code.expires_at ?? "never"],
        ["note", "The code is shown only once; only its hash is stored."],
      ]
      outputOf(command, terminal).fields(code, fields, `code: ${code.code}`)
    })
}

const PAGE_SIZE = 200
const COLUMNS: readonly Column<Code>[] = [
  { title: "ID", cell: ({ id }) => id },
  { title: "CODE", cell: ({ hint }) => `TG-...-${hint}` },
  { title: "CREDITS", align: "right", cell: ({ credits }) => credits },
  { title: "USED", align: "right", cell: ({ used, uses }) => `${used} of ${uses}` },
  { title: "STATUS", cell: ({ status }) => status },
  { title: "EXPIRES", cell: ({ expires_at }) => expires_at ?? "never" },
  { title: "NOTE", cell: ({ note }) => note ?? "" },
]

/** `tollgate code list` */
const registerCodeList: RegisterCommand = (program, terminal) => {
  commandGroup(program, ...GROUP)
    .command("list")
    .description("list the codes, newest first")
    .action(async (_options: object, command) => {
      const codes = await withInstallation(command, (installation) => allCodes(installation.codes))
      outputOf(command, terminal).table("codes", codes, {
        columns: COLUMNS,
        empty: "No codes yet. Create one with: tollgate code create --credits N",
      })
    })
}

async function allCodes(codes: Codes): Promise<Code[]> {
  const all: Code[] = []
  for (let cursor: string | undefined; ;) {
    const page = await codes.list(COMMAND_LINE, { limit: PAGE_SIZE, cursor })
    all.push(...page.data)
    if (page.next_cursor === null) return all
    cursor = page.next_cursor
  }
}

/** `tollgate code revoke ID` */
const registerCodeRevoke: RegisterCommand = (program, terminal) => {
  commandGroup(program, ...GROUP)
    .command("revoke")
    .description("revoke a code; redeemed credits remain")
    .argument("<ID>", "id of the code, from `tollgate code list`")
    .action(async (id: string, _options: object, command) => {
      const code = await withInstallation(command, ({ codes }) => codes.revoke(COMMAND_LINE, id))
      outputOf(command, terminal).result(code, () => `Code ${id} is revoked.`)
    })
}

export const CODE_COMMANDS: readonly RegisterCommand[] = [
  registerCodeCreate,
  registerCodeList,
  registerCodeRevoke,
]
