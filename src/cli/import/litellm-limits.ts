import { formatCredits } from "../../ledger/money.ts"
import { nanocreditsOf } from "./decimal.ts"
import type { LiteLlmRows } from "./litellm-database.ts"
import { type Differences, isNothing } from "./plan.ts"

type Row = Readonly<Record<string, unknown>>

/** Permissions and limits of an imported key or account. */
export interface FoundLimits {
  readonly limits: {
    readonly [rate in (typeof RATES)[keyof typeof RATES]]?: number
  } & {
    readonly daily_budget?: string
    readonly monthly_budget?: string
    readonly models?: string[]
  }
  /** Total budget without a period, in nanocredits. */
  readonly once?: bigint
  /** Budget of each period, in nanocredits. */
  readonly period?: bigint
  /** Members that cannot be read. Ignoring them would allow more than LiteLLM does. */
  readonly faults: readonly string[]
  /** Members that are zero, which blocks the key or account in LiteLLM. */
  readonly zeros: readonly string[]
}

const ALL_MODELS = new Set(["all-proxy-models", "all-team-models"])
/** Maps LiteLLM's rate limits to the gateway's limits. */
const RATES = {
  rpm_limit: "requests_per_minute",
  tpm_limit: "tokens_per_minute",
  max_parallel_requests: "concurrent_requests",
} as const

/** Reads the limits of LiteLLM's keys, teams and users, including the budgets that they refer to. */
export class LiteLlmLimits {
  readonly #budgets: ReadonlyMap<unknown, Row>
  readonly #ids: ReadonlyMap<string, string>
  readonly #differences: Differences

  /** @param ids maps LiteLLM's names of models to the ids of the imported models. */
  constructor(
    { budgets }: Pick<LiteLlmRows, "budgets">,
    ids: ReadonlyMap<string, string>,
    differences: Differences,
  ) {
    this.#budgets = new Map(budgets.map((row) => [row["budget_id"], row]))
    this.#ids = ids
    this.#differences = differences
  }

  of(row: Row, subject: string): FoundLimits {
    const { budget_id: id, models } = row
    const hasBudget = !isNothing(id)
    const shared = hasBudget ? this.#budgets.get(id) : undefined
    const rates = ratesOf(row, shared)
    const budget = this.#budget(row, shared ?? {}, subject)
    const isList = models === null || models === undefined || Array.isArray(models)
    const list = isList ? this.#models(models ?? [], subject) : undefined
    if (!isNothing(shared?.["model_max_budget"]))
      this.#differences.leftOut(subject, "'model_max_budget' of its budget")
    return {
      ...rates,
      ...budget,
      limits: { ...rates.limits, ...budget.limits, ...(list && { models: list }) },
      faults: [
        ...rates.faults,
        ...(isList ? [] : ["'models' is not a list"]),
        ...(hasBudget && !shared ? ["the budget of its 'budget_id' does not exist"] : []),
      ],
    }
  }

  /** Returns a row's own or referenced budget, with a period that the gateway supports. */
  #budget(row: Row, shared: Row, subject: string): Pick<FoundLimits, "limits" | "once" | "period"> {
    const amount = row["max_budget"] ?? shared["max_budget"]
    const period = row["budget_duration"] ?? shared["budget_duration"]
    if (amount === null || amount === undefined || amount === "") return { limits: {} }
    const whole = nanocreditsOf(String(amount)) ?? 0n
    if (whole <= 0n) return { once: 0n, limits: {} }
    if (isNothing(period)) {
      // If the spent amount is unreadable, the whole budget counts as spent. A negative amount counts as zero.
      const spent = nanocreditsOf(String(row["spend"] ?? 0)) ?? whole
      const left = spent > 0n ? whole - spent : whole
      return { once: left > 0n ? left : 0n, limits: {} }
    }
    const text = String(period)
    if (/^(1d|24h)$/.test(text))
      return { period: whole, limits: { daily_budget: formatCredits(whole) } }
    const isMonth = /^(1mo|30d|31d|28d)$/.test(text)
    if (!isMonth) {
      this.#differences.changed(
        subject,
        `its budget of ${formatCredits(whole)} for ${text} becomes a monthly budget`,
      )
    } else if (text !== "1mo") {
      this.#differences.changed(subject, `its budget renews with the month, not every ${text}`)
    }
    return { period: whole, limits: { monthly_budget: formatCredits(whole) } }
  }

  #models(models: readonly unknown[], subject: string): string[] | undefined {
    const list = models.map(String)
    if (list.length === 0 || list.some((name) => ALL_MODELS.has(name))) return undefined
    const found = list.flatMap((name) => {
      if (name.includes("*")) return [name]
      const id = this.#ids.get(name)
      if (id === undefined) this.#differences.leftOut(subject, `its model '${name}' does not exist`)
      return id === undefined ? [] : [id]
    })
    // If no listed model was imported, the list must not become empty, because that would allow all models.
    return found.length === 0 ? [list[0] ?? ""] : found
  }
}

function ratesOf(row: Row, shared: Row = {}): Pick<FoundLimits, "limits" | "faults" | "zeros"> {
  const limits: { [rate in (typeof RATES)[keyof typeof RATES]]?: number } = {}
  const faults: string[] = []
  const zeros: string[] = []
  for (const member of Object.keys(RATES) as (keyof typeof RATES)[]) {
    const value = row[member] ?? shared[member]
    if (value === null || value === undefined) continue
    const count = countOf(value)
    if (count === undefined) faults.push(`'${member}' is not a whole number`)
    else if (count === 0) zeros.push(`'${member}'`)
    else limits[RATES[member]] = count
  }
  return { limits, faults, zeros }
}

function countOf(value: unknown): number | undefined {
  const isText = typeof value === "string" && /^\d+$/.test(value.trim())
  const count = isText ? Number(value) : value
  return typeof count === "number" && Number.isSafeInteger(count) && count >= 0 ? count : undefined
}
