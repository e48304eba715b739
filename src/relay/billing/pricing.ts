import {
  addUsage,
  isNoUsage,
  NO_USAGE,
  totalInput,
  totalOutput,
  type Usage,
} from "../../canon/usage.ts"
import type { MaybePromise } from "../../canon/maybe-promise.ts"
import type { Deployment } from "../../catalog/model.ts"
import type { Price } from "../../ledger/price.ts"
import {
  type AnsweredCalls,
  settleWithoutFeatures,
  settleFeatures,
} from "../priced-features/settle.ts"
import { isUnknown } from "../priced-features/count.ts"
import { DefaultModes, type UnrequestedMode } from "../priced-features/default-modes.ts"
import type { FeatureCosts } from "../priced-features/feature-costs.ts"
import { servedFields } from "../../vendors/priced-features/index.ts"
import type { Vendor } from "../../vendors/vendor.ts"
import type { FieldSwitch } from "../../vendors/priced-features/switch.ts"
import { UnchargedUsage } from "../priced-features/uncharged.ts"
import { Meter } from "../metering/meter.ts"
import type { TokenCounter } from "../tokens/token-counter.ts"
import { type DeliveredResponse, estimateUsage } from "./estimated-usage.ts"
import { completedUsage, fullUsage } from "./reported-usage.ts"
import { type StatedCost, StatedCosts } from "./stated-costs.ts"
import { maxOf, type PendingCharge } from "./pending-charge.ts"
import { withLifetimes } from "./token-kinds.ts"
import {
  boundedPrice,
  type CountedUsage,
  type PricedUsage,
  priceSettled,
  priceUsage,
} from "./priced-usage.ts"

/** Findings about prices that are reported to the operator. */
export interface PricingAlarms {
  /** Reports that the vendor sent no usage, or zero usage, for a response that has a price. */
  usageMissing(request: string, deployment: string): void
  /**
   * Reports that the vendor counts more audio than the hold covers.
   * @param nanocredits the cost above the hold.
   */
  audioAboveHold(request: string, deployment: string, nanocredits: bigint): void
  /** Reports that a provider sent usage that is not charged. */
  usageUncharged(request: string, deployment: string, name: string): void
  /** Reports that a provider states a cost above the price of the model. */
  priceBelowCost(request: string, deployment: string, costs: StatedCost): void
}

/**
 * Prices delivered responses by the vendor's counts, or by the gateway's own counts if the vendor does not report them.
 */
export class Pricing {
  /** Default service modes that responses have reported. Holds are based on these modes. */
  readonly defaultModes = new DefaultModes()
  readonly #counter: TokenCounter
  readonly #alarms: PricingAlarms
  readonly #uncharged: UnchargedUsage
  readonly #statedCosts: StatedCosts

  constructor(counter: TokenCounter, alarms: PricingAlarms) {
    this.#counter = counter
    this.#alarms = alarms
    this.#uncharged = new UnchargedUsage(alarms)
    this.#statedCosts = new StatedCosts(alarms)
  }

  /**
   * Prices a delivered response. Counts tokens only if the vendor did not report them.
   * @param hidden reasoning tokens that the response does not contain and the vendor does not count.
   */
  priceResponse(
    charge: PendingCharge,
    deployment: Deployment,
    meter: Meter,
    hidden = 0,
  ): MaybePromise<PricedUsage> {
    const billed = billedPart(charge, deployment, meter)
    if (billed === undefined) {
      return priceUsage({ usage: NO_USAGE, estimated: false, calls: 0 }, priceOf(deployment))
    }
    if (billed !== meter) return this.priceResponse(charge, deployment, billed, hidden)
    const settled = { charge, deployment, meter }
    const usage = fullUsage(meter)
    if (usage !== undefined) return this.#priced(settled, usage, false)
    if (meter.finished) this.#alarms.usageMissing(charge.call.id, deployment.id)
    return this.#priceEstimated(settled, hidden)
  }

