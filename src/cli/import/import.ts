import { dirname, resolve } from "node:path"
import type { Command } from "commander"
import { commandGroup, outputOf, type RegisterCommand } from "../command.ts"
import { CommandError } from "../exit-codes.ts"
import { withInstallation } from "../installation.ts"
import { loadOptions } from "../load-options.ts"
import { type Style, type Column, formatTable } from "../output.ts"
import type { Terminal } from "../terminal.ts"
import {
  type Applied,
  applyImport,
  rejectOverwriting,
  requireWritable,
  settingsFiles,
  settingsText,
} from "./apply.ts"
import {
  type ImportPlan,
  type PlannedAccount,
  writableAccounts,
  type Difference,
  type Fate,
} from "./plan.ts"
import { checkSettings, withoutMissingModels } from "./settings-check.ts"
import { formatCredits } from "../../ledger/money.ts"

interface ImportOptions {
  readonly apply?: true
  readonly out: string
  readonly force?: true
  readonly database?: string
  readonly source?: string
}

/** @param directory the folder of the settings file that will be written. */
type Planner = (source: string, directory: string, database?: string) => Promise<ImportPlan>

const SOURCES: readonly {
  readonly name: string
  readonly source: string
  readonly words: string
  readonly hasDatabase?: true
  readonly plan: Planner
}[] = [
  {
    name: "litellm",
    source: "settings file, such as config.yaml",
    words: "import from LiteLLM: models; with --database also teams, budgets and keys",
    hasDatabase: true,
    plan: async (source, directory, database) =>
      (await import("./litellm.ts")).planLiteLlm(source, directory, database),
  },
  {
    name: "new-api",
    source: "SQLite database, such as one-api.db",
    words: "import from new-api: channels, users, balances and keys",
    plan: async (source, directory) => (await import("./new-api.ts")).planNewApi(source, directory),
  },
  {
    name: "portkey",
    source: "a config as JSON",
    words: "import from Portkey: targets, fallbacks and weights of a config",
    plan: async (source, directory) =>
      (await import("./portkey.ts")).planPortkey(source, directory),
  },
  {
    name: "openrouter-export",
    source: "the response of GET /api/v1/keys as JSON",
    words: "import from OpenRouter: keys with their limits, but with new secrets",
    plan: async (source, directory) =>
      (await import("./openrouter.ts")).planOpenRouter(source, directory),
  },
]

/** `tollgate import litellm|new-api|portkey|openrouter-export FILE` */
export const registerImport: RegisterCommand = (program, terminal) => {
  const group = commandGroup(program, "import", "import settings and data of another gateway")
  for (const { name, source, words, hasDatabase, plan } of SOURCES) {
    const command = group
      .command(name)
      .description(words)
      .argument("<FILE>", source)
      .option("--apply", "write the result (default: only show it)")
      .option("--out <FILE>", "settings file to write", "tollgate.imported.yaml")
      .option("--force", "overwrite an existing settings file")
      .option("--source <NAME>", "name of the other installation, if you import several")
    if (hasDatabase)
      command.option("--database <URL>", "postgres://... or a JSON file with the tables")
    command.action(async (file: string, options: ImportOptions, action: Command) => {
      const directory = dirname(resolve(options.out))
      const planned = await plan(file, directory, options.database)
      await perform(planned, options, action, terminal)
    })
  }
}

