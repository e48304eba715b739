import { isJsonObject, type JsonObject, parseJsonObject } from "../../canon/json.ts"
import { formatCredits } from "../../ledger/money.ts"
import { CommandError } from "../exit-codes.ts"
import { nanocreditsOf } from "./decimal.ts"
import { textOf } from "./litellm-database.ts"
import { Differences, importedId, type ImportPlan, type PlannedKey } from "./plan.ts"

const READ = new Set(
  "hash name label limit limit_remaining limit_reset disabled created_at updated_at usage usage_daily usage_weekly usage_monthly".split(
    " ",
  ),
)

/**
 * Keys of OpenRouter with their limits. Nobody but OpenRouter knows what their secrets are: they get new ones.
 * @throws CommandError `usage`.
 */
export async function planOpenRouter(file: string): Promise<ImportPlan> {
  const list = parseJsonObject(textOf(file))?.["data"]
  if (!Array.isArray(list)) {
    throw new CommandError(
      "usage",
      `${file} is no answer of GET /api/v1/keys: it has no list 'data'`,
    )
  }
  const differences = new Differences()
  const keys = list.filter(isJsonObject).map((key) => keyOf(key, differences))
  const limits = keys.reduce(
    (sum, { input }) => sum + (nanocreditsOf(input.budget ?? "0") ?? 0n),
    0n,
  )
  differences.toDecide(
    "balance",
    "it is not in the file: grant the account what it should have (tollgate credits grant openrouter)",
  )
  differences.carried(
    "account openrouter",
    `${keys.length} keys, limits of ${formatCredits(limits)} in all`,
  )
  const account = {
    name: "openrouter",
    limits: {},
    isPaused: false,
    credits: 0n,
    note: "from OpenRouter",
    keys,
  }
  const settings = {
    providers: { openrouter: { vendor: "openrouter", api_key: "${OPENROUTER_API_KEY}" } },
  }
  return { settings, variables: new Map(), accounts: [account], differences: differences.list }
}

function keyOf(key: JsonObject, differences: Differences): PlannedKey {
  const name =
    String(key["name"] ?? key["label"] ?? "")
      .trim()
      .slice(0, 100) || "unnamed"
  const subject = `key ${name}`
  for (const [member, value] of Object.entries(key)) {
    if (!READ.has(member) && value !== null && value !== 0 && value !== false)
      differences.leftOut(subject, `'${member}'`)
  }
  const { limit, limit_remaining: remaining, limit_reset: reset } = key
  const whole = typeof limit === "number" ? (nanocreditsOf(limit) ?? 0n) : 0n
  const rest = typeof remaining === "number" ? (nanocreditsOf(remaining) ?? 0n) : whole
  differences.changed(subject, "it gets a new secret")
  if (reset === "weekly") differences.changed(subject, "its weekly limit is one for a month")
  return {
    id: importedId("key", `openrouter:${String(key["hash"])}`),
    secret: undefined,
    isPaused: key["disabled"] === true || (whole > 0n && rest <= 0n && reset === null),
    input: { name, ...budgetOf(whole, rest, reset) },
  }
}

function budgetOf(whole: bigint, rest: bigint, reset: unknown) {
  if (whole <= 0n) return {}
  if (reset === "daily") return { daily_budget: formatCredits(whole) }
  if (reset === "weekly" || reset === "monthly") return { monthly_budget: formatCredits(whole) }
  return rest > 0n ? { budget: formatCredits(rest) } : {}
}
