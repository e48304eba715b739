import { DAY_MS } from "#contract/durations.ts"
import { isJsonObject, type JsonObject } from "../../canon/json.ts"
import { MAX_REPORTED_AMOUNT } from "../../accounting/maxima.ts"
import type { Deployment } from "../../catalog/model.ts"
import type { Price } from "../../ledger/price.ts"
import type { Meter } from "../metering/meter.ts"
import { usageIn } from "../priced-features/uncharged.ts"
import type { PricedUsage } from "./priced-usage.ts"
import { costOfLines, providerCost } from "./provider-cost.ts"

/** A cost that a provider stated, and the cost at the model's price, in nanocredits. */
export interface StatedCost {
  readonly stated: bigint
  readonly priced: bigint
}

interface StatedCostAlarms {
  /** Reports that a provider bills more for a response than the model's price. */
  priceBelowCost(request: string, deployment: string, costs: StatedCost): void
}

/** The calls of a response, with their cost. */
interface PricedCalls {
  readonly meters: readonly Meter[]
  readonly priced: PricedUsage
  readonly price: Price
}

/** Maximum number of deployments that are reported in one day. Further deployments are not reported. */
const MAX_REPORTED = 1_000
/** A stated cost may exceed the price by one part in this number, because vendors round amounts. */
const TOLERANCE_DIVISOR = 100n
/** Difference in nanocredits that is never reported. */
const MIN_DIFFERENCE = 10_000n
const NANODOLLARS_PER_DOLLAR = 1e9
const XAI_TICKS_PER_DOLLAR = 1e10

/**
 * Compares the costs that providers state in their responses with the prices of the models. Each deployment whose price
 * is too low is reported to the operator once a day.
 */
export class StatedCosts {
  readonly #alarms: StatedCostAlarms
  /** The deployments that were reported on the current day. */
  readonly #reported = new Set<string>()
  /** The current day, in days since 1970. */
  #day = 0

  constructor(alarms: StatedCostAlarms) {
    this.#alarms = alarms
  }

  check(request: string, { id }: Deployment, { meters, priced, price }: PricedCalls): void {
    const stated = meters.reduce((sum, { reported }) => sum + statedIn(reported), 0n)
    if (stated === 0n || !this.#isDue(id)) return
    const own = providerCost(priced, price) ?? costOfLines(priced.cost.lines)
    if (stated <= own + own / TOLERANCE_DIVISOR + MIN_DIFFERENCE) return
    this.#reported.add(id)
    this.#alarms.priceBelowCost(request, id, { stated, priced: own })
  }

  #isDue(id: string): boolean {
    const day = Math.floor(Date.now() / DAY_MS)
    if (day !== this.#day) {
      this.#day = day
      this.#reported.clear()
    }
    return this.#reported.size < MAX_REPORTED && !this.#reported.has(id)
  }
}

/**
 * Returns the cost that a response, or the frame of a stream with its usage, states in nanodollars; 0 if it is absent.
 */
function statedIn(reported: JsonObject | undefined): bigint {
  const usage = reported && usageIn(reported)
  if (usage === undefined) return 0n
  const { cost, estimated_cost: estimated, cost_in_usd_ticks: ticks } = usage
  // OpenRouter: `cost`; Perplexity: `cost.total_cost`; DeepInfra: `estimated_cost`; xAI: `cost_in_usd_ticks`.
  const dollars = isJsonObject(cost) ? cost.total_cost : (cost ?? estimated)
  if (typeof dollars === "number") return nanodollars(dollars)
  return typeof ticks === "number" ? nanodollars(ticks / XAI_TICKS_PER_DOLLAR) : 0n
}

function nanodollars(dollars: number): bigint {
  const amount = Math.round(dollars * NANODOLLARS_PER_DOLLAR)
  return amount > 0 && amount <= Number(MAX_REPORTED_AMOUNT) ? BigInt(amount) : 0n
}
