import { isJsonObject, type JsonObject, parseJsonObject } from "../../canon/json.ts"
import { formatCredits } from "../../ledger/money.ts"
import { CommandError } from "../exit-codes.ts"
import { nanocreditsOf } from "./decimal.ts"
import { textOf } from "./litellm-database.ts"
import { Differences, importedId, labelOf, type ImportPlan, type PlannedKey } from "./plan.ts"
import { Providers } from "./providers.ts"
import { Variables } from "./variables.ts"

const READ = new Set(
  "hash name label limit limit_remaining limit_reset disabled created_at updated_at last_used_at expires_at usage usage_daily usage_weekly usage_monthly byok_usage byok_usage_daily byok_usage_weekly byok_usage_monthly creator_user_id workspace_id".split(
    " ",
  ),
)

/**
 * Keys of OpenRouter with their limits. The export has no secrets, so they get new ones.
 * @param directory of the settings file that will be written.
 * @throws CommandError `usage`.
 */
export async function planOpenRouter(file: string, directory: string): Promise<ImportPlan> {
  const list = parseJsonObject(textOf(file))?.["data"]
  if (!Array.isArray(list)) {
    throw new CommandError(
      "usage",
      `${file} is no answer of GET /api/v1/keys: it has no list 'data'`,
    )
  }
  const differences = new Differences()
  const keys = list.filter(isJsonObject).flatMap((key) => keyOf(key, differences))
  differences.toDecide(
    "balance",
    "it is not in the file: grant the account what it should have (tollgate credits grant openrouter)",
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
  providers.place("account openrouter", { vendor: "openrouter", members }, "openrouter/auto")
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
  if (typeof hash !== "string") {
    differences.leftOut(subject, "it has no 'hash'")
    return []
  }
  const whole = typeof limit === "number" ? (nanocreditsOf(limit) ?? 0n) : 0n
  const rest = typeof remaining === "number" ? (nanocreditsOf(remaining) ?? 0n) : whole
  differences.changed(subject, "it gets a new secret")
  if (reset === "weekly") differences.changed(subject, "its weekly limit is one for a month")
  return [
    {
      id: importedId("key", `openrouter:${hash}`),
      secret: undefined,
      isPaused: key["disabled"] === true || (whole > 0n && rest <= 0n && reset === null),
      input: {
        name,
        ...budgetOf(whole, rest, reset),
        ...(typeof expires === "string" && { expires_at: momentOf(expires) }),
      },
    },
  ]
}

/** In UTC; a text that is no moment stays as it is, and the key is then left out. */
function momentOf(text: string): string {
  const at = Date.parse(text)
  return Number.isNaN(at) ? text : new Date(at).toISOString()
}

function budgetOf(whole: bigint, rest: bigint, reset: unknown) {
  if (whole <= 0n) return {}
  if (reset === "daily") return { daily_budget: formatCredits(whole) }
  if (reset === "weekly" || reset === "monthly") return { monthly_budget: formatCredits(whole) }
  return rest > 0n ? { budget: formatCredits(rest) } : {}
}