  async #priceEstimated(settled: DeliveredResponse, hidden: number): Promise<PricedUsage> {
    const { usage, estimated } = await this.#estimated(settled, hidden)
    return this.#priced(settled, usage, estimated)
  }

  /**
   * Returns the usage of all calls.
   * @param hidden hidden reasoning tokens, which are divided among the calls by the time in which each call sent
   * nothing.
   */
  async #estimated(settled: DeliveredResponse, hidden: number): Promise<CountedUsage> {
    const { meter } = settled
    if (meter.parts.length === 0) return this.#estimatedCall(settled, hidden)
    const all = await Promise.all(
      meter.parts.map((part) => {
        const share = hidden === 0 ? 0 : hidden * (part.silentMs / meter.silentMs)
        return this.#estimatedCall({ ...settled, meter: part }, Math.ceil(share))
      }),
    )
    const usage = all.map((each) => each.usage).reduce(addUsage)
    return { usage, estimated: all.some(({ estimated }) => estimated) }
  }

  /** Returns the usage of one call. The gateway counts only usage that the provider did not report. */
  async #estimatedCall(settled: DeliveredResponse, hidden: number): Promise<CountedUsage> {
    const { deployment, meter } = settled
    const complete = fullUsage(meter)
    if (complete !== undefined) return { usage: complete, estimated: false }
    const { usage } = meter
    const shown = await this.countResponse(settled)
    const estimate = hidden === 0 ? shown : withHidden(shown, hidden, deployment)
    if (usage === undefined || isNoUsage(usage)) return { usage: estimate, estimated: true }
    return completedUsage(usage, estimate, meter)
  }

  /** Counts the visible tokens of a response, even if the vendor has counted them. */
  countResponse(delivered: DeliveredResponse): Promise<Usage> {
    return estimateUsage(this.#counter, delivered)
  }

  #priced(
    { charge, deployment, meter }: DeliveredResponse,
    counted: Usage,
    estimated: boolean,
  ): PricedUsage {
    const kinds = kindsOf(charge)
    const usage = withLifetimes(withImages(counted, deployment, meter), kinds)
    const answered = callsOf(meter, kinds)
    const featureCosts = charge.featureCosts?.get(deployment.id)
    const fields = reportingFields(charge, deployment)
    const price = featureCosts?.price ?? priceOf(deployment)
    let reported: PricedUsage
    if (featureCosts === undefined) {
      const used = { price, usage, calls: answered.calls, usages: answered.usages }
      const settled = settleWithoutFeatures(used, fields, partsOf(meter))
      reported =
        settled === undefined
          ? priceUsage({ usage, estimated, calls: meter.calls }, price)
          : priceSettled(settled, price, estimated)
    } else {
      const settled = settleFeatures(featureCosts, usage, {
        ...answered,
        records: meter.records,
        reports: partsOf(meter),
        elapsedMs: elapsed(charge),
        withLifetimes: lifetimesOf(kinds),
        unrequested: fields,
      })
      reported = priceSettled(settled, price, estimated || isGuess(featureCosts, meter))
    }
    const priced = believed({ charge, deployment }, reported, price, meter)
    const { cost } = priced
    const unpriced = priced.settled?.unpriced ?? NO_NAMES
    for (const mode of priced.settled?.unrequested ?? NO_MODES) {
      this.defaultModes.learn(deployment, mode)
    }
    const { id } = charge.call
    this.#uncharged.check(id, deployment, { reported: meter.reported, cost, unpriced })
    if (vendorOf(charge, deployment)?.statesCost === true) {
      this.#statedCosts.check(id, deployment, { meters: partsOf(meter), priced: reported, price })
    }
    return priced
  }

  /** Prices the usage of an operation other than chat, up to the maximum of the request. */
  price(charge: PendingCharge, deployment: Deployment, counted: CountedUsage): PricedUsage {
    const price = priceOf(deployment)
    const reported = priceUsage(counted, price)
    const { call, hold, input } = charge
    const above = reported.cost.total - hold.amount
    const isOfAudio = input.request === undefined && input.worst.seconds > 0
    if (above > 0n && isOfAudio && !counted.estimated) {
      this.#alarms.audioAboveHold(call.id, deployment.id, above)
    }
    return believed({ charge, deployment }, reported, price)
  }
}

/**
 * Adds the images that a chat model generated: their number if images have a price, and their tokens. If a vendor does
 * not report image tokens separately from text, all visible output counts as images.
 */
function withImages(usage: Usage, { price }: Deployment, { images: made }: Meter): Usage {
  if (made === 0) return usage
  const { images, imageOutput } = price?.rates ?? {}
  const counted = images === undefined ? usage : { ...usage, images: usage.images + made }
  if (imageOutput === undefined || counted.imageOutput > 0) return counted
  const { output, reasoning } = counted
  return { ...counted, output: reasoning, imageOutput: output - reasoning }
}

/**
 * Returns the counts of the calls that the vendor bills.
 * @returns undefined if it bills none of them.
 */
