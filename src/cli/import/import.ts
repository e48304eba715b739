import type { Command } from "commander"
import { ConfigError } from "../../config/config-error.ts"
import { loadSettings } from "../../config/load.ts"
import { commandGroup, outputOf, type RegisterCommand } from "../command.ts"
import { withInstallation } from "../installation.ts"
import { loadOptions } from "../load-options.ts"
import type { Terminal } from "../terminal.ts"
import { applyAccounts, type Imported, writeSecrets, writeSettings } from "./apply.ts"
import { pageOf } from "./page.ts"
import { type Difference, type ImportPlan } from "./plan.ts"

interface ImportOptions {
  readonly apply?: true
  readonly out: string
  readonly force?: true
  readonly database?: string
}

type Planner = (source: string, options: ImportOptions) => Promise<ImportPlan>

const SOURCES: readonly {
  readonly name: string
  readonly source: string
  readonly words: string
  readonly hasDatabase?: true
  readonly plan: Planner
}[] = [
  {
    name: "litellm",
    source: "the settings file, such as config.yaml",
    words: "move from LiteLLM: models, and with --database teams, budgets and keys",
    hasDatabase: true,
    plan: async (source, { database }) =>
      (await import("./litellm.ts")).planLiteLlm(source, database),
  },
  {
    name: "new-api",
    source: "its SQLite database, such as one-api.db",
    words: "move from new-api: channels, users, balances and keys",
    plan: async (source) => (await import("./new-api.ts")).planNewApi(source),
  },
  {
    name: "portkey",
    source: "a config as JSON",
    words: "move from Portkey: targets, fallbacks and weights of a config",
    plan: async (source) => (await import("./portkey.ts")).planPortkey(source),
  },
  {
    name: "openrouter-export",
    source: "the answer of GET /api/v1/keys as JSON",
    words: "move from OpenRouter: keys with their limits, under new secrets",
    plan: async (source) => (await import("./openrouter.ts")).planOpenRouter(source),
  },
]

/** `tollgate import litellm|new-api|portkey|openrouter-export FILE` */
export const registerImport: RegisterCommand = (program, terminal) => {
  const group = commandGroup(program, "import", "move in from another gateway")
  for (const { name, source, words, hasDatabase, plan } of SOURCES) {
    const command = group
      .command(name)
      .description(words)
      .argument("<FILE>", source)
      .option("--apply", "do it: without it, only what would be done is shown")
      .option("--out <FILE>", "where the settings are written to", "tollgate.imported.yaml")
      .option("--force", "write over that file")
    if (hasDatabase)
      command.option("--database <URL>", "postgres://…, or a JSON file with its tables")
    command.action(async (file: string, options: ImportOptions, action: Command) => {
      await perform(await plan(file, options), options, action, terminal)
    })
  }
}

async function perform(
  plan: ImportPlan,
  options: ImportOptions,
  command: Command,
  terminal: Terminal,
): Promise<void> {
  const output = outputOf(command, terminal)
  if (!options.apply) {
    const { differences, accounts } = plan
    output.result({ applied: false, differences, accounts: accounts.length }, (style) =>
      [pageOf(plan, style), "Nothing was written. Add --apply to do it."].join("\n\n"),
    )
    return
  }
  const hasSettings = Object.keys(plan.settings).length > 0
  const files = hasSettings ? writeSettings(plan, options.out, options.force === true) : []
  const faults = hasSettings ? settingsFaults(plan, options.out, command) : []
  const done = await withInstallation(command, (installation) => applyAccounts(plan, installation))
  const differences = [...plan.differences, ...faults]
  if (done.secrets.size > 0) files.push(writeSecrets(done, options.out))
  const { secrets: _shownNowhere, ...counts } = done
  output.result({ applied: true, files, ...counts, differences }, (style) =>
    [pageOf({ ...plan, differences }, style), wordsOf(files, done)].join("\n\n"),
  )
}

/** What the settings lack before they can be used, such as prices. */
function settingsFaults({ variables }: ImportPlan, file: string, command: Command): Difference[] {
  const options = loadOptions(command)
  const environment = { ...options.environment, ...Object.fromEntries(variables) }
  try {
    const { warnings } = loadSettings({ ...options, environment, file })
    return warnings.map((words) => ({ fate: "to decide", subject: "settings", words }))
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.problems.map(({ message }) => ({
      fate: "to decide",
      subject: "settings",
      words: message,
    }))
  }
}

function wordsOf(files: readonly string[], { accounts, keys, grants, present }: Imported): string {
  const lines = [
    `Made ${accounts} accounts, ${keys} keys and ${grants} grants; ${present} were there already.`,
  ]
  if (files.length > 0) lines.push(`Written: ${files.join(", ")}`)
  const [settings] = files
  const variables = files.find((file) => file.endsWith(".env"))
  const first = variables === undefined ? "" : `set the variables of ${variables}, and `
  if (settings !== undefined) lines.push(`Next: ${first}tollgate --config ${settings} doctor`)
  return lines.join("\n")
}
