import { once } from "node:events"
import { createWriteStream } from "node:fs"
import { finished } from "node:stream/promises"
import { COMMAND_LINE } from "../management/actor.ts"
import { globalOptions, outputOf, type RegisterCommand } from "./command.ts"
import { CommandError } from "./exit-codes.ts"
import { requireAccount, withInstallation } from "./installation.ts"
import { dayArgument } from "./parse.ts"

interface StatementOptions {
  readonly from: string
  readonly to: string
  readonly format?: string
  readonly output?: string
  readonly totals?: boolean
}

const FORMATS = ["csv", "json", "html"] as const

/** `tollgate statement ACCOUNT --from DAY --to DAY [--format csv|json|html] [--totals] [--output FILE]` */
export const registerStatement: RegisterCommand = (program, terminal) => {
  program
    .command("statement")
    .description("export an account statement: every entry, or totals (UTC)")
    .argument("<ACCOUNT>", "name or id of the account")
    .requiredOption("--from <DAY>", "the first day, such as 2026-11-01", dayArgument)
    .requiredOption("--to <DAY>", "the last day, such as 2026-11-30", dayArgument)
    .option("--format <FORMAT>", "csv, json, or html: a page of totals for printing (default: csv)")
    .option("--totals", "only balances and totals by kind of entry, model and key")
    .option("--output <FILE>", "file to write (default: standard output)")
    .action(async (name: string, options: StatementOptions, command) => {
      const { from, to, output } = options
      const content = options.totals === true ? "totals" : "entries"
      const format = formatOf(options.format, globalOptions(command).isJson)
      const account = await withInstallation(command, async ({ store, statements }) => {
        const account = await requireAccount(store, name)
        const query = { from, to, format, content } as const
        const file = await statements.open(COMMAND_LINE, account.id, query)
        if (output !== undefined) await writeFile(output, file.chunks)
        else for await (const chunk of file.chunks) terminal.writeOutput(chunk)
        return account
      })
      if (output === undefined) return
      const document = { account: account.id, name: account.name, from, to, format, file: output }
      outputOf(command, terminal).result(document, () => `The statement is in ${output}.`)
    })
}

function formatOf(asked: string | undefined, isJson: boolean): (typeof FORMATS)[number] {
  const wanted = asked ?? (isJson ? "json" : "csv")
  const format = FORMATS.find((one) => one === wanted)
  if (format !== undefined) return format
  throw new CommandError("usage", `--format must be csv, json or html, not '${wanted}'`)
}

/** File mode that only allows the owner to read and write. */
const OWNER_ONLY = 0o600

async function writeFile(path: string, chunks: AsyncIterable<string>): Promise<void> {
  const file = createWriteStream(path, { mode: OWNER_ONLY })
  await once(file, "open")
  for await (const chunk of chunks) {
    if (!file.write(chunk)) await once(file, "drain")
  }
  file.end()
  await finished(file)
}
