import type { Key, NewKey } from "#contract/keys.ts"
import { COMMAND_LINE } from "../management/actor.ts"
import { type RegisterCommand, commandGroup, outputOf } from "./command.ts"
import { requireAccount, withInstallation } from "./installation.ts"
import type { Column, Fields } from "./output.ts"
import {
  durationArgument,
  aliasesArgument,
  creditsArgument,
  globsArgument,
  labelArgument,
  networksArgument,
  originsArgument,
  positiveIntegerArgument,
} from "./parse.ts"
import { formatCredits } from "../ledger/money.ts"
import { momentText } from "../management/moment-text.ts"

const KEY_GROUP = ["key", "manage API keys"] as const

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
const registerKeyCreate: RegisterCommand = (program, terminal) => {
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
    ...(expires !== undefined && { expires_at: momentText(Date.now() + expires) }),
    ...(origin !== undefined && { origins: [...origin] }),
    ...(address !== undefined && { addresses: [...address] }),
    ...(readOnly && { is_read_only: true }),
  }
}

function columnsOf(
  accountNames: ReadonlyMap<string, string>,
): readonly Column<ReturnType<typeof keyDocument>>[] {
  return [
    { title: "ID", cell: ({ id }) => id },
    { title: "NAME", cell: ({ name }) => name },
    { title: "ACCOUNT", cell: ({ account }) => accountNames.get(account) ?? account },
    { title: "KEY", cell: ({ hint }) => `sk-tg-...${hint ?? ""}` },
    { title: "STATUS", cell: stateOf },
    {
      title: "BUDGET LEFT",
      align: "right",
      cell: ({ budget, budget_left: left }) => (left === null ? "-" : `${left} of ${budget}`),
    },
    { title: "EXPIRES", cell: ({ expires_at }) => expires_at ?? "never" },
  ]
}

/** `tollgate key list [--account NAME]` */
const registerKeyList: RegisterCommand = (program, terminal) => {
  commandGroup(program, ...KEY_GROUP)
    .command("list")
    .description("list the keys")
    .option("--account <NAME>", "only the keys of one account")
    .action(async (options: { account?: string }, command) => {
      const { keys, names } = await withInstallation(command, async ({ store, keys: service }) => {
        const account =
          options.account === undefined ? null : await requireAccount(store, options.account)
        const accounts = await store.accounts.list()
        const order = { limit: Number.MAX_SAFE_INTEGER, account: account?.id }
        const { data } = await service.list(COMMAND_LINE, order)
        return {
          keys: data.map(keyDocument).toReversed(),
          names: new Map(accounts.map(({ id, name }) => [id, name])),
        }
      })
      outputOf(command, terminal).table("keys", keys, {
        columns: columnsOf(names),
        empty: "No keys yet. Create one with: tollgate key create --account NAME",
      })
    })
}

/** Returns the state of a key, or the code with which requests of an active key are rejected. */
function stateOf({ status, rejected_with: code }: Pick<Key, "status" | "rejected_with">): string {
  return status === "active" && code !== null ? `rejected: ${code}` : status
}

const DEFAULT_GRACE_MS = 24 * 60 * 60 * 1_000

/** `tollgate key rotate ID [--grace TIME]` */
const registerKeyRotate: RegisterCommand = (program, terminal) => {
  commandGroup(program, ...KEY_GROUP)
    .command("rotate")
    .description("replace the secret of a key; the old secret remains valid for the grace period")
    .argument("<ID>", "id of the key, from `tollgate key list`")
    .option(
      "--grace <TIME>",
      "how long the old secret remains valid (default: 24h)",
      durationArgument,
    )
    .action(async (id: string, options: { grace?: number }, command) => {
      const grace = options.grace ?? DEFAULT_GRACE_MS
      const { secret, ...key } = await withInstallation(command, ({ keys }) =>
        keys.rotate(COMMAND_LINE, id, grace),
      )
      const fields: Fields = [
        ["id", key.id],
        ["old key", `works until ${momentText(Date.now() + grace)}`],
        ["note", "The new key is shown only once; only its hash is stored."],
      ]
      const document = { ...keyDocument(key), key: secret }
      outputOf(command, terminal).fields(document, fields, `key: ${secret}`)
    })
}

const PAUSE_COMMANDS = [
  {
    name: "pause",
    isPaused: true,
    description: "reject all requests of a key until it is resumed",
    done: "is paused. Running gateways reject it within a second.",
  },
  { name: "resume", isPaused: false, description: "resume a paused key", done: "is active again." },
] as const

/** `tollgate key pause|resume ID` */
const registerKeyPause: RegisterCommand = (program, terminal) => {
  const group = commandGroup(program, ...KEY_GROUP)
  for (const { name, isPaused, description, done } of PAUSE_COMMANDS) {
    group
      .command(name)
      .description(description)
      .argument("<ID>", "id of the key, from `tollgate key list`")
      .action(async (id: string, _options: object, command) => {
        const key = await withInstallation(command, ({ keys }) =>
          keys.change(COMMAND_LINE, id, { is_paused: isPaused }),
        )
        outputOf(command, terminal).result(keyDocument(key), () => `Key ${id} ${done}`)
      })
  }
}

/** `tollgate key revoke ID` */
const registerKeyRevoke: RegisterCommand = (program, terminal) => {
  commandGroup(program, ...KEY_GROUP)
    .command("revoke")
    .description("revoke a key permanently, including its old secrets")
    .argument("<ID>", "id of the key, from `tollgate key list`")
    .action(async (id: string, _options: object, command) => {
      const key = await withInstallation(command, ({ keys }) => keys.revoke(COMMAND_LINE, id))
      outputOf(command, terminal).result(
        keyDocument(key),
        () => `Key ${id} is revoked. Running gateways reject it within a second.`,
      )
    })
}

export const KEY_COMMANDS: readonly RegisterCommand[] = [
  registerKeyCreate,
  registerKeyList,
  registerKeyRotate,
  registerKeyPause,
  registerKeyRevoke,
]

/** Returns a key as commands print it, without its secret. */
function keyDocument(key: Key) {
  // Only running gateways track the last use and the spending of a key.
  const { last_used_at: _lastUsedAt, spent: _spent, may_change: _mayChange, ...shown } = key
  const { budget, daily_budget, monthly_budget } = key
  return {
    ...shown,
    budget: budget?.limit ?? null,
    budget_left: budget?.left ?? null,
    daily_budget: daily_budget?.limit ?? null,
    daily_budget_left: daily_budget?.left ?? null,
    monthly_budget: monthly_budget?.limit ?? null,
    monthly_budget_left: monthly_budget?.left ?? null,
  }
}
