import { Option } from "commander"
import { type RegisterCommand, outputOf } from "./command.ts"
import { requireAccount, withInstallation } from "./installation.ts"
import { type Column, formatTable, type Style } from "./output.ts"
import { momentArgument, positiveIntegerArgument } from "./parse.ts"
import { type ListedRequest, listRequests, REQUEST_STATES } from "./request-history.ts"

const DAY_MS = 24 * 60 * 60 * 1_000
/** Maximum length of an error message in the table. */
const MAX_MESSAGE_LENGTH = 80

const COLUMNS: readonly Column<ListedRequest>[] = [
  { title: "TIME", cell: ({ at }) => at },
  { title: "STATUS", cell: ({ status, code }) => (status === "ok" ? code : `${status}: ${code}`) },
  { title: "ACCOUNT", cell: ({ account_name }) => account_name ?? "-" },
  { title: "KEY", cell: ({ key_name }) => key_name ?? "-" },
  { title: "MODEL", cell: ({ model }) => model ?? "-" },
  { title: "COST", align: "right", cell: ({ cost }) => cost },
  { title: "ID", cell: ({ id }) => id },
  { title: "ERROR", cell: ({ message }) => shortened(message ?? "") },
]

interface RequestsOptions {
  readonly account?: string
  readonly key?: string
  readonly model?: string
  readonly status?: ListedRequest["status"]
  readonly search?: string
  readonly from?: number
  readonly to?: number
  readonly limit: number
}

/** `tollgate requests [--account NAME] [--status STATUS] [--search TEXT] ...` */
export const registerRequests: RegisterCommand = (program, terminal) => {
  program
    .command("requests")
    .description("list requests, including failed and rejected ones, newest first")
    .option("--account <NAME>", "name or id of the only account to include")
    .option("--key <NAME>", "name or id of the key")
    .option("--model <GLOB>", "models, such as openai/*")
    .addOption(new Option("--status <STATUS>", "result of the request").choices(REQUEST_STATES))
    .option(
      "--search <TEXT>",
      "a part of the error, id, code, model, provider, key, account or label",
    )
    .option("--from <MOMENT>", "start: a day or a time (default: 24 hours ago)", momentArgument)
    .option("--to <MOMENT>", "end, exclusive (default: now)", momentArgument)
    .addOption(
      new Option("--limit <N>", "maximum number of requests")
        .argParser(positiveIntegerArgument)
        .default(50),
    )
    .action(async ({ account: name, limit, ...options }: RequestsOptions, command) => {
      const now = Date.now()
      const { from = (options.to ?? now) - DAY_MS, to = now + 1 } = options
      const requests = await withInstallation(command, async ({ store, database }) => {
        const account = name === undefined ? undefined : (await requireAccount(store, name)).id
        return listRequests({ store, database }, { ...options, account, from, to }, limit)
      })
      outputOf(command, terminal).result({ requests }, (style) => tableOf(requests, style))
    })
}

function tableOf(requests: readonly ListedRequest[], style: Style): string {
  if (requests.length === 0) return "No matching requests. --from sets an earlier start."
  return `${formatTable(COLUMNS, requests, style)}\n\nExplain one with: tollgate receipt ID`
}

function shortened(text: string): string {
  return text.length <= MAX_MESSAGE_LENGTH ? text : `${text.slice(0, MAX_MESSAGE_LENGTH - 1)}…`
}
