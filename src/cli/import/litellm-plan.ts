import { formatCredits } from "../../ledger/money.ts"
import { nanocreditsOf } from "./decimal.ts"
import type { LiteLlmRows } from "./litellm-database.ts"
import {
  type Differences,
  importedId,
  labelOf,
  type PlannedAccount,
  type PlannedKey,
} from "./plan.ts"

type Row = Readonly<Record<string, unknown>>

/** Members of a key that are read here, or say nothing that would be missed. */
const READ_OF_KEYS = new Set([
  ..."token key_name key_alias spend expires models aliases user_id team_id max_parallel_requests blocked".split(
    " ",
  ),
  ..."tpm_limit rpm_limit max_budget budget_duration budget_reset_at budget_id created_at updated_at".split(
    " ",
  ),
  ..."created_by updated_by last_active soft_budget_cooldown model_spend rotation_count".split(" "),
])
const ALL_MODELS = new Set(["all-proxy-models", "all-team-models"])
const NO_TEAM = "litellm"
/** The team of the keys that LiteLLM creates when someone signs in to its UI. */
const UI_TEAM = "litellm-dashboard"
const DIGEST = /^[0-9a-f]{64}$/

/** Accounts and keys out of LiteLLM's database: a team is an account, and so is a user with keys of no team. */
export class LiteLlmAccounts {
  readonly #rows: LiteLlmRows
  readonly #ids: ReadonlyMap<string, string>
  readonly #differences: Differences

  /** @param ids of models here, by their names there. */
  constructor(rows: LiteLlmRows, ids: ReadonlyMap<string, string>, differences: Differences) {
    this.#rows = rows
    this.#ids = ids
    this.#differences = differences
  }

  plan(): PlannedAccount[] {
    const { keys, teams, users } = this.#rows
    const owners = new Map<
      string,
      { readonly name: string; readonly row: Row; keys: PlannedKey[] }
    >()
    for (const row of teams.filter(({ team_id: id }) => id !== UI_TEAM)) {
      const name = labelOf(row["team_alias"] ?? row["team_id"])
      owners.set(`team:${String(row["team_id"])}`, { name, row, keys: [] })
    }
    for (const row of users) {
      const name = labelOf(row["user_email"] ?? row["user_alias"] ?? row["user_id"])
      owners.set(`user:${String(row["user_id"])}`, { name, row, keys: [] })
    }
    const others = { name: NO_TEAM, row: {}, keys: [] as PlannedKey[] }
    for (const row of keys) {
      const planned = this.#key(row)
      if (!planned) continue
      const owner =
        owners.get(`team:${String(row["team_id"])}`) ?? owners.get(`user:${String(row["user_id"])}`)
      ;(owner ?? others).keys.push(planned)
    }
    const taken = new Set<string>()
    return [...owners.entries(), ["", others] as const].flatMap(([origin, owner]) => {
      if (origin.startsWith("team:") || owner.keys.length > 0)
        return [this.#account(origin, owner, taken)]
      return []
    })
  }

  /** What signs in to a console is invited, since passwords are not carried over. */
  reportUsers(): void {
    for (const { user_email: email, user_role: role } of this.#rows.users) {
      if (typeof email !== "string" || email === "") continue
      this.#differences.toDecide(
        `user ${email}`,
        `invite them in the console (there: ${String(role ?? "no role")})`,
      )
    }
  }

