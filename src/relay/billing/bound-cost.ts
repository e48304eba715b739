import { divideUp } from "#contract/decimal.ts"
import type { UsageClass } from "#contract/usage-classes.ts"
import type { Deployment } from "../../catalog/model.ts"
import { longestOf } from "../../catalog/several-models.ts"
import { limitWithin, reasoningWith } from "../../canon/separate-reasoning.ts"
import { RESULT_TOKENS } from "../../vendors/priced-features/switch.ts"
import { COST_SCALE, type Rates, type Price, rateOf } from "../../ledger/price.ts"
import type { Bound } from "./bounds.ts"
import { MIN_IMAGE_TOKENS } from "../../media/generated-image-tokens.ts"
import { inputClasses, kindsOfDeployment, outputClasses, PRICED_IMAGES } from "./token-kinds.ts"

/** Returns the cost of a bound at the most expensive deployment, in nanocredits. */
export function worstCost(bound: Bound, deployments: readonly Deployment[]): bigint {
  let worst = 0n
  for (const deployment of deployments) {
    const { price } = deployment
    if (!price) continue
    const cost = costOfBound(boundAt(bound, deployment), price, deployment)
    if (cost > worst) worst = cost
  }
  return worst
}

/** Returns the bound at a deployment. A model that searches on its own also reads the results of its searches. */
export function boundAt(bound: Bound, deployment: Deployment): Bound {
  const { member, ownSearches, agents } = deployment
  const longest = member === undefined ? bound.output : (longestOf(member) ?? bound.output)
  const kinds = kindsOfDeployment(deployment)
  const separate = bound.isReasoningOff ? undefined : deployment.separateReasoning
  const isPlain = ownSearches === undefined && separate === undefined && agents === undefined
  if (longest >= bound.output && isPlain && kinds === 0) return bound
  const output = Math.min(bound.output, longest)
  const results = ownSearches === undefined ? 0 : ownSearches * RESULT_TOKENS * bound.choices
  const context = (member?.context ?? bound.context ?? Infinity) * bound.choices
  const read = Math.max(bound.input, Math.min(bound.input + results, context))
  const team = agentsIn(bound, deployment)
  return {
    ...bound,
    input: team === 0 ? read : read + team * Math.min(read + AGENT_INPUT * bound.choices, context),
    output: separate === undefined ? output : output + reasoningWith(separate, output),
    kinds: bound.kinds | kinds,
  }
}

/**
 * Usual tokens per agent. `AGENT_INPUT` is the input in addition to the prompt, and `AGENT_OUTPUT` the output of each
 * agent except the answering one.
 */
const AGENT_INPUT = 40_000
const AGENT_OUTPUT = 10_000
/** Maximum number of additional agents at efforts below `high`. */
const FEW_AGENTS = 4
const HIGH_EFFORTS: ReadonlySet<string | undefined> = new Set(["high", "xhigh", "max"])

/** Returns the number of agents, not counting the agent that writes the response. */
function agentsIn({ effort }: Bound, { agents = 0 }: Pick<Deployment, "agents">): number {
  return HIGH_EFFORTS.has(effort) ? agents : Math.min(agents, FEW_AGENTS)
}

/** A line in the calculation of a worst case. */
export interface BoundLine {
  readonly name: "input" | "output" | "reasoning_output" | "request" | "search" | "image"
  readonly quantity: bigint
  /** Rate in nanocredits per million units, before the multiplier. */
  readonly rate: bigint
}

/** Returns the lines of the calculation in `worstCost`. */
export function linesOfBound(
  bound: Bound,
  deployments: readonly Deployment[],
): { readonly lines: readonly BoundLine[]; readonly multiplier: bigint } {
  const worst = worstCost(bound, deployments)
  const found = deployments.find(
    (one) => one.price && costOfBound(boundAt(bound, one), one.price, one) === worst,
  )
  if (!found?.price) return { lines: [], multiplier: 0n }
  const lines = linesAt(boundAt(bound, found), found.price, found)
  return { lines: lines.filter(({ rate }) => rate > 0n), multiplier: found.price.multiplier }
}

/**
 * Returns how many output tokens of each choice an amount can pay for after the input; below 1 if it cannot pay for
 * output.
 */
export function affordableOutput(
  bound: Bound,
  deployments: readonly Deployment[],
  amount: bigint,
): number {
  let min = bound.output
  for (const deployment of deployments) {
    const { price } = deployment
    if (!price) continue
    const own = boundAt(bound, deployment)
    const rates = worstRatesOf(price, own)
    const rate = rates.output * BigInt(own.choices)
    if (rate === 0n || price.multiplier === 0n) continue
    const payable = (amount * COST_SCALE) / price.multiplier
    const left = payable - BigInt(own.input) * rates.input - otherCosts(own, price, deployment)
    const tokens = Number(left / rate)
    const separate = bound.isReasoningOff ? undefined : deployment.separateReasoning
    const affordable = separate === undefined ? tokens : limitWithin(separate, tokens)
    // If the amount pays for the whole output, the limit needs no change.
    if (tokens < own.output) min = Math.min(min, affordable)
  }
  return min
}

