import type { UsageClass } from "#contract/usage-classes.ts"
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listAt,
  objectAt,
  textAt,
} from "../../canon/json.ts"
import {
  addUsage,
  divideUsage,
  isNoUsage,
  NO_USAGE,
  totalInput,
  totalOutput,
  type Usage,
  withoutTokens,
  withTokensOf,
} from "../../canon/usage.ts"
import { isBilledRefusal } from "../../dialects/anthropic-messages/finish.ts"
import { decodeUsage } from "../../dialects/anthropic-messages/usage.ts"
import { imageUsage } from "../../dialects/image/formats/openai.ts"
import type { Price, SecondUsage } from "../../ledger/price.ts"
import { type AppliedMode, priceIn } from "../../ledger/price-modes.ts"
import type { ResponseRecord } from "../metering/response-record.ts"
import { countAllowed } from "./count.ts"
import { valuesAt } from "./find-switches.ts"
import type { FieldSwitch } from "../../vendors/priced-features/switch.ts"
import type { UnrequestedMode } from "./default-modes.ts"
import { type ModeReport, type ModeUsage, settleModes } from "./served-modes.ts"
import type { SecondModel, FeatureCosts } from "./feature-costs.ts"
import { answeredBy, secondNamed } from "./second-model-names.ts"

/** How a request was served. */
interface ServedRequest extends AnsweredCalls {
  /** Records of each response to the request. */
  readonly records: readonly ResponseRecord[]
  /** The report of each call about its service mode. */
  readonly reports: readonly ModeReport[]
  readonly elapsedMs: number
  /** Counts cache writes without a reported lifetime in the most expensive class that the request can cause. */
  readonly withLifetimes: (usage: Usage) => Usage
  /** Fields that report a service mode even if the request did not name one. */
  readonly unrequested?: readonly FieldSwitch[]
}

/** The calls of a request. */
export interface AnsweredCalls {
  readonly calls: number
  /** The usage of each call, if it is known. */
  readonly usages: readonly Usage[]
}

/** The complete billed usage of a request, and its prices. */
export interface SettledUsage {
  readonly usage: Usage
  readonly calls: number
  readonly price: Price
  readonly others: readonly SecondUsage[]
  readonly modes: readonly string[]
  /** Reported service modes without a price. They are charged at the request's price. */
  readonly unpriced: readonly string[]
  /** Reported modes that cost more although the request did not name them. */
  readonly unrequested: readonly UnrequestedMode[]
}

/**
 * Settles all features that the vendor bills in addition to the model's tokens, according to the responses.
 * @param usage the tokens as decoded by the dialect or estimated.
 * @param served how the request was served.
 */
export function settleFeatures(
  featureCosts: FeatureCosts,
  usage: Usage,
  {
    records,
    reports,
    calls,
    usages,
    elapsedMs,
    withLifetimes,
    unrequested: fields = [],
  }: ServedRequest,
): SettledUsage {
  const used = { price: featureCosts.price, usage, calls }
  const { applied, ...modes } = settleModes(featureCosts.modes, fields, reports, used)
  const counted = withCalls(featureCosts, usage, records, elapsedMs)
  const price = priceIn(featureCosts.price, applied)
  const served = { featureCosts, price, applied, records, calls, usages, withLifetimes }
  return { ...withModels(served, counted), ...modes }
}

/**
 * Settles a response whose request set no priced feature.
 * @param fields the fields in which the dialect reports a service mode, because a vendor's project may have another
 * default mode.
 * @returns undefined if the usage has its usual price.
 */
export function settleWithoutFeatures(
  used: ModeUsage & AnsweredCalls,
  fields: readonly FieldSwitch[],
  reports: readonly ModeReport[],
): SettledUsage | undefined {
  if (fields.length === 0 && used.usages.length < 2) return undefined
  const { applied, modes, unpriced, unrequested } = settleModes([], fields, reports, used)
  const price = priceIn(used.price, applied)
  const divided = dividedUsage(used.usage, used, price)
  if (modes.length + unpriced.length + divided.others.length === 0) return undefined
  return { ...divided, price, modes, unpriced, unrequested }
}

