import { reportable } from "../../canon/extra.ts"
import { credentialIdOf } from "../../catalog/model.ts"
import { highestCost } from "../billing/deployment-costs.ts"
import {
  type Estimate,
  type EstimatedPart,
  estimateOf,
  minOf,
  linesOfCost,
  rejectedLosses,
  stepsOf,
} from "../pipeline/estimate.ts"
import type { OperationPlan } from "./operation-plan.ts"
import type { OperationServices } from "./services.ts"

/**
 * Estimates the cost and the route of all operations of a request. Nothing is held, and no vendor is called.
 * @param plans plans of the estimated operations, at least one.
 * @throws GatewayError `request_rate_exceeded`.
 */
export async function estimateOperations(
  services: OperationServices,
  plans: readonly OperationPlan[],
): Promise<Estimate> {
  const { limiter, billing } = services
  const [first] = plans
  const last = plans.at(-1)
  if (!first || !last) throw new Error("an estimate needs at least one plan")
  const { id, requestsPerMinute } = first.call.key
  await limiter.check(id, { requestsPerMinute, tokens: 0 })
  const parts = await Promise.all(plans.map((plan) => partOf(services, plan)))
  const additional = parts.slice(0, -1).reduce((sum, { max }) => sum + max, 0n)
  const { call, model, worst, calls, isWhole = false } = last
  const charge = await billing.holds.admit({
    call,
    request: undefined,
    model,
    worst,
    calls,
    isWhole,
    additional,
  })
  return estimateOf(billing, charge, parts)
}

async function partOf(services: OperationServices, plan: OperationPlan): Promise<EstimatedPart> {
  const { model, worst, min, calls, call, lossesAt } = plan
  const { clients } = services.config()
  const cost = highestCost(worst, model.deployments, calls)
  const max = cost?.total ?? 0n
  const route = await stepsOf(model, services.health, async (deployment) => {
    const client = clients.get(credentialIdOf(deployment))
    if (!client) throw new Error(`provider ${deployment.provider} is not set up`)
    const lost = await lossesAt({ deployment, client })
    const losses = reportable([...(model.ignored ?? []), ...lost])
    return { losses, ...rejectedLosses(call.isStrict, losses) }
  })
  const lines = cost ? linesOfCost(cost) : []
  return { model: model.id, min: minOf(min, model, max), max, lines, route }
}
