import { formatDecimal } from "#contract/decimal.ts"
import { CLASS_OF_NAME, PRICE_NAMES, type PriceName } from "#contract/usage-classes.ts"
import type { DialectId } from "../canon/extra.ts"
import type { ModelKind } from "#contract/model-kinds.ts"
import { type Price, rateOf, type Rates, ratesFor } from "../ledger/price.ts"
import type { Member, Model } from "./model.ts"

/** Credits per million units of each class, as exact decimal text. The multiplier is included. */
type ShownRates = Partial<Record<PriceName, string>>

/** The price of a model. If it has several deployments, each class has its highest price. */
export interface ShownPrice extends ShownRates {
  /** Minimum seconds of audio charged per request. */
  readonly minimum_seconds?: number
  readonly tiers?: readonly (ShownRates & { readonly above: number })[]
}

/** An element of the model list (docs/use/models.md#models) with the gateway's additions. */
export interface ModelEntry {
  readonly id: string
  readonly object: "model"
  /** Unix seconds. */
  readonly created: number
  readonly owned_by: string
  readonly kind: ModelKind
  /** Maximum tokens. */
  readonly context_length?: number
  /** Maximum tokens. */
  readonly max_output_tokens?: number
  /** Set for a speech model with an unusual maximum length of input texts. */
  readonly max_input_characters?: number
  /** The dialects of a chat model at its vendors. Callers may use any dialect. */
  readonly dialects?: readonly DialectId[]
  /** The members of a group. Any of them may serve a request, at its own price. */
  readonly members?: readonly string[]
  /** Whether the model can be called. Models without a price are rejected. */
  readonly priced: boolean
  readonly pricing?: ShownPrice
}

export function entryOf(model: Model): ModelEntry {
  const prices = model.deployments.flatMap(({ price }) => (price ? [price] : []))
  const dialects = [
    ...new Set(model.deployments.flatMap((deployment) => deployment.dialects ?? [])),
  ]
  const { context, maxOutput } = commonLimits(model)
  return {
    id: model.id,
    object: "model",
    created: model.created,
    owned_by: model.ownedBy,
    kind: model.kind,
    ...(context === undefined ? {} : { context_length: context }),
    ...(maxOutput === undefined ? {} : { max_output_tokens: maxOutput }),
    ...(model.maxInput === undefined ? {} : { max_input_characters: model.maxInput }),
    ...(dialects.length === 0 ? {} : { dialects }),
    ...(model.members && { members: model.members.map(({ id }) => id) }),
    priced: prices.length > 0,
    ...(prices.length === 0 ? {} : { pricing: shownPrice(prices) }),
  }
}

/** Returns the limits that apply to every member that may serve a request. */
export function commonLimits(model: Model): Pick<Member, "context" | "maxOutput"> {
  const { members } = model
  if (members === undefined) return model
  const context = smallest(members.map((member) => member.context))
  const maxOutput = smallest(members.map((member) => member.maxOutput))
  return {
    ...(context !== undefined && { context }),
    ...(maxOutput !== undefined && { maxOutput }),
  }
}

function smallest(numbers: readonly (number | undefined)[]): number | undefined {
  const known = numbers.filter((number) => number !== undefined)
  return known.length === 0 ? undefined : Math.min(...known)
}

function shownPrice(prices: readonly Price[]): ShownPrice {
  const names = PRICE_NAMES.filter((name) =>
    prices.some(
      (price) =>
        hasRate(price.rates, name) || price.tiers.some((tier) => hasRate(tier.rates, name)),
    ),
  )
  const minimums = prices.flatMap(({ minimumSeconds }) => minimumSeconds ?? [])
  const base = {
    ...highestRates(prices, names, 0),
    ...(minimums.length > 0 && { minimum_seconds: Math.max(...minimums) }),
  }
  const thresholds = new Set(prices.flatMap(({ tiers }) => tiers.map(({ above }) => above)))
  if (thresholds.size === 0) return base
  const tiers = [...thresholds]
    .toSorted((left, right) => left - right)
    .map((above) => ({ above, ...highestRates(prices, names, above + 1) }))
  return { ...base, tiers }
}

function hasRate(rates: Rates, name: PriceName): boolean {
  return rates[CLASS_OF_NAME[name]] !== undefined
}

/** Returns the highest rate of each class among several prices, for a given number of input tokens. */
function highestRates(
  prices: readonly Price[],
  names: readonly PriceName[],
  inputTokens: number,
): ShownRates {
  const shown: ShownRates = {}
  for (const name of names) {
    let max = 0n
    for (const price of prices) {
      const rate = rateOf(ratesFor(price, inputTokens), CLASS_OF_NAME[name]) * price.multiplier
      if (rate > max) max = rate
    }
    shown[name] = formatDecimal(max, RATE_DECIMAL_PLACES)
  }
  return shown
}

/** Decimal places of a rate (nine) plus decimal places of a multiplier (six). */
export const RATE_DECIMAL_PLACES = 15