const NO_OTHERS: readonly SecondUsage[] = []

/**
 * Returns the usage divided among its calls, if the usage of each call is known and the length of a call affects the
 * price.
 */
function dividedUsage(
  usage: Usage,
  { calls, usages }: AnsweredCalls,
  price: Price,
): Pick<SettledUsage, "usage" | "calls" | "others"> {
  if (usages.length < 2 || price.tiers.length === 0) return { usage, calls, others: NO_OTHERS }
  const { longest, others } = divideUsage(usage, usages)
  return {
    usage: { ...longest, requests: calls },
    calls: 1,
    others: others.map((other) => ({ usage: other, price })),
  }
}

function withCalls(
  { calls }: FeatureCosts,
  usage: Usage,
  records: readonly ResponseRecord[],
  elapsed: number,
): Usage {
  if (calls.length === 0) return usage
  const counts = new Map<UsageClass, number>()
  for (const allowed of calls) {
    const { charge, units } = allowed
    const spans =
      charge.lasts === undefined ? 1 : Math.max(1, Math.ceil(elapsed / 1_000 / charge.lasts))
    const others = calls.filter((other) => other.charge.class === charge.listedWith)
    const elsewhere = others.reduce((sum, other) => sum + countAllowed(other, records), 0)
    const count = Math.max(0, countAllowed(allowed, records) - elsewhere)
    counts.set(charge.class, (counts.get(charge.class) ?? 0) + count * units * spans)
  }
  const sum = { ...usage }
  for (const [usageClass, count] of counts) sum[usageClass] = Math.max(sum[usageClass], count)
  // Premium searches are reported in the same count as other searches.
  if (counts.has("premiumSearches") && !counts.has("searches")) sum.searches = 0
  return sum
}

/** The data from which the features and the service mode are priced. */
interface ServedFeatures extends Omit<ServedRequest, "reports" | "elapsedMs" | "unrequested"> {
  readonly featureCosts: FeatureCosts
  readonly price: Price
  readonly applied: readonly AppliedMode[]
}

function withModels(
  served: ServedFeatures,
  usage: Usage,
): Omit<SettledUsage, "modes" | "unpriced" | "unrequested"> {
  const { featureCosts, price, applied, records, calls } = served
  const { models } = featureCosts
  if (models.length === 0 && price.tiers.length === 0) return { usage, calls, price, others: [] }
  const others = records.flatMap((record) => models.flatMap((model) => images(model, record)))
  if (records.some(hasIterations)) {
    const { first, further } = splitIterations(served, usage)
    const own = { ...withTokensOf(first, usage), requests: calls }
    return { usage: own, calls: 1, price, others: [...further, ...others] }
  }
  const answering = models.filter(({ charge }) => charge.how !== "alongside")
  const other = answering.length === 0 ? undefined : answeredBy(featureCosts, answering, records)
  if (other === undefined) {
    const divided = dividedUsage(usage, served, price)
    return { ...divided, price, others: [...divided.others, ...others] }
  }
  const second = { model: other.id, price: priceIn(other.price, applied) }
  const { usage: longest, others: shorter } = dividedUsage(usage, served, second.price)
  const seconds = [longest, ...shorter.map((one) => one.usage)].map((one) => ({
    ...second,
    usage: { ...one, requests: 0 },
  }))
  return { usage: NO_USAGE, calls, price, others: [...seconds, ...others] }
}

function iterationsOf({ whole }: ResponseRecord): readonly JsonObject[] {
  const usage = objectAt(whole, "usage")
  return usage === undefined ? [] : listAt(usage, "iterations").filter(isJsonObject)
}

/** Returns the usage of each call to a model that a response reports. */
function modelCallsOf(record: ResponseRecord): readonly JsonObject[] {
  const iterations = iterationsOf(record)
  return iterations.length > 0 ? iterations : [record.whole.usage].filter(isJsonObject)
}

/**
 * Returns the billed calls. A call that declined before any output may not be billed. Each fallback block contains the
 * reason for the preceding decline.
 */
