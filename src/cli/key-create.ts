import { formatCredits } from "../ledger/money.ts"
import { COMMAND_LINE } from "../management/actor.ts"
import type { NewKey } from "#contract/keys.ts"
import { commandGroup, outputOf, type RegisterCommand } from "./command.ts"
import { requireAccount, withInstallation } from "./installation.ts"
import { dateText, keyDocument } from "./key-document.ts"
import type { Fields } from "./output.ts"
import {
  aliasesArgument,
  creditsArgument,
  durationArgument,
  globsArgument,
  labelArgument,
  networksArgument,
  originsArgument,
  positiveIntegerArgument,
} from "./parse.ts"

export const KEY_GROUP = ["key", "manage API keys"] as const

interface KeyCreateOptions {
  readonly account: string
  readonly name: string
  readonly models?: readonly string[]
  readonly alias?: Readonly<Record<string, string>>
  readonly budget?: bigint
  readonly dailyBudget?: bigint
  readonly monthlyBudget?: bigint
  readonly rpm?: number
  readonly tpm?: number
  readonly concurrent?: number
  readonly expires?: number
  readonly origin?: readonly string[]
  readonly address?: readonly string[]
  readonly readOnly?: true
}

/** `tollgate key create --account NAME [...]` */
export const registerKeyCreate: RegisterCommand = (program, terminal) => {
  commandGroup(program, ...KEY_GROUP)
    .command("create")
    .description("create a key; it is shown once")
    .requiredOption("--account <NAME>", "name or id of the account that pays")
    .option("--name <NAME>", "the purpose of the key", labelArgument, "unnamed")
    .option("--models <GLOB,..>", "models that the key may call, such as openai/*", globsArgument)
    .option(
      "--alias <NAME=MODEL>",
      "an additional name of a model, such as gpt-4o=openai/gpt-5.4; can be repeated",
      aliasesArgument,
    )
    .option("--budget <N>", "credits that the key may spend in total", creditsArgument)
    .option("--daily-budget <N>", "credits that the key may spend per day (UTC)", creditsArgument)
    .option(
      "--monthly-budget <N>",
      "credits that the key may spend per month (UTC)",
      creditsArgument,
    )
    .option("--rpm <N>", "requests per minute", positiveIntegerArgument)
    .option("--tpm <N>", "tokens per minute", positiveIntegerArgument)
    .option("--concurrent <N>", "concurrent requests", positiveIntegerArgument)
    .option("--expires <TIME>", "period of validity, such as 30d", durationArgument)
    .option("--origin <URL,..>", "origins of web pages that may use the key", originsArgument)
    .option(
      "--address <ADDRESS,..>",
      "IP addresses and ranges that may use the key, such as 10.0.0.0/8",
      networksArgument,
    )
    .option("--read-only", "no paid requests and no changes, for dashboards")
    .action(async (options: KeyCreateOptions, command) => {
      const { secret, ...key } = await withInstallation(command, async ({ store, keys }) => {
        const account = await requireAccount(store, options.account)
        return keys.create(COMMAND_LINE, orderOf(account.id, options))
      })
      const fields: Fields = [
        ["id", key.id],
        ["account", options.account],
        ["note", "The key is shown only once; only its hash is stored."],
      ]
      const document = { ...keyDocument(key), key: secret }
      outputOf(command, terminal).fields(document, fields, `key: ${secret}`)
    })
}

function orderOf(account: string, options: KeyCreateOptions): NewKey {
  const { name, models, alias, budget, dailyBudget, monthlyBudget } = options
  const { rpm, tpm, concurrent, expires, origin, address, readOnly } = options
  return {
    account,
    name,
    ...(models !== undefined && { models: [...models] }),
    ...(alias !== undefined && { aliases: { ...alias } }),
    ...(budget !== undefined && { budget: formatCredits(budget) }),
    ...(dailyBudget !== undefined && { daily_budget: formatCredits(dailyBudget) }),
    ...(monthlyBudget !== undefined && { monthly_budget: formatCredits(monthlyBudget) }),
    ...(rpm !== undefined && { requests_per_minute: rpm }),
    ...(tpm !== undefined && { tokens_per_minute: tpm }),
    ...(concurrent !== undefined && { concurrent_requests: concurrent }),
    ...(expires !== undefined && { expires_at: dateText(Date.now() + expires) }),
    ...(origin !== undefined && { origins: [...origin] }),
    ...(address !== undefined && { addresses: [...address] }),
    ...(readOnly && { is_read_only: true }),
  }
}
