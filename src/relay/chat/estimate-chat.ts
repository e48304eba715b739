import type { UsageClass } from "#contract/usage-classes.ts"
import { ownTurn } from "../../canon/next-turn.ts"
import { NO_USAGE } from "../../canon/usage.ts"
import { type Deployment, credentialIdOf } from "../../catalog/model.ts"
import { priceIn } from "../../ledger/price-modes.ts"
import type { Health } from "../../routing/health.ts"
import type { PendingCharge } from "../billing/pending-charge.ts"
import { widenedBound } from "../billing/widened-bound.ts"
import { cheapestOf } from "../billing/deployment-costs.ts"
import {
  type Bound,
  boundByBytes,
  boundByCount,
  boundedText,
  keptTokens,
  fewestTokens,
  textOf,
} from "../billing/bounds.ts"
import { linesOfBound, worstCost } from "../billing/bound-cost.ts"
import type { Billing } from "../billing/billing.ts"
import type { TokenCounter } from "../tokens/token-counter.ts"
import { withMediaPlaceholders } from "../fitting/inline-media.ts"
import type { ReasoningSigner } from "./reasoning-envelope.ts"
import { modesWhere } from "../priced-features/feature-costs.ts"
import { planCall, type PlannedRequest } from "./plan-call.ts"
import {
  type Estimate,
  stepsOf,
  atMost,
  estimateOf,
  type EstimateLine,
  amountOf,
  withRest,
  rejectedLosses,
} from "../pipeline/estimate.ts"

export interface EstimateServices {
  readonly billing: Billing
  readonly counter: TokenCounter
  readonly health: Health
  readonly signer: ReasoningSigner
}

/**
 * Returns how the hold of a chat is calculated. Its text may be long, so it is read only once per turn of the event
 * loop.
 */
export async function estimateChat(
  services: EstimateServices,
  planned: PlannedRequest,
): Promise<Estimate> {
  const { charge, request } = planned
  const deployments = cheapDeployments(charge)
  const max = charge.hold.amount
  await ownTurn()
  const tokens = fewestTokens(Buffer.byteLength(textOf(request)))
  const min = smallest(
    INPUT_CLASSES.map((name) => cheapestOf({ ...NO_USAGE, [name]: tokens }, deployments)),
  )
  const lines = await linesOfChat(services, charge)
  const route = await stepsOf(charge.model, services.health, (deployment) =>
    stepOf(planned, deployment, services.signer),
  )
  const part = { model: charge.model.id, min: atMost(min, max), max, lines, route }
  return estimateOf(services.billing, charge, [part])
}

/** Returns the deployments at the lowest prices that a request may have, in cheaper modes or from other models. */
function cheapDeployments({ model, featureCosts }: PendingCharge): readonly Deployment[] {
  if (featureCosts === undefined) return model.deployments
  return model.deployments.flatMap((deployment) => {
    const own = featureCosts.get(deployment.id)
    if (own === undefined) return [deployment]
    const modes = modesWhere(own.modes, ({ isLower }) => isLower)
    return [own.price, ...own.models.map(({ price }) => price)].flatMap((price) => [
      { ...deployment, price },
      ...(modes.length === 0 ? [] : [{ ...deployment, price: priceIn(price, modes) }]),
    ])
  })
}

/** Usage classes that input text can count as. */
const INPUT_CLASSES: readonly UsageClass[] = [
  "inputFresh",
  "inputCacheRead",
  "inputCacheWrite",
  "inputCacheWrite1h",
  "inputCacheWrite12h",
]

const KEPT_WORDS =
  "data stored at the vendor by its size, or the whole context if the size is unknown"

async function linesOfChat(
  { counter }: Pick<EstimateServices, "counter">,
  charge: PendingCharge,
): Promise<EstimateLine[]> {
  const { call, request, model, hold, state, held = model.deployments } = charge
  if (!request) return []
  await ownTurn()
  const kept = keptTokens(state, model)
  const suffix = kept === 0 ? "" : `; ${KEPT_WORDS}`
  const whole = boundFor(charge, boundByBytes(request, call, model, kept))
  if (worstCost(whole, held) <= hold.amount) {
    const why = "a token is at least one byte of the body; images, audio and files by their size"
    return chatLines(whole, charge, why + suffix)
  }
  await ownTurn()
  const text = boundedText(request)
  const tokens = await counter.of(call.key.account).count(text)
  const bound =
    tokens === undefined
      ? whole
      : boundFor(charge, boundByCount(request, { text, tokens }, model, kept))
  const why = "tokens as counted here, with a margin for other vendors' vocabularies"
  return chatLines(bound, charge, why + suffix)
}

/** Returns the bound including the vendor's own tools, limited by the balance. */
function boundFor({ clampedTo, model, featureCosts, input }: PendingCharge, plain: Bound): Bound {
  const calls = input.request === undefined ? 1 : input.calls
  const bound = widenedBound(plain, featureCosts, model, calls)
  return clampedTo === undefined ? bound : { ...bound, output: clampedTo }
}

function chatLines(bound: Bound, charge: PendingCharge, why: string) {
  const { model, hold, request, clampedTo, held = model.deployments } = charge
  const { lines, multiplier } = linesOfBound(bound, held)
  const reasons = {
    input: why,
    output:
      clampedTo !== undefined
        ? "the output that the balance covers after the input"
        : request?.maxTokens !== undefined
          ? "the limit that the request names, for each choice"
          : "the model's longest response, for each choice: the request names no limit",
    request: "the price of each request, and the calls of the vendor's tools that it allows",
    image: "the last image of each choice, which may be cut off",
    search: "the most searches that the model makes by itself",
    reasoning_output: "reasoning that no limit of the request bounds",
  }
  const priced = lines.map((line) => ({
    ...line,
    multiplier,
    amount: amountOf(line.quantity * line.rate, multiplier),
    why: reasons[line.name],
  }))
  return withRest(priced, hold.amount)
}

async function stepOf(planned: PlannedRequest, deployment: Deployment, signer: ReasoningSigner) {
  const client = planned.config.clients.get(credentialIdOf(deployment))
  if (!client) throw new Error(`provider ${deployment.provider} is not set up`)
  const { isVerbatim, losses, calls, binding } = await planCall(
    planned,
    { deployment, client },
    signer,
    withMediaPlaceholders,
  )
  const plan = { isVerbatim, dialect: binding.dialect.id, calls }
  return { plan, losses, ...rejectedLosses(planned.call.isStrict, losses) }
}

function smallest(amounts: readonly bigint[]): bigint {
  return amounts.reduce((min, amount) => (amount < min ? amount : min))
}
