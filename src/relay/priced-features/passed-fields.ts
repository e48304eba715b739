import type { JsonObject } from "../../canon/json.ts"
import type { Model } from "../../catalog/model.ts"
import { switchesOf } from "../../vendors/priced-features/index.ts"
import type { RuntimeConfig } from "../request/runtime-config.ts"
import { findSwitches, maySetSwitch, type SetSwitch, withoutAllowed } from "./find-switches.ts"
import { notPriced } from "./feature-costs-builder.ts"

/**
 * Returns the model of a request other than chat, with the deployments that do not bill the fields that are passed on.
 * Routers accept `models` and `provider` at all of their endpoints, but no response of these endpoints reports the cost
 * of these fields.
 * @throws GatewayError `feature_not_priced` if no deployment remains.
 */
export function atNoExtraPrice(
  model: Model,
  fields: JsonObject | undefined,
  { clients, passesUnpriced }: Pick<RuntimeConfig, "clients" | "passesUnpriced">,
): Model {
  if (fields === undefined || passesUnpriced || !maySetSwitch(fields, "operation")) return model
  const billedAt = ({ provider }: Model["deployments"][number]) => {
    const client = clients.get(provider)
    const switches = client && switchesOf(client.vendor.id, "openai-chat")
    if (client === undefined || switches === undefined) return undefined
    return withoutAllowed(findSwitches(fields, switches, "operation"), client.extraFields)[0]
  }
  const deployments = model.deployments.filter((one) => billedAt(one) === undefined)
  if (deployments.some(({ price }) => price)) return { ...model, deployments }
  const [first] = model.deployments
  const setSwitch = first && billedAt(first)
  if (setSwitch) throw notPriced(setSwitch, reasonOf(setSwitch), first.provider)
  return model
}

function reasonOf({ charge }: SetSwitch): string {
  return charge.by === "unknown" ? `${charge.why}.` : "it has no price at this endpoint."
}