function billedCallsOf(record: ResponseRecord): readonly JsonObject[] {
  const calls = modelCallsOf(record)
  const blocks = record.items.filter(({ name }) => name === "fallback")
  let hops = 0
  return calls.filter(({ type, output_tokens: output }, index) => {
    const isAttempt = type === "message" || type === "fallback_message"
    const isLast = !calls.slice(index + 1).some((call) => call.type === "fallback_message")
    if (!isAttempt || isLast) return true
    const trigger = objectAt(blocks[hops++]?.item ?? {}, "trigger")
    return output !== 0 || trigger === undefined || isBilledRefusal(textAt(trigger, "category"))
  })
}

function hasIterations(record: ResponseRecord): boolean {
  return iterationsOf(record).length > 0
}

/**
 * Separates the calls to different models, which Anthropic reports one by one (iterations). A call without a model name
 * belongs to the requested model. Each call has its own price tier.
 * @param usage the total usage of all responses.
 */
function splitIterations(
  { featureCosts, price, applied, records, withLifetimes }: ServedFeatures,
  usage: Usage,
): { readonly first: Usage; readonly further: SecondUsage[] } {
  const { models, deployment } = featureCosts
  let first: Usage | undefined
  const further: SecondUsage[] = []
  for (const iteration of records.flatMap(billedCallsOf)) {
    const decoded = decodeUsage(iteration)
    if (decoded === undefined) continue
    const usage = withLifetimes(decoded)
    const name = textAt(iteration, "model")
    const isAdvice = iteration.type === "advisor_message"
    const own = isAdvice ? [] : [{ name: deployment.upstreamModel, price: featureCosts.price }]
    const second = name === undefined ? undefined : secondNamed(name, own, models)
    if (second !== undefined) {
      // The answering model is charged in the mode of the response. Models that are only consulted are charged
      // regardless of that mode.
      const isAlongside = second.charge.how === "alongside"
      const price = isAlongside ? second.price : priceIn(second.price, applied)
      further.push({ model: second.id, usage, price })
    } else if (first === undefined) first = usage
    else further.push({ usage, price })
  }
  const totals = records.flatMap((record) => {
    const total = decodedUsage(record.whole.usage)
    return total === undefined ? [] : { record, total: withLifetimes(total) }
  })
  // An unfinished response contains more than it has reported, and some iterations may be unreadable.
  const unreported = withoutTokens(
    usage,
    totals.map(({ total }) => total),
  )
  const missing = totals.map(({ record, total }) => missingUsage(record, total, withLifetimes))
  const rests = [unreported, ...missing].map((rest) => withTokensOf(rest, NO_USAGE))
  return { first: rests.reduce(addUsage, first ?? NO_USAGE), further }
}

function decodedUsage(usage: JsonValue | undefined): Usage | undefined {
  return isJsonObject(usage) ? decodeUsage(usage) : undefined
}

/** Returns the part of a response's usage that is not in its iterations. */
function missingUsage(
  record: ResponseRecord,
  total: Usage,
  withLifetimes: (usage: Usage) => Usage,
): Usage {
  const parts = modelCallsOf(record).flatMap((part) => decodedUsage(part) ?? [])
  const sum = parts.map(withLifetimes).reduce(addUsage, NO_USAGE)
  const isComplete = tokensOf(sum) >= tokensOf(total)
  return isComplete ? NO_USAGE : withoutTokens(total, [sum])
}

function tokensOf(usage: Usage): number {
  return totalInput(usage) + totalOutput(usage)
}

/** Returns the tokens of a model that generated images for a response. */
function images({ charge, id, price }: SecondModel, { whole }: ResponseRecord): SecondUsage[] {
  if (charge.usage === undefined) return []
  const [reported] = valuesAt(whole, charge.usage)
  if (!isJsonObject(reported?.value)) return []
  const usage = imageUsage({ input_tokens: 0, output_tokens: 0, ...reported.value })
  if (usage === undefined || isNoUsage(usage)) return []
  return [{ model: id, usage, price }]
}
