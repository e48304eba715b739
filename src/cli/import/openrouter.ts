import { isJsonObject, type JsonObject, parseJsonObject } from "../../canon/json.ts"
import { formatCredits } from "../../ledger/money.ts"
import { CommandError } from "../exit-codes.ts"
import { nanocreditsOf } from "./decimal.ts"
import { textOf } from "./litellm-database.ts"
import {
  Differences,
  importedId,
  isNothing,
  labelOf,
  type ImportPlan,
  type PlannedKey,
} from "./plan.ts"
import { Providers } from "./providers.ts"
import { Variables } from "./variables.ts"

const READ = new Set(
  "hash name label limit limit_remaining limit_reset disabled created_at updated_at last_used_at expires_at usage usage_daily usage_weekly usage_monthly byok_usage byok_usage_daily byok_usage_weekly byok_usage_monthly creator_user_id workspace_id".split(
    " ",
  ),
)

/**
 * Plans the import of OpenRouter's keys with their limits. The export contains no secrets, so each key gets a new one.
 * @param directory the folder of the settings file that will be written.
 * @throws CommandError `usage`.
 */
export async function planOpenRouter(file: string, directory: string): Promise<ImportPlan> {
  const list = parseJsonObject(textOf(file))?.["data"]
  if (!Array.isArray(list)) {
    throw new CommandError(
      "usage",
      `${file} is not a response of GET /api/v1/keys, because it has no list 'data'`,
    )
  }
  const differences = new Differences()
  const keys = list.flatMap((key, index) => {
    if (isJsonObject(key)) return keyOf(key, differences)
    differences.leftOut(`key ${index + 1}`, "it is not an object")
    return []
  })
  differences.toDecide(
    "balance",
    "the file does not contain it: grant the account its balance (tollgate credits grant openrouter)",
  )
  const account = {
    name: "openrouter",
    limits: {},
    isPaused: false,
    credits: 0n,
    note: "from OpenRouter",
    keys,
  }
  const variables = new Variables("OPENROUTER", "")
  const providers = new Providers(differences, variables, directory)
  const members = { api_key: { variable: "OPENROUTER_API_KEY" } }
  providers.modelAt("account openrouter", { vendor: "openrouter", members }, "openrouter/auto")
  const settings = { providers: providers.settings }
  return { settings, variables, accounts: [account], differences }
}

function keyOf(key: JsonObject, differences: Differences): PlannedKey[] {
  const name = labelOf(key["name"] || key["label"])
  const subject = `key ${name}`
  for (const [member, value] of Object.entries(key)) {
    if (!READ.has(member) && value !== null && value !== 0 && value !== false)
      differences.leftOut(subject, `'${member}'`)
  }
  const { hash, limit, limit_remaining: remaining, limit_reset: reset, expires_at: expires } = key
  const whole = amountOf(limit)
  const rest = amountOf(remaining) ?? whole
  const fault = faultOf(key, whole)
  if (fault !== undefined) {
    differences.leftOut(subject, fault)
    return []
  }
  const isUsedUp = whole !== null && (rest ?? 0n) <= 0n && isNothing(reset)
  differences.changed(subject, "it gets a new secret")
  if (reset === "weekly") differences.changed(subject, "its weekly limit becomes a monthly budget")
  return [
    {
      id: importedId("key", `openrouter:${hash}`),
      secret: undefined,
      isPaused: !isNothing(key["disabled"]) || isUsedUp,
      input: {
        name,
        ...budgetOf(whole, rest ?? 0n, reset),
        ...(typeof expires === "string" && { expires_at: momentOf(expires) }),
      },
    },
  ]
}

/** Returns the reason why a key is skipped. Without one of its limits, it would be allowed more than at OpenRouter. */
function faultOf(
  { hash, expires_at: expires }: JsonObject,
  limit: bigint | null | undefined,
): string | undefined {
  if (typeof hash !== "string" || hash === "") return "it has no 'hash'"
  if (limit === undefined) return "its limit is not a number"
  if (limit !== null && limit <= 0n) return "its limit is zero"
  if (isNothing(expires) || typeof expires === "string") return undefined
  return "its expiry cannot be read"
}

/** Adds the time zone UTC. An invalid text stays unchanged, so that its key is skipped. */
function momentOf(text: string): string {
  const at = Date.parse(text)
  return Number.isNaN(at) ? text : new Date(at).toISOString()
}

/** Returns nanocredits; null without a limit; undefined if the amount is unreadable. */
function amountOf(value: unknown): bigint | null | undefined {
  if (value === null || value === undefined) return null
  return typeof value === "number" || typeof value === "string" ? nanocreditsOf(value) : undefined
}

/** Returns the budget of a key. An exhausted key keeps a budget, which applies when the key is resumed. */
function budgetOf(whole: bigint | null | undefined, rest: bigint, reset: unknown) {
  if (!whole) return {}
  if (reset === "daily") return { daily_budget: formatCredits(whole) }
  if (reset === "weekly" || reset === "monthly") return { monthly_budget: formatCredits(whole) }
  return { budget: formatCredits(rest > 0n ? rest : whole) }
}