/** The highest rate of input and the highest rate of output. */
interface WorstRates {
  readonly input: bigint
  readonly output: bigint
}
/** Cached rates for each kind of tokens. Rate cards are immutable and few. */
const worstRates = new WeakMap<Rates, WorstRates[]>()
/** Returns the highest rates over all classes and lengths of tokens that a request can have. */
function worstRatesOf(price: Price, { input, calls = 1, kinds }: Bound): WorstRates {
  let worst = highestRates(price.rates, kinds)
  for (const { above, rates } of price.tiers) {
    if (input / calls <= above) continue
    const own = highestRates(rates, kinds)
    const isHigher = own.input >= worst.input && own.output >= worst.output
    worst = isHigher ? own : higherRates(worst, own)
  }
  return worst
}

function highestRates(rates: Rates, kinds: number): WorstRates {
  let known = worstRates.get(rates)
  if (known === undefined) worstRates.set(rates, (known = []))
  return (known[kinds] ??= {
    input: highest(rates, inputClasses(kinds)),
    output: highest(rates, outputClasses(kinds)) + imageRate(rates, kinds),
  })
}

function higherRates(left: WorstRates, right: WorstRates): WorstRates {
  return {
    input: left.input > right.input ? left.input : right.input,
    output: left.output > right.output ? left.output : right.output,
  }
}

/** Returns the price of an image per token, if an image has the minimum number of tokens. */
function imageRate({ images = 0n }: Rates, kinds: number): bigint {
  return (kinds & PRICED_IMAGES) === 0 ? 0n : divideUp(images, BigInt(MIN_IMAGE_TOKENS))
}

function costOfBound(bound: Bound, price: Price, deployment: Deployment): bigint {
  const rates = worstRatesOf(price, bound)
  const input = BigInt(bound.input) * rates.input
  const output = BigInt(bound.output) * BigInt(bound.choices) * rates.output
  const sum = input + output + otherCosts(bound, price, deployment)
  return divideUp(sum * price.multiplier, COST_SCALE)
}

/** Returns the maximum cost of a request in addition to its tokens, in millionths of a nanocredit. */
function otherCosts(bound: Bound, price: Price, deployment: Deployment): bigint {
  const { ownSearches, agents } = deployment
  const { reasoningBeside } = price.rates
  const isDrawn = (bound.kinds & PRICED_IMAGES) !== 0
  const isPlain = ownSearches === undefined && agents === undefined
  if (isPlain && reasoningBeside === undefined && !isDrawn) return requestsOf(bound, price)
  return linesAt(bound, price, deployment)
    .filter(({ name }) => name !== "input" && name !== "output")
    .reduce((sum, { quantity, rate }) => sum + quantity * rate, 0n)
}

/** Returns the fees of all calls plus the hold for their tools. */
function requestsOf({ calls = 1 }: Bound, { rates: { requests = 0n }, held = 0n }: Price): bigint {
  return requests * BigInt(calls) + held
}

function linesAt(
  bound: Bound,
  price: Price,
  deployment: Pick<Deployment, "ownSearches" | "agents">,
): BoundLine[] {
  const { ownSearches = 0 } = deployment
  const agents = agentsIn(bound, deployment)
  const { input, output } = worstRatesOf(price, bound)
  const { searches = 0n, reasoningBeside = 0n, images = 0n } = price.rates
  const choices = BigInt(bound.choices)
  return [
    { name: "input", quantity: BigInt(bound.input), rate: input },
    { name: "output", quantity: BigInt(bound.output) * choices, rate: output },
    {
      name: "reasoning_output",
      quantity: BigInt(bound.context ?? UNKNOWN_REASONING) * choices,
      rate: reasoningBeside,
    },
    // The caller's output limit does not apply to the agents.
    {
      name: "reasoning_output",
      quantity: BigInt(agents * AGENT_OUTPUT) * choices,
      rate: agents > 0 ? output : 0n,
    },
    { name: "request", quantity: 1n, rate: requestsOf(bound, price) },
    // One more image is held, because the remaining tokens may start an image that the limit cuts off.
    { name: "image", quantity: choices, rate: (bound.kinds & PRICED_IMAGES) === 0 ? 0n : images },
    {
      name: "search",
      quantity: BigInt(ownSearches) * choices,
      rate: ownSearches > 0 ? searches : 0n,
    },
  ]
}

/** Tokens of separately billed reasoning that are held for a model without a known context. */
const UNKNOWN_REASONING = 131_072

function highest(rates: Rates, classes: readonly UsageClass[]): bigint {
  let max = 0n
  for (const usageClass of classes) {
    const rate = rateOf(rates, usageClass)
    if (rate > max) max = rate
  }
  return max
}
