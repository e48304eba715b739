import type { UsageClass } from "tollgate-contract/usage-classes.ts"
import type { Loss } from "../../canon/extra.ts"
import { asGatewayError, type GatewayError } from "../../canon/errors.ts"
import { NO_USAGE, type Usage } from "../../canon/usage.ts"
import type { Deployment, Model } from "../../catalog/model.ts"
import type { BalanceSnapshot } from "../../ledger/hold.ts"
import { divideUp } from "tollgate-contract/decimal.ts"
import { COST_SCALE, type Cost, priceTimes } from "../../ledger/price.ts"
import type { Health } from "../../routing/health.ts"
import { likelyRoute } from "../../routing/route.ts"
import { notCarried } from "../pipeline/answer-headers.ts"
import { SAME, widen } from "../billable/terms.ts"
import type { PendingCharge } from "../billing/pending-charge.ts"
import { cheapestOf } from "../billing/deployment-costs.ts"
import {
  type Bound,
  boundByBytes,
  boundByCount,
  keptTokens,
  fewestTokens,
  linesOfBound,
  repeated,
  textOf,
  worstCost,
} from "../billing/bounds.ts"
import type { Billing } from "../billing/billing.ts"
import type { TokenCounter } from "../tokens/token-counter.ts"
import { imagined } from "./inline-media.ts"
import { usageName } from "../billing/receipt.ts"
import type { ReasoningSigner } from "./reasoning-envelope.ts"
import { planCall, type PlannedRequest } from "./plan-call.ts"

/** What a request would cost, and where it would go. Amounts are nanocredits. */
export interface Estimate {
  /** The least that a request costs which is answered. */
  readonly min: bigint
  /** The most: what would be held. */
  readonly max: bigint
  /** Why it would be refused now for want of money; undefined where it is covered. */
  readonly refusal: GatewayError | undefined
  /** To what the answer would be shortened; undefined where it would not be. */
  readonly clampedTo: number | undefined
  /** How the account and the key's budgets stand, the account first. */
  readonly standings: readonly BalanceSnapshot[]
  /** Mostly one; two where a request takes two models. */
  readonly parts: readonly EstimatedPart[]
}

/** One model's part of a request. */
export interface EstimatedPart {
  readonly model: string
  readonly min: bigint
  readonly max: bigint
  /** What the most is made of, at the dearest deployment. */
  readonly lines: readonly EstimateLine[]
  /** The deployments that would be tried, in the likeliest order. */
  readonly route: readonly EstimatedStep[]
}

export interface EstimateLine {
  /** A class of usage as receipts name it, or `other`: what no line explains. */
  readonly name: string
  readonly quantity: bigint
  /** Nanocredits per million units, before the multiplier. */
  readonly rate: bigint
  /** Nanocredits, with the multiplier. */
  readonly amount: bigint
  /** Why it may be so much. */
  readonly why: string
}

/** One deployment of a route. */
export interface EstimatedStep {
  readonly deployment: Deployment
  /** Whether it rests after failures, and is tried last. */
  readonly isCircuitOpen: boolean
  /** Of a chat: whether the request goes up as it came, and in which dialect. */
  readonly plan?: { readonly isVerbatim: boolean; readonly dialect: string; readonly calls: number }
  readonly losses: readonly Loss[]
  /** Why the request cannot go there. */
  readonly error?: GatewayError
}

export interface EstimateServices {
  readonly billing: Billing
  readonly counter: TokenCounter
  readonly health: Health
  readonly signer: ReasoningSigner
}

/** Explains what a chat was admitted with. */
export async function estimateChat(
  services: EstimateServices,
  planned: PlannedRequest,
): Promise<Estimate> {
  const { charge, request } = planned
  const deployments = cheapDeployments(charge)
  const max = charge.hold.amount
  const tokens = fewestTokens(Buffer.byteLength(textOf(request)))
  const min = smallest(
    INPUT_CLASSES.map((name) => cheapestOf({ ...NO_USAGE, [name]: tokens }, deployments)),
  )
  const lines = await linesOfChat(services, charge)
  const route = await stepsOf(charge.model, services.health, (deployment) =>
    stepOf(planned, deployment, services.signer),
  )
  const part = { model: charge.model.id, min: atMost(min, max), max, lines, route }
  return estimateOf(services, charge, [part])
}

/** The parts of a request, together. @param charge of all of them. */
export function estimateOf(
  { billing }: Pick<EstimateServices, "billing">,
  charge: PendingCharge,
  parts: readonly EstimatedPart[],
): Estimate {
  const { refusal, clampedTo, hold } = charge
  const standings = billing.snapshot(charge)
  const min = parts.reduce((sum, part) => sum + part.min, 0n)
  return { min, max: hold.amount, refusal, clampedTo, standings, parts }
}

/** The deployments at the lowest prices that a request can come to: in cheaper modes, by other models. */
function cheapDeployments({ model, terms }: PendingCharge): readonly Deployment[] {
  if (terms === undefined) return model.deployments
  return model.deployments.flatMap((deployment) => {
    const own = terms.get(deployment.id)
    if (own === undefined) return [deployment]
    const factor = own.modes.reduce(
      (product, mode) =>
        (mode.factor ?? SAME) < SAME ? (product * (mode.factor ?? SAME)) / SAME : product,
      SAME,
    )
    return [own.price, ...own.models.map(({ price }) => price)].map((price) => ({
      ...deployment,
      price: priceTimes(price, factor),
    }))
  })
}

