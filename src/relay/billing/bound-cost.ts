import { divideUp } from "tollgate-contract/decimal.ts"
import type { UsageClass } from "tollgate-contract/usage-classes.ts"
import type { Deployment } from "../../catalog/model.ts"
import { longestOf } from "../../catalog/several-models.ts"
import { COST_SCALE, type Rates, type Price, ratesFor, rateOf } from "../../ledger/price.ts"
import type { Bound } from "./bounds.ts"

/** Searches that a searching model is assumed to make at most. */
export const MAX_SEARCHES = 30

/** Nanocredits: the worst case of a bound at the dearest deployment. */
export function worstCost(bound: Bound, deployments: readonly Deployment[]): bigint {
  let worst = 0n
  for (const { price, member } of deployments) {
    if (!price) continue
    const cost = costOfBound(boundAt(bound, member), price)
    if (cost > worst) worst = cost
  }
  return worst
}

/** The part of a bound that one of several models can use: no one gets more than that model can say. */
export function boundAt(bound: Bound, member: Deployment["member"]): Bound {
  if (member === undefined) return bound
  const longest = longestOf(member) ?? bound.output
  return longest < bound.output ? { ...bound, output: longest } : bound
}

/** A line of a worst case. */
export interface BoundLine {
  readonly name: "input" | "output" | "request" | "search"
  readonly quantity: bigint
  /** Nanocredits per million units, before the multiplier. */
  readonly rate: bigint
}

/** How the worst case of a bound comes about at the dearest deployment. */
export function linesOfBound(
  bound: Bound,
  deployments: readonly Deployment[],
): { readonly lines: readonly BoundLine[]; readonly multiplier: bigint } {
  const worst = worstCost(bound, deployments)
  const costAt = ({ price, member }: Deployment): bigint | undefined =>
    price && costOfBound(boundAt(bound, member), price)
  const { price, member } = deployments.find((one) => costAt(one) === worst) ?? {}
  const { output } = boundAt(bound, member)
  if (!price) return { lines: [], multiplier: 0n }
  const rates = worstRatesOf(price, bound.input)
  const { requests = 0n, searches = 0n } = price.rates
  const lines: BoundLine[] = [
    { name: "input", quantity: BigInt(bound.input), rate: rates.input },
    { name: "output", quantity: BigInt(output) * BigInt(bound.choices), rate: rates.output },
    { name: "request", quantity: 1n, rate: requests },
    { name: "search", quantity: BigInt(MAX_SEARCHES), rate: searches },
  ]
  return { lines: lines.filter(({ rate }) => rate > 0n), multiplier: price.multiplier }
}

/** Output tokens of each choice that an amount pays for besides the input; less than 1: none. */
export function affordableOutput(
  bound: Bound,
  deployments: readonly Deployment[],
  amount: bigint,
): number {
  let min = bound.output
  for (const { price, member } of deployments) {
    if (!price) continue
    const rates = worstRatesOf(price, bound.input)
    const rate = rates.output * BigInt(bound.choices)
    if (rate === 0n || price.multiplier === 0n) continue
    const payable = (amount * COST_SCALE) / price.multiplier
    const input = BigInt(bound.input) * rates.input
    const left = payable - input - beside(price)
    const affordable = Number(left / rate)
    // Of a model that can say no more than is paid for, the caller may ask for more.
    if (affordable < boundAt(bound, member).output) min = Math.min(min, affordable)
  }
  return min
}

const INPUT_CLASSES: readonly UsageClass[] = [
  "inputFresh",
  "inputCacheWrite",
  "audioInput",
  "imageInput",
]
const OUTPUT_CLASSES: readonly UsageClass[] = ["output", "audioOutput"]
/** The dearest rates of input and of output. */
interface WorstRates {
  readonly input: bigint
  readonly output: bigint
}
/** Rate cards are immutable and few. */
const worstRates = new WeakMap<Rates, WorstRates>()
/** The dearest, since it is not known beforehand which class a token will be of. */
function worstRatesOf(price: Price, inputTokens: number): WorstRates {
  const rates = ratesFor(price, inputTokens)
  let worst = worstRates.get(rates)
  if (worst === undefined) {
    worst = { input: dearest(rates, INPUT_CLASSES), output: dearest(rates, OUTPUT_CLASSES) }
    worstRates.set(rates, worst)
  }
  return worst
}

function costOfBound(bound: Bound, price: Price): bigint {
  const rates = worstRatesOf(price, bound.input)
  const input = BigInt(bound.input) * rates.input
  const output = BigInt(bound.output) * BigInt(bound.choices) * rates.output
  return divideUp((input + output + beside(price)) * price.multiplier, COST_SCALE)
}
/** What a request may cost besides its tokens, in millionths of nanocredits. */
function beside(price: Price): bigint {
  const { requests = 0n, searches = 0n } = price.rates
  return requests + searches * BigInt(MAX_SEARCHES)
}

function dearest(rates: Rates, classes: readonly UsageClass[]): bigint {
  let max = 0n
  for (const usageClass of classes) {
    const rate = rateOf(rates, usageClass)
    if (rate > max) max = rate
  }
  return max
}