async function perform(
  whole: ImportPlan,
  { apply, out, force, source: named }: ImportOptions,
  command: Command,
  terminal: Terminal,
): Promise<void> {
  const source = named?.trim()
  if (source === "")
    throw new CommandError("usage", "--source is empty", "Name the other installation.")
  const output = outputOf(command, terminal)
  const options = { ...loadOptions(command), file: out }
  const plan = withoutMissingModels(whole, options)
  const { differences } = plan
  const text = settingsText(plan)
  const problems = checkSettings(plan, text, options)
  for (const problem of problems) differences.toDecide("settings", `would not start: ${problem}`)
  const accounts = writableAccounts(plan.accounts, differences)
  const page = (style: Style): string => pageOf({ accounts, differences }, style)
  if (!apply) {
    const counts = { accounts: accounts.length, starts: problems.length === 0 }
    const advice = counts.starts
      ? "Add --apply to write it."
      : "The gateway would not start with these settings: see above."
    output.result({ applied: false, differences: differences.list, ...counts }, (style) =>
      [page(style), `Nothing was written. ${advice}`].join("\n\n"),
    )
    return
  }
  if (problems.length > 0) {
    throw new CommandError(
      "configuration",
      `nothing was written, since the gateway would not start with these settings: ${problems.join("; ")}`,
      "Correct or remove these parts in the source, then run the import again.",
    )
  }
  requireWritable(out)
  const files = settingsFiles(plan, out, text)
  if (!force) rejectOverwriting(files)
  const applied = await withInstallation(command, (installation) =>
    applyImport(
      accounts.map((account) => withSource(account, source)),
      files,
      out,
      installation,
    ),
  )
  output.result({ applied: true, ...applied, differences: differences.list }, (style) =>
    [page(style), wordsOf(applied, out)].join("\n\n"),
  )
}

/** Distinguishes accounts of several installations, which may have the same numbers. */
function withSource(account: PlannedAccount, source: string | undefined): PlannedAccount {
  return source === undefined
    ? account
    : { ...account, source, note: `${account.note} of ${source}` }
}

function wordsOf(applied: Applied, out: string): string {
  const { files, accounts, keys, grants, present, renamed, left_out: leftOut } = applied
  const environment = files.find((file) => file.endsWith(".env"))
  const load = environment === undefined ? "" : `set -a; . ${shellPath(environment)}; set +a; `
  return [
    `Created ${counted(accounts, "account")}, ${counted(keys, "key")} and ${counted(grants, "grant")}; ${present} already existed.`,
    ...renamed.map(
      ({ name, created_as }) =>
        `Another account has the name '${name}', so the imported one is '${created_as}'.`,
    ),
    ...leftOut.map(({ name, reason }) => `Left out: account '${name}'. ${reason}`),
    `Written: ${files.join(", ")}`,
    `Next: ${load}tollgate --config ${out} doctor`,
  ].join("\n")
}

/**
 * Adds `./` to a file name without a slash, because the shell searches for a command without a slash only in its search
 * path.
 */
function shellPath(path: string): string {
  return path.includes("/") ? path : `./${path}`
}

const FATES: readonly (readonly [Fate, string])[] = [
  ["carried", "CARRIED OVER"],
  ["changed", "CHANGED"],
  ["left out", "LEFT OUT"],
  ["to decide", "FOR YOU TO DECIDE"],
]

const COLUMNS: readonly Column<Difference>[] = [
  { title: "WHAT", cell: ({ subject }) => subject },
  { title: "HOW", cell: ({ words }) => words },
]

/** Returns the page that lists the differences. It contains no secret. */
function pageOf(
  { accounts, differences }: Pick<ImportPlan, "accounts" | "differences">,
  style: Style,
): string {
  const parts = FATES.flatMap(([fate, title]) => {
    const rows = differences.list.filter((difference) => difference.fate === fate)
    return rows.length === 0 ? [] : [`${style.strong(title)}\n${formatTable(COLUMNS, rows, style)}`]
  })
  const keys = accounts.reduce((sum, { keys: own }) => sum + own.length, 0)
  const credits = accounts.reduce((sum, account) => sum + account.credits, 0n)
  const sums = `${counted(accounts.length, "account")}, ${counted(keys, "key")}, ${counted(formatCredits(credits), "credit")}`
  return [...parts, sums].join("\n\n")
}

/** Returns a number with its noun in the singular or plural. */
function counted(count: number | string, noun: string): string {
  return `${count} ${noun}${String(count) === "1" ? "" : "s"}`
}
