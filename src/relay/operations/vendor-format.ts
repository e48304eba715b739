import { MODEL_KINDS } from "#contract/model-kinds.ts"
import { GatewayError } from "../../canon/errors.ts"
import { credentialIdOf, type Model } from "../../catalog/model.ts"
import type { Operations } from "../../vendors/vendor.ts"
import type { Candidate } from "../upstream/attempt.ts"
import type { ProviderClient } from "../request/provider-client.ts"

/**
 * Returns the format of an operation at the vendor of a deployment.
 * @throws GatewayError `model_not_supported`
 */
export function formatOf<Name extends keyof Operations>(
  { client }: Candidate,
  name: Name,
): NonNullable<Operations[Name]> {
  const format = client.vendor.operations?.[name]
  if (format) return format
  throw new GatewayError(
    "model_not_supported",
    `Provider '${client.provider}' has no ${MODEL_KINDS[name].operation} that this gateway supports.`,
    { parameter: "model" },
  )
}

/**
 * Returns the maximum number of calls for a request at any of a model's deployments, if calls have a fee; otherwise 1.
 * @param callsAt returns the number of calls at a deployment. It throws if the deployment cannot serve the request.
 */
export function mostCalls(
  { deployments }: Model,
  clients: ReadonlyMap<string, ProviderClient>,
  callsAt: (candidate: Candidate) => number,
): number {
  let most = 1
  for (const deployment of deployments) {
    const client = clients.get(credentialIdOf(deployment))
    if (client === undefined || deployment.price?.rates.requests === undefined) continue
    try {
      most = Math.max(most, callsAt({ deployment, client }))
    } catch {
      // The deployment is skipped, because it rejects the request before any call.
    }
  }
  return most
}
