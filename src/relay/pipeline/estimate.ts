import { divideUp } from "#contract/decimal.ts"
import { type GatewayError, asGatewayError } from "../../canon/errors.ts"
import type { Loss } from "../../canon/extra.ts"
import type { Usage } from "../../canon/usage.ts"
import type { Deployment, Model } from "../../catalog/model.ts"
import type { BalanceSnapshot } from "../../ledger/hold.ts"
import { type Cost, COST_SCALE } from "../../ledger/price.ts"
import type { Health } from "../../routing/health.ts"
import { likelyRoute } from "../../routing/route.ts"
import { cheapestOf } from "../billing/deployment-costs.ts"
import type { PendingCharge } from "../billing/pending-charge.ts"
import { usageName } from "../billing/receipt.ts"
import type { Billing } from "../billing/billing.ts"
import { notCarried } from "./response-headers.ts"

/** The estimated cost and route of a request. Amounts are in nanocredits. */
export interface Estimate {
  /** The minimum cost of a successful request. */
  readonly min: bigint
  /** The maximum cost, which would be held. */
  readonly max: bigint
  /** The reason why the request would currently be rejected for lack of credits; undefined if it would not. */
  readonly rejection: GatewayError | undefined
  /** The reduced output limit; undefined if the limit would not be reduced. */
  readonly clampedTo: number | undefined
  /** The balances of the account and of the key's budgets. The account is first. */
  readonly balances: readonly BalanceSnapshot[]
  /** The parts of the request: usually one, or two if the request needs two models. */
  readonly parts: readonly EstimatedPart[]
}

/** The part of a request that one model serves. */
export interface EstimatedPart {
  readonly model: string
  readonly min: bigint
  readonly max: bigint
  /** The lines that add up to the maximum cost, at the most expensive deployment. */
  readonly lines: readonly EstimateLine[]
  /** The deployments that would be tried, in the most likely order. */
  readonly route: readonly EstimatedStep[]
}

export interface EstimateLine {
  /** The name of a usage class as on receipts, or `other` for the remaining amount. */
  readonly name: string
  readonly quantity: bigint
  /** Rate in nanocredits per million units, before the multiplier. */
  readonly rate: bigint
  /** Multiplier in millionths. */
  readonly multiplier: bigint
  /** Amount in nanocredits, with the multiplier. */
  readonly amount: bigint
  /** An explanation of how the maximum is calculated. */
  readonly why: string
}

/** One deployment of a route. */
export interface EstimatedStep {
  readonly deployment: Deployment
  /** Whether the deployment cools down after failures, and is therefore tried last. */
  readonly isCircuitOpen: boolean
  /** For chats, whether the request is sent verbatim, the dialect, and the number of calls. */
  readonly plan?: { readonly isVerbatim: boolean; readonly dialect: string; readonly calls: number }
  readonly losses: readonly Loss[]
  /** The reason why the deployment cannot serve the request; absent if it can. */
  readonly error?: GatewayError
}

/**
 * Combines the estimated parts of a request.
 * @param charge the charge for all parts.
 */
export function estimateOf(
  billing: Billing,
  charge: PendingCharge,
  parts: readonly EstimatedPart[],
): Estimate {
  const { rejection, clampedTo, hold } = charge
  const balances = billing.snapshot(charge)
  const min = parts.reduce((sum, part) => sum + part.min, 0n)
  return { min, max: hold.amount, rejection, clampedTo, balances, parts }
}

/** Returns the lines of a cost, which is calculated at the highest price. */
export function linesOfCost({ lines, multiplier, total }: Cost): EstimateLine[] {
  const priced = lines.map((line) => {
    const quantity = BigInt(line.quantity)
    const amount = amountOf(quantity * line.rate, multiplier)
    return {
      name: usageName(line.class),
      quantity,
      rate: line.rate,
      multiplier,
      amount,
      why: line.isMinimum ? "the minimum of the price" : "the maximum usage",
    }
  })
  return withRest(priced, total)
}
/**
 * Adds the line `other` for the part of `max` that the lines do not cover. Each line is rounded up, but `max` only
 * once, so the lines can also exceed `max`. No line is added then.
 */
export function withRest(lines: readonly EstimateLine[], max: bigint): EstimateLine[] {
  const rest = lines.reduce((left, { amount }) => left - amount, max)
  if (rest <= 0n) return [...lines]
  const why = "other possible charges of the request"
  const multiplier = 0n
  return [...lines, { name: "other", quantity: 1n, rate: 0n, multiplier, amount: rest, why }]
}

export function amountOf(raw: bigint, multiplier: bigint): bigint {
  return divideUp(raw * multiplier, COST_SCALE)
}

/**
 * Returns the steps of a route.
 * @param planAt returns the plan of the request at one deployment.
 */
export function stepsOf(
  model: Model,
  health: Health,
  planAt: (deployment: Deployment) => Promise<Omit<EstimatedStep, "deployment" | "isCircuitOpen">>,
): Promise<EstimatedStep[]> {
  return Promise.all(
    likelyRoute(model, health).map(async (deployment) => {
      const isCircuitOpen = !health.isHealthy(deployment.id)
      try {
        return { deployment, isCircuitOpen, ...(await planAt(deployment)) }
      } catch (thrown) {
        return { deployment, isCircuitOpen, losses: [], error: asGatewayError(thrown) }
      }
    }),
  )
}

/** Returns the error for losses at a deployment; undefined if the caller accepts losses or there are none. */
export function rejectedLosses(isStrict: boolean, losses: readonly Loss[]) {
  return isStrict && losses.length > 0 ? { error: notCarried(losses) } : {}
}

/** Returns the minimum cost of the usage, at most the given maximum. */
export function minOf(usage: Usage, { deployments }: Model, max: bigint): bigint {
  return atMost(cheapestOf(usage, deployments), max)
}

export function atMost(amount: bigint, max: bigint): bigint {
  return amount < max ? amount : max
}