  #account(
    origin: string,
    {
      name,
      row,
      keys,
    }: { readonly name: string; readonly row: Row; readonly keys: readonly PlannedKey[] },
    taken: Set<string>,
  ): PlannedAccount {
    const unique = taken.has(name) ? labelOf(`${name.slice(0, 50)} (${origin})`) : name
    taken.add(unique)
    const subject = `account ${unique}`
    const budget = this.#budget(row, subject)
    const rates = ratesOf(row)
    const models = this.#models(row, subject)
    const credits = budget.once ?? budget.period ?? 0n
    if (credits === 0n) {
      this.#differences.toDecide(
        subject,
        `it has no budget there: grant it credits, or its keys are refused (tollgate credits grant)`,
      )
    }
    return {
      name: unique,
      limits: { ...rates, ...budget.limits, ...(models && { models }) },
      isPaused: row["blocked"] === true,
      credits,
      note: `from LiteLLM: ${origin === "" ? "keys of no team" : origin}`,
      keys,
    }
  }

  #key(row: Row): PlannedKey | undefined {
    const digest = String(row["token"] ?? "")
    const name = labelOf(row["key_alias"] ?? row["key_name"] ?? `${digest.slice(0, 8)}…`)
    const subject = `key ${name}`
    if (!DIGEST.test(digest)) {
      this.#differences.leftOut(subject, "its hash is no SHA-256")
      return undefined
    }
    const expires =
      typeof row["expires"] === "string" ? Date.parse(withZone(row["expires"])) : Number.NaN
    const reason =
      row["team_id"] === UI_TEAM
        ? "it is a session key of LiteLLM's UI"
        : isNothing(row["expires"])
          ? undefined
          : expiryReason(expires)
    if (reason) {
      this.#differences.leftOut(subject, reason)
      return undefined
    }
    for (const [member, value] of Object.entries(row)) {
      if (!READ_OF_KEYS.has(member) && !isNothing(value))
        this.#differences.leftOut(subject, `'${member}'`)
    }
    const budget = this.#budget(row, subject)
    const models = this.#models(row, subject)
    const aliases = this.#aliases(row, subject)
    if (budget.once === 0n) {
      this.#differences.leftOut(subject, "its budget is zero or used up")
      return undefined
    }
    return {
      id: importedId("key", `litellm:${digest}`),
      secret: { digest, hint: String(row["key_name"] ?? "").slice(-4) },
      isPaused: row["blocked"] === true,
      input: {
        name,
        ...ratesOf(row),
        ...budget.limits,
        ...(budget.once !== undefined && { budget: formatCredits(budget.once) }),
        ...(models && { models }),
        ...(aliases && { aliases }),
        ...(!Number.isNaN(expires) && { expires_at: new Date(expires).toISOString() }),
      },
    }
  }

  /** Its own, or the one that it refers to; in the periods that there are here. */
  #budget(row: Row, subject: string) {
    const shared = this.#rows.budgets.find(
      ({ budget_id: id }) => id !== undefined && id === row["budget_id"],
    )
    const amount = row["max_budget"] ?? shared?.["max_budget"]
    const period = row["budget_duration"] ?? shared?.["budget_duration"]
    if (isNothing(amount) && amount !== 0) return { limits: {} }
    const whole = nanocreditsOf(String(amount)) ?? 0n
    if (whole <= 0n) return { once: 0n, limits: {} }
    if (isNothing(period)) {
      const spent = nanocreditsOf(Number(row["spend"] ?? 0)) ?? 0n
      return { once: whole > spent ? whole - spent : 0n, limits: {} }
    }
    const text = String(period)
    if (/^(1d|24h)$/.test(text))
      return { period: whole, limits: { daily_budget: formatCredits(whole) } }
    const isMonth = /^(1mo|30d|31d|28d)$/.test(text)
    if (!isMonth) {
      this.#differences.changed(
        subject,
        `its budget of ${formatCredits(whole)} for ${text} is one for a month`,
      )
    } else if (text !== "1mo") {
      this.#differences.changed(subject, `its budget renews with the month, not every ${text}`)
    }
    return { period: whole, limits: { monthly_budget: formatCredits(whole) } }
  }

  #models(row: Row, subject: string): string[] | undefined {
    const list = Array.isArray(row["models"]) ? row["models"].map(String) : []
    if (list.length === 0 || list.some((name) => ALL_MODELS.has(name))) return undefined
    const found = list.flatMap((name) => {
      if (name.includes("*")) return [name]
      const id = this.#ids.get(name)
      if (id === undefined)
        this.#differences.leftOut(subject, `the model '${name}' that it may call is not there`)
      return id === undefined ? [] : [id]
    })
    // A list of which nothing is left must not become one that allows everything.
    return found.length === 0 ? [list[0] ?? ""] : found
  }

  #aliases(row: Row, subject: string): Record<string, string> | undefined {
    const aliases = row["aliases"]
    if (typeof aliases !== "object" || aliases === null) return undefined
    const found = Object.entries(aliases).flatMap(([alias, target]) => {
      const id = this.#ids.get(String(target))
      if (id === undefined)
        this.#differences.leftOut(subject, `the alias '${alias}' names a model that is not there`)
      return id === undefined ? [] : [[alias, id] as const]
    })
    return found.length === 0 ? undefined : Object.fromEntries(found)
  }
}

function ratesOf(row: Row) {
  const { rpm_limit: requests, tpm_limit: tokens, max_parallel_requests: concurrent } = row
  return {
    ...(isCount(requests) && { requests_per_minute: requests }),
    ...(isCount(tokens) && { tokens_per_minute: tokens }),
    ...(isCount(concurrent) && { concurrent_requests: concurrent }),
  }
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0
}

function isNothing(value: unknown): boolean {
  if (value === null || value === undefined || value === "" || value === 0 || value === false)
    return true
  return typeof value === "object" && Object.keys(value).length === 0
}

/** Prisma's timestamps are in UTC, and do not say so. */
function withZone(text: string): string {
  return /[zZ]|[+-]\d\d:?\d\d$/.test(text) ? text : `${text}Z`
}

/** Why a key that expires at a time is not carried over; one whose time cannot be read would never expire here. */
function expiryReason(expires: number): string | undefined {
  if (Number.isNaN(expires)) return "the time that it expires at cannot be read"
  return expires <= Date.now() ? `it expired at ${new Date(expires).toISOString()}` : undefined
}
