import type { UsageClass } from "#contract/usage-classes.ts"
import type { Deployment } from "../../catalog/model.ts"
import { type Price, rateOf, type Rates, serviceRate } from "../../ledger/price.ts"
import { type AppliedMode, type PricedMode, priceIn } from "../../ledger/price-modes.ts"
import type { CallCharge, FieldSwitch, ModelCharge } from "../../vendors/priced-features/switch.ts"

/** The calls of one kind that a request allows. */
export interface AllowedCalls {
  readonly charge: CallCharge
  /** Maximum number of calls. Each call is billed as `units` units. */
  readonly max: number
  readonly units: number
  /** Whether the gateway chose `max` because the caller did not set a limit. */
  readonly isAssumed: boolean
}

/** A requested service mode, and the fields in which the response reports the actual one. */
export interface RequestedMode {
  readonly name: string
  readonly field: FieldSwitch
  /**
   * The price of the mode; undefined if the mode has no price, because it is only possible or is passed on unpriced.
   */
  readonly priced: PricedMode | undefined
  readonly isPossible: boolean
}

/** Another model that the vendor may call and bill. */
export interface SecondModel {
  readonly charge: ModelCharge
  /** The public id of the model. */
  readonly id: string
  /** The vendor's name for the model. */
  readonly name: string
  readonly price: Price
  /** Maximum number of calls to this model. */
  readonly max: number
  /** Whether the gateway chose `max`, as in `AllowedCalls`. */
  readonly isAssumed: boolean
  /** Output tokens of each call, if the request's own limit does not apply to them. */
  readonly output: number | undefined
  /** Maximum output tokens of the model; undefined if the maximum is unknown. */
  readonly maxOutput: number | undefined
}

/** Turns in which the model reads its whole input again, because the vendor has run a tool. */
export interface ToolTurns {
  /** Number of turns that the hold covers. */
  readonly held: number
  /** Maximum number of turns that can be charged. */
  readonly max: number
  /** Tokens that each turn may add. */
  readonly result: number
}

/** The possible costs of a request at one deployment in addition to the tokens of its model. */
export interface FeatureCosts {
  readonly deployment: Deployment
  readonly price: Price
  readonly calls: readonly AllowedCalls[]
  /** The limit that the gateway chose for all calls together. It is sent to the vendor. */
  readonly assumedCalls: number | undefined
  /** The highest limit that is sent for a tool with its own limit field. Defaults to the limit in the table. */
  readonly assumedUses: number | undefined
  readonly modes: readonly RequestedMode[]
  readonly models: readonly SecondModel[]
  /** Maximum tokens that the vendor adds to the prompt. */
  readonly adds: number
  readonly turns: ToolTurns
  /** The factors by which the output and all tokens can be larger than in a plain request. */
  readonly outputs: number
  readonly rounds: number
  /** The paths of features that are passed on without a price, because the operator has configured it. */
  readonly unpriced: readonly string[]
}

export function modesWhere(
  modes: readonly RequestedMode[],
  condition: (mode: PricedMode) => boolean,
): AppliedMode[] {
  return modes.flatMap(({ name, priced }) =>
    priced !== undefined && condition(priced) ? [{ key: name, factor: priced.factor }] : [],
  )
}

/**
 * Returns the deployments on which the hold is based. They have the highest price that the request can reach, and calls
 * to the vendor's tools are included as a price per request. Another model that may respond instead is an additional
 * deployment.
 */
export function heldDeployments(featureCosts: FeatureCosts): Deployment[] {
  const raising = modesWhere(featureCosts.modes, ({ isHigher }) => isHigher)
  const held = heldIn(featureCosts, raising)
  // If a mode raises some rates and lowers others, the request may cost more without the mode.
  const only = modesWhere(featureCosts.modes, ({ isHigher, isLower }) => isHigher && !isLower)
  return only.length === raising.length ? held : [...held, ...heldIn(featureCosts, only)]
}

function heldIn(
  { deployment, price, ...featureCosts }: FeatureCosts,
  modes: readonly AppliedMode[],
): Deployment[] {
  let held = priceIn(price, modes)
  const answering: Price[] = []
  for (const { charge, price: own, max, output } of featureCosts.models) {
    if (charge.how === "instead") answering.push(priceIn(own, modes))
    else if (output !== undefined) {
      // All calls to this model together read as much input as the requested model does in all turns.
      if (charge.usage === undefined) held = added(held, own, 1n, READ)
      const [text, image] = [highestRate(own, "output"), highestRate(own, "imageOutput")]
      const rate = charge.usage === undefined || text > image ? text : image
      held = withHeld(held, BigInt(output * max) * scaled(rate, own, held))
    } else held = added(held, charge.how === "after" ? priceIn(own, modes) : own, BigInt(max))
  }
  let extra = 0n
  for (const { charge, max, units } of featureCosts.calls) {
    extra += BigInt(max * units) * (serviceRate(price, charge.class) ?? 0n)
  }
  const counted = new Set(featureCosts.calls.map(({ charge }) => charge.class))
  return [held, ...answering].map((each) => ({
    ...deployment,
    price: withHeld(counted.has("searches") ? withoutSearches(each) : each, extra),
  }))
}

/**
 * Returns a price with an additional hold per request.
 * @param more nanocredits per million requests.
 */
function withHeld(price: Price, more: bigint): Price {
  return more === 0n ? price : { ...price, held: (price.held ?? 0n) + more }
}

/** Returns a price without searches, because searches that already have a maximum need no second one. */
function withoutSearches(price: Price): Price {
  return { ...price, rates: { ...price.rates, searches: 0n } }
}

const READ: readonly UsageClass[] = [
  "inputFresh",
  "inputCacheWrite",
  "inputCacheWrite1h",
  "inputCacheWrite12h",
  "audioInput",
  "imageInput",
]
const ADDED: readonly UsageClass[] = [...READ, "output", "audioOutput", "imageOutput"]

/**
 * Returns the price with the highest rates of another price added, for requests that a second model may also process.
 * @param times the number of calls to the other model.
 */
function added(price: Price, other: Price, times: bigint, classes = ADDED): Price {
  const sum = (rates: Rates): Rates => {
    const rated: Partial<Record<UsageClass, bigint>> = { ...rates }
    for (const usageClass of classes) {
      const second = scaled(highestRate(other, usageClass), other, price)
      rated[usageClass] = rateOf(rates, usageClass) + times * second
    }
    return rated
  }
  return {
    ...price,
    rates: sum(price.rates),
    tiers: price.tiers.map(({ above, rates }) => ({ above, rates: sum(rates) })),
  }
}

/** Returns the highest rate of a usage class over inputs of all lengths. */
function highestRate({ rates, tiers }: Price, usageClass: UsageClass): bigint {
  let max = rateOf(rates, usageClass)
  for (const tier of tiers) {
    const rate = rateOf(tier.rates, usageClass)
    if (rate > max) max = rate
  }
  return max
}

/** Returns a rate from another rate card, converted to the multiplier of this card. */
function scaled(rate: bigint, from: Price, to: Price): bigint {
  if (from.multiplier === to.multiplier || to.multiplier === 0n) return rate
  return (rate * from.multiplier) / to.multiplier + 1n
}