/** The classes of which text that goes in can be. */
const INPUT_CLASSES: readonly UsageClass[] = [
  "inputFresh",
  "inputCacheRead",
  "inputCacheWrite",
  "inputCacheWriteLong",
]

const KEPT_WORDS = "what the vendor keeps by its size, or the whole context where nobody knows it"

async function linesOfChat(
  { counter }: Pick<EstimateServices, "counter">,
  charge: PendingCharge,
): Promise<EstimateLine[]> {
  const { call, request, model, hold, state, held = model.deployments } = charge
  if (!request) return []
  const kept = keptTokens(state, model)
  const beside = kept === 0 ? "" : `; ${KEPT_WORDS}`
  const whole = boundFor(charge, boundByBytes(request, call.bodyBytes, model, kept))
  if (worstCost(whole, held) <= hold.amount) {
    const why = "a token is at least one byte of the body; pictures, sounds and files by their size"
    return chatLines(whole, charge, why + beside)
  }
  const counted = await counter.count(textOf(request))
  const bound =
    counted === undefined ? whole : boundFor(charge, boundByCount(request, counted, model, kept))
  const why = "tokens as counted here, with a margin for other vendors' vocabularies"
  return chatLines(bound, charge, why + beside)
}

/** A bound with what the vendor does by itself, and as far as the balance pays for it. */
function boundFor({ clampedTo, model, terms, input }: PendingCharge, plain: Bound): Bound {
  const widened = terms === undefined ? plain : widen(plain, [...terms.values()], model.context)
  const bound = input.request === undefined ? widened : repeated(input.calls, widened)
  return clampedTo === undefined ? bound : { ...bound, output: clampedTo }
}

function chatLines(bound: Bound, charge: PendingCharge, why: string) {
  const { model, hold, request, clampedTo, held = model.deployments } = charge
  const { lines, multiplier } = linesOfBound(bound, held)
  const reasons = {
    input: why,
    output:
      clampedTo !== undefined
        ? "what the balance pays for besides the input"
        : request?.maxTokens !== undefined
          ? "the limit that the request names, for each choice"
          : "the model's longest answer, for each choice: the request names no limit",
    request: "the price of each request, and the calls of the vendor's tools that it allows",
    search: "as many searches as a searching model is assumed to make",
  }
  const priced = lines.map((line) => ({
    ...line,
    amount: amountOf(line.quantity * line.rate, multiplier),
    why: reasons[line.name],
  }))
  return withRest(priced, hold.amount)
}

/** The lines of a usage at its dearest. */
export function linesOfCost({ lines, multiplier, total }: Cost): EstimateLine[] {
  const priced = lines.map((line) => {
    const quantity = BigInt(line.quantity)
    const amount = amountOf(quantity * line.rate, multiplier)
    return {
      name: usageName(line.class),
      quantity,
      rate: line.rate,
      amount,
      why: "the most it can use",
    }
  })
  return withRest(priced, total)
}

/** Each line is rounded up by itself, and the whole once: what is more than a rounding has a line too. */
function withRest(lines: readonly EstimateLine[], max: bigint): EstimateLine[] {
  const rest = lines.reduce((left, { amount }) => left - amount, max)
  if (rest <= 0n) return [...lines]
  const why = "what else may be billed of it"
  return [...lines, { name: "other", quantity: 1n, rate: 0n, amount: rest, why }]
}

function amountOf(raw: bigint, multiplier: bigint): bigint {
  return divideUp(raw * multiplier, COST_SCALE)
}

/** The steps of a route. @param look finds out what one deployment would make of the request. */
export function stepsOf(
  model: Model,
  health: Health,
  look: (deployment: Deployment) => Promise<Omit<EstimatedStep, "deployment" | "isCircuitOpen">>,
): Promise<EstimatedStep[]> {
  return Promise.all(
    likelyRoute(model, health).map(async (deployment) => {
      const isCircuitOpen = !health.isHealthy(deployment.id)
      try {
        return { deployment, isCircuitOpen, ...(await look(deployment)) }
      } catch (thrown) {
        return { deployment, isCircuitOpen, losses: [], error: asGatewayError(thrown) }
      }
    }),
  )
}

async function stepOf(planned: PlannedRequest, deployment: Deployment, signer: ReasoningSigner) {
  const client = planned.config.clients.get(deployment.provider)
  if (!client) throw new Error(`provider ${deployment.provider} is not set up`)
  const { isVerbatim, losses, calls, binding } = await planCall(
    planned,
    { deployment, client },
    signer,
    imagined,
  )
  const plan = { isVerbatim, dialect: binding.dialect.id, calls }
  return { plan, losses, ...refusedLosses(planned.call.isStrict, losses) }
}

/** Why losses keep a request from a deployment whose caller wants none. */
export function refusedLosses(isStrict: boolean, losses: readonly Loss[]) {
  return isStrict && losses.length > 0 ? { error: notCarried(losses) } : {}
}

/** The least that a usage costs, but no more than the most. */
export function minOf(usage: Usage, { deployments }: Model, max: bigint): bigint {
  return atMost(cheapestOf(usage, deployments), max)
}

function atMost(amount: bigint, max: bigint): bigint {
  return amount < max ? amount : max
}

function smallest(amounts: readonly bigint[]): bigint {
  return amounts.reduce((min, amount) => (amount < min ? amount : min))
}
