import { asGatewayError, GatewayError } from "../canon/errors.ts"
import type { Deployment } from "../catalog/model.ts"
import { route } from "../routing/route.ts"
import { CALLER_LEFT, type Exchange, type RelayServices } from "./exchange.ts"
import { Attempt, refusalOf } from "./upstream.ts"

/** Makes of an upstream's answer what a path needs, or throws so that the next deployment is tried. */
export type Use<T> = (attempt: Attempt, response: Response) => Promise<T>

/**
 * Calls the deployments of a request, one after the other, until one gives what `use` can use. The
 * attempt of what is returned is the taker's to dispose of.
 * @throws GatewayError of the last failure, or of the first that is the caller's own fault.
 */
export async function callUpstream<T>(
  services: RelayServices,
  exchange: Exchange,
  use: Use<T>,
): Promise<T> {
  const { health, alarms } = services
  let failure: GatewayError | undefined
  for (const deployment of route(exchange.bill.model, health)) {
    const attempt = begin(services, exchange, deployment)
    health.attempted(deployment.id)
    try {
      const used = await send(exchange, attempt, use)
      health.succeeded(deployment.id)
      return used
    } catch (thrown) {
      failure = asGatewayError(thrown)
      attempt.end(failure)
      attempt[Symbol.dispose]()
      if (failure === CALLER_LEFT || failure.kind === "refused_by_upstream") break
      health.failed(deployment.id, failure, exchange.bill.attempts.at(-1)?.status)
      alarms.attemptFailed(exchange.call.id, deployment.id, failure.kind)
    }
  }
  throw failure ?? new GatewayError("upstream_overloaded", "No deployment of this model is set up.")
}

function begin(services: RelayServices, exchange: Exchange, deployment: Deployment): Attempt {
  if (exchange.call.signal.aborted) throw CALLER_LEFT
  const { endpoints, deadlines } = exchange.surroundings
  const endpoint = endpoints.get(deployment.provider)
  if (!endpoint) throw new Error(`provider ${deployment.provider} is not set up`)
  const attempt = new Attempt({ deployment, endpoint, deadlines, watch: services.watch })
  exchange.leash.attempt = attempt
  return attempt
}

async function send<T>(exchange: Exchange, attempt: Attempt, use: Use<T>): Promise<T> {
  const { bill, call } = exchange
  const { deployment, endpoint } = attempt
  const patch = { model: deployment.upstreamModel }
  const { body, losses } = endpoint.vendor.chat.patches.request(
    call.body,
    bill.clampedTo === undefined ? patch : { ...patch, maxTokens: bill.clampedTo },
  )
  bill.losses = losses
  let status = 0
  let outcome = "ok"
  try {
    const response = await attempt.send(body)
    status = response.status
    if (!response.ok) throw await refusalOf(attempt, response)
    return await use(attempt, response)
  } catch (thrown) {
    outcome = outcomeOf(asGatewayError(thrown))
    throw thrown
  } finally {
    const duration = Date.now() - attempt.startedAt
    bill.attempts.push({ deployment: deployment.id, status, outcome, duration })
  }
}

/**
 * An answer that had begun was not brought to its end: its attempt is no success after all, and the
 * receipt, the operator and the deployment's health hear of it.
 */
export function brokeOff(
  services: RelayServices,
  exchange: Exchange,
  attempt: Attempt,
  failure: GatewayError,
): void {
  const { bill, call } = exchange
  const { deployment, startedAt } = attempt
  const record = bill.attempts.pop()
  if (record) {
    const duration = Date.now() - startedAt
    bill.attempts.push({ ...record, outcome: outcomeOf(failure), duration })
  }
  if (failure === CALLER_LEFT) return
  services.health.failed(deployment.id, failure)
  services.alarms.attemptFailed(call.id, deployment.id, failure.kind)
}

function outcomeOf(failure: GatewayError): string {
  return failure === CALLER_LEFT ? "caller_left" : failure.kind
}
