import type { JsonObject } from "../../canon/json.ts"
import { NO_USAGE, totalOutput } from "../../canon/usage.ts"
import type { Settlement } from "../../ledger/hold.ts"
import type { Billing } from "../billing/billing.ts"
import type { PricedUsage } from "../billing/priced-usage.ts"
import { CHARACTERS_OF_TOKEN } from "../billing/provider-cost.ts"
import { isOfGemini } from "../billing/reported-usage.ts"
import type { PendingCharge } from "../billing/pending-charge.ts"
import { billedResponseOf, isCallerGone } from "../lifetime/call-failure.ts"
import { recordUnchargedCalls, type RunningCall } from "../pipeline/cancellation.ts"
import type { Pipeline } from "../pipeline/pipeline.ts"
import type { Attempt } from "../upstream/attempt.ts"
import type { ChatContext } from "./chat-context.ts"
import { estimateHidden } from "../metering/hidden-reasoning.ts"
import { Meter } from "../metering/meter.ts"
import { type Plan, recordOf } from "./plan.ts"

/** A plan whose calls have started. */
export interface TriedPlan {
  readonly plan: Plan
  readonly attempts: Attempt<Plan>[]
}

interface SettlingServices {
  readonly pipeline: Pipeline
  readonly billing: Billing
}

/**
 * Charges calls that providers bill although the caller has disconnected or the response cannot be used. Uses the
 * reported usage, otherwise the counted input and the received output.
 * @param tried the plans whose calls were made.
 * @returns false if nothing was charged, because there are no such calls.
 */
export async function settleUnread(
  services: SettlingServices,
  context: ChatContext,
  tried: readonly TriedPlan[],
  failure: unknown,
): Promise<boolean> {
  const hasLeft = isCallerGone(failure)
  if (!hasLeft && billedResponseOf(failure) === undefined) return false
  const last = tried.at(-1)
  const unread =
    tried.find(({ attempts }) => attempts.some(hasLeft ? isLeft : isUnusable)) ??
    // The other calls of a caller that has disconnected may not have been made.
    (hasLeft && last?.attempts.some(isAnswered) ? last : undefined)
  if (unread === undefined) return false
  const { plan } = unread
  const { charge } = context
  const billed = unread.attempts.filter((attempt) => attempt.isBilled || isAnswered(attempt))
  recordOtherCalls(context, billed)
  const meter = Meter.sum(billed.map((attempt) => meterOf(charge, attempt)))
  const hidden = hasLeft && !meter.isCounted ? estimateHidden(plan, meter) : 0
  await settleResponse(services, context, { plan, meter }, hidden)
  return true
}

/** The charge for a response. */
interface SettledResponse extends Settlement {
  readonly priced: PricedUsage
}

/**
 * Charges the received part of the response to a plan.
 * @param hidden reasoning tokens that the provider bills but did not report.
 */
export async function settleResponse(
  { pipeline, billing }: SettlingServices,
  context: ChatContext,
  { plan: { deployment }, meter }: { readonly plan: Plan; readonly meter: Meter },
  hidden = 0,
): Promise<SettledResponse> {
  const pricing = billing.pricing.priceResponse(context.charge, deployment, meter, hidden)
  const priced = pricing instanceof Promise ? await pricing : pricing
  const { charged, writtenOff, balance } = await pipeline.settle(context, deployment, priced)
  return { priced, charged, writtenOff, balance }
}

/** Reports that a response has fewer choices than requested, because calls have failed. */
export function reportFewerChoices(context: ChatContext, charged: readonly Attempt<Plan>[]): void {
  const { charge } = context
  charge.losses = [...charge.losses, { name: "n", effect: "approximated" }]
  recordOtherCalls(context, charged)
}

/** Records the provider cost of all uncharged calls as the operator's cost. */
function recordOtherCalls(
  { cancellation, charge }: ChatContext,
  charged: readonly Attempt<Plan>[],
): void {
  const ours = new Set<RunningCall>(charged)
  recordUnchargedCalls(
    charge,
    cancellation.attempts.filter((attempt) => !ours.has(attempt)),
  )
}

/** Whether an attempt has a complete response. */
export function isAnswered({ record }: Attempt<Plan>): boolean {
  return record.outcome === "ok" && record.status !== 0
}

function isLeft({ ended, isBilled }: Attempt<Plan>): boolean {
  return isBilled && isCallerGone(ended)
}

/** Whether a call ended with a response that cannot be passed on although its provider bills it. */
export function isUnusable({ ended }: Attempt<Plan>): boolean {
  return billedResponseOf(ended) !== undefined
}

/** Returns the meter of a call. If the response could not be decoded, the meter contains only the known usage. */
export function meterOf(charge: PendingCharge, attempt: Attempt<Plan>): Meter {
  const { meter, usageMembers, plan } = attempt
  const isUnread = isUnusable(attempt)
  if (meter !== undefined && (meter.usage !== undefined || !isUnread)) {
    if (isUnread) countRequested(meter, charge, plan)
    return meter
  }
  return unreadMeter(charge, attempt, isUnread ? (usageMembers ?? {}) : usageMembers)
}

/** Returns the known usage of a response that was not decoded. */
function unreadMeter(
  charge: PendingCharge,
  { plan, startedAt }: Attempt<Plan>,
  members: JsonObject | undefined,
): Meter {
  const meter = new Meter()
  meter.begunAt = startedAt
  if (members === undefined) return meter
  const usage = plan.binding.dialect.usageIn(members)
  meter.reported = members
  const record = recordOf(charge, plan)
  record?.usageMembers(members)
  if (record) meter.records = [record]
  if (usage !== undefined) meter.result({ choices: [], usage })
  countRequested(meter, charge, plan)
  return meter
}

/**
 * Counts the requested maximum output of a call whose response is billed but unknown. The maximum includes the received
 * part. Nothing is counted if the provider reported output other than thoughts, which Gemini may report alone.
 */
export function countRequested(meter: Meter, { input }: PendingCharge, { calls }: Plan): void {
  const { usage = NO_USAGE, reported } = meter
  const thoughts = isOfGemini(reported) ? usage.reasoning : 0
  if (totalOutput(usage) > thoughts || input.request === undefined) return
  const { output, choices } = input.bound
  const requested = ((output * choices) / calls - thoughts) * CHARACTERS_OF_TOKEN
  const received = meter.characters + meter.other.characters
  meter.other.characters += Math.max(0, requested - received)
}
