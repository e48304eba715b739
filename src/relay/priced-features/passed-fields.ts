import type { JsonObject } from "../../canon/json.ts"
import type { Model } from "../../catalog/model.ts"
import { switchesOf } from "../../vendors/priced-features/index.ts"
import type { RuntimeConfig } from "../request/runtime-config.ts"
import { findSwitches, maySetSwitch } from "./find-switches.ts"
import { notPriced } from "./feature-costs-builder.ts"

/**
 * Returns the model of a request other than chat, with the deployments that do not bill the fields that are passed on.
 * Routers accept `models` and `provider` at all of their endpoints, but no response of these endpoints reports what
 * they cost.
 * @throws GatewayError `feature_not_priced` if no deployment remains.
 */
export function atNoExtraPrice(
  model: Model,
  fields: JsonObject | undefined,
  { clients, passesUnpriced }: Pick<RuntimeConfig, "clients" | "passesUnpriced">,
): Model {
  if (fields === undefined || passesUnpriced || !maySetSwitch(fields, "operation")) return model
  const billedAt = ({ provider }: Model["deployments"][number]) => {
    const vendor = clients.get(provider)?.vendor.id
    const switches = vendor === undefined ? undefined : switchesOf(vendor, "openai-chat")
    return switches && findSwitches(fields, switches, "operation")[0]
  }
  const deployments = model.deployments.filter((one) => billedAt(one) === undefined)
  if (deployments.some(({ price }) => price)) return { ...model, deployments }
  const [first] = model.deployments
  const setSwitch = first && billedAt(first)
  if (setSwitch) throw notPriced(setSwitch, "it has no price at this endpoint.", first.provider)
  return model
}
