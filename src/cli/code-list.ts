import { COMMAND_LINE } from "../management/actor.ts"
import type { Codes } from "../management/codes.ts"
import type { Code } from "#contract/codes.ts"
import { commandGroup, outputOf, type RegisterCommand } from "./command.ts"
import { withInstallation } from "./installation.ts"
import { formatTable } from "./output.ts"

const PAGE = 200
const COLUMNS = [
  { title: "ID" },
  { title: "CODE" },
  { title: "CREDITS", align: "right" },
  { title: "USED", align: "right" },
  { title: "STATUS" },
  { title: "EXPIRES" },
  { title: "NOTE" },
] as const

/** `tollgate code list` */
export const registerCodeList: RegisterCommand = (program, terminal) => {
  commandGroup(program, "code", "codes: each gives credits to the account that redeems it")
    .command("list")
    .description("list the codes, the newest first")
    .action(async (_options: object, command) => {
      const codes = await withInstallation(command, (installation) => allOf(installation.codes))
      outputOf(command, terminal).result({ codes }, (style) => {
        if (codes.length === 0)
          return "No codes yet. Create one with: tollgate code create --credits N"
        const rows = codes.map((code) => [
          code.id,
          `TG-...-${code.hint}`,
          code.credits,
          `${code.used} of ${code.uses}`,
          code.status,
          code.expires_at ?? "never",
          code.note ?? "",
        ])
        return formatTable(COLUMNS, rows, style)
      })
    })
}

async function allOf(codes: Codes): Promise<Code[]> {
  const all: Code[] = []
  for (let cursor: string | undefined; ;) {
    const page = await codes.list(COMMAND_LINE, { limit: PAGE, cursor })
    all.push(...page.data)
    if (page.next_cursor === null) return all
    cursor = page.next_cursor
  }
}