function billedPart(
  charge: PendingCharge,
  deployment: Deployment,
  meter: Meter,
): Meter | undefined {
  const vendor = vendorOf(charge, deployment)
  if (vendor?.isUnbilled === undefined) return meter
  const parts = partsOf(meter)
  const billed = parts.filter((part) => !isUnbilled(part, vendor))
  if (billed.length === parts.length) return meter
  return billed.length === 0 ? undefined : Meter.sum(billed)
}

/** Returns the vendor of a deployment; undefined for operations other than chat. */
function vendorOf({ input }: PendingCharge, { provider }: Deployment): Vendor | undefined {
  return input.request === undefined ? undefined : input.clients.get(provider)?.vendor
}

function isUnbilled({ characters, images, reported, usage }: Meter, vendor: Vendor): boolean {
  if (characters + images > 0 || usage === undefined || totalOutput(usage) > 0) return false
  return reported !== undefined && vendor.isUnbilled?.(reported) === true
}

function lifetimesOf(kinds: number): (usage: Usage) => Usage {
  return (usage) => withLifetimes(usage, kinds)
}

/**
 * Whether the number of billed tool calls is not known exactly, because vendors report it only at the end of a
 * response.
 */
function isGuess({ calls }: FeatureCosts, { records }: Meter): boolean {
  return calls.some(({ charge }) =>
    records.some((record) => (record.isUnread ? isUnknown(charge, record) : !record.isEnded)),
  )
}

const NO_FIELDS: readonly FieldSwitch[] = []
const NO_NAMES: readonly string[] = []
const NO_MODES: readonly UnrequestedMode[] = []

/** Returns the fields in which the deployment's vendor reports the service mode. */
function reportingFields({ input }: PendingCharge, deployment: Deployment): readonly FieldSwitch[] {
  const { dialects, provider } = deployment
  if (!dialects || input.request === undefined) return NO_FIELDS
  const client = input.clients.get(provider)
  return client === undefined ? NO_FIELDS : servedFields(client.vendor.id, dialects)
}

/**
 * Returns the number of calls and the usage of each call. If the response contains images, the usage cannot be divided
 * among the calls.
 */
function callsOf({ calls, usages, images }: Meter, kinds: number): AnsweredCalls {
  const isDivisible = usages.length > 1 && images === 0
  return { calls, usages: isDivisible ? usages.map(lifetimesOf(kinds)) : NO_USAGES }
}

const NO_USAGES: readonly Usage[] = []

/** Returns the meters of all calls. A call without received data has an empty meter. */
function partsOf(meter: Meter): readonly Meter[] {
  return meter.parts.length > 0 ? meter.parts : [meter]
}

/** Returns the kinds of tokens that a request can cause. */
function kindsOf({ input }: PendingCharge): number {
  return input.request === undefined ? 0 : input.bound.kinds
}

/** Returns the milliseconds since the request arrived. */
function elapsed({ call }: PendingCharge): number {
  return Math.round(performance.now() - call.startedAt)
}

/** Maximum number of reported tokens that is accepted without a comparison with the request. */
const ALWAYS_POSSIBLE = 10_000

/**
 * Limits a reported usage to the maximum of its request. The limit applies if the usage costs more than the hold, or if
 * its tokens are free, because free tokens also count towards the key's rate limit.
 */
function believed(
  { charge, deployment }: Pick<DeliveredResponse, "charge" | "deployment">,
  reported: PricedUsage,
  price: Price,
  meter?: Meter,
): PricedUsage {
  const { cost, usage } = reported
  const isCovered = cost.total <= charge.hold.amount
  if (isCovered && totalInput(usage) + totalOutput(usage) <= ALWAYS_POSSIBLE) return reported
  const bounded = boundedPrice(reported, price, maxOf(charge, deployment, meter))
  return isCovered && bounded.cost.total !== cost.total ? reported : bounded
}

/** Returns the price of a deployment. The gateway only calls deployments that have a price. */
function priceOf({ id, price }: Deployment): Price {
  if (!price) throw new Error(`deployment ${id} was called without a price`)
  return price
}

/** Adds hidden reasoning to the usage. Some vendors bill this reasoning separately from the output. */
function withHidden(usage: Usage, tokens: number, { price }: Deployment): Usage {
  return price?.rates.reasoningBeside === undefined
    ? { ...usage, output: usage.output + tokens, reasoning: tokens }
    : { ...usage, reasoningBeside: tokens }
}
