import type { DialectId } from "../../canon/extra.ts"
import { GatewayError } from "../../canon/errors.ts"
import type { JsonObject } from "../../canon/json.ts"
import { hasFile } from "../../canon/message.ts"
import type { Deployment, Model } from "../../catalog/model.ts"
import { chargesFiles, switchesOf } from "../../vendors/priced-features/index.ts"
import type { Charge, Switches } from "../../vendors/priced-features/switch.ts"
import { carriedRequest } from "../fitting/carried-request.ts"
import { unthreadable } from "../state/state-kinds.ts"
import { defaultModesIn } from "./default-modes.ts"
import { findSwitches, maySetSwitch, type SetSwitch, withoutAllowed } from "./find-switches.ts"
import { assumedCalls, limitOf } from "./call-limits.ts"
import { type FeatureCosts, heldDeployments } from "./feature-costs.ts"
import { FeatureCostsBuilder, type PricedFeaturesInput } from "./feature-costs-builder.ts"

/** The possible costs of a request with priced features, by deployment. */
export interface PricedFeatures {
  /** The model with the deployments at which all features of the request have a price. */
  readonly model: Model
  /** The same deployments with the prices for the hold. */
  readonly held: readonly Deployment[]
  /** The costs of the features, by deployment id. */
  readonly featureCosts: ReadonlyMap<string, FeatureCosts>
  /**
   * Returns the features with fewer assumed calls to tools that have a limit field at the vendor and no limit from the
   * caller.
   */
  readonly withFewerCalls: (max: number) => PricedFeatures
}

/**
 * Finds features for which a request is billed in addition to its tokens. It searches the bodies that would be sent to
 * the deployments of the model. Nothing is held or sent yet.
 * @returns undefined if there are no such features, which is the usual case.
 * @throws GatewayError `feature_not_priced`, `model_not_allowed` if no deployment can serve the request.
 */
export function findPricedFeatures(input: PricedFeaturesInput): PricedFeatures | undefined {
  return maySetSwitch(input.call.body, input.dialect.id) ||
    hasDefaultModes(input) ||
    hasPricedFiles(input)
    ? priceFeatures(input)
    : undefined
}

/** Whether the conversation has files, for which the vendor of a deployment charges. */
function hasPricedFiles({ model, clients, request }: PricedFeaturesInput): boolean {
  return (
    model.deployments.some(({ provider }) =>
      chargesFiles(clients.get(provider)?.vendor.id ?? ""),
    ) && request.messages.some(hasFile)
  )
}

/** The members with the conversation, by the caller's format. */
const CONVERSATIONS: Partial<Record<DialectId, string>> = {
  "openai-responses": "input",
  gemini: "contents",
}

/** Reports whether a deployment of the model serves requests in a mode that the requests do not name. */
function hasDefaultModes({ model, defaultModes }: PricedFeaturesInput): boolean {
  if (defaultModes.isEmpty) return false
  return model.deployments.some((deployment) => defaultModes.of(deployment) !== undefined)
}

function priceFeatures(input: PricedFeaturesInput): PricedFeatures | undefined {
  const featureCosts = new Map<string, FeatureCosts>()
  const foundInBody = new Map<Switches, readonly SetSwitch[]>()
  const deployments: Deployment[] = []
  const held: Deployment[] = []
  let rejection: GatewayError | undefined
  let isSet = false
  for (const deployment of input.model.deployments) {
    const found = switchesSetAt(input, deployment, foundInBody)
    isSet ||= found.setSwitches.length > 0
    try {
      const own = featureCostsOf(input, deployment, found)
      deployments.push(deployment)
      if (own === undefined) held.push(deployment)
      else {
        featureCosts.set(deployment.id, own)
        held.push(...heldDeployments(own))
      }
    } catch (thrown) {
      if (!(thrown instanceof GatewayError)) throw thrown
      rejection ??= thrown
    }
  }
  if (!isSet) return undefined
  // A rejection at a deployment without a price has no effect, because that deployment is never called.
  if (rejection && !deployments.some(({ price }) => price)) throw rejection
  const features = { model: { ...input.model, deployments }, held, featureCosts }
  const withFewerCalls = (max: number): PricedFeatures =>
    priceFeatures({ ...input, assumedCalls: max }) ?? { ...features, withFewerCalls }
  return { ...features, withFewerCalls }
}

/** The switches that are set in the request to a deployment. */
interface SetSwitches {
  readonly setSwitches: readonly SetSwitch[]
  /** The caller's limit on calls to the vendor's tools, if the vendor receives it. */
  readonly max: number | undefined
  /** Whether the vendor accepts such a limit, in every dialect in which it may be called. */
  readonly isLimitable: boolean
}

/**
 * @param foundInBody the switches in the caller's body, by table. Deployments of one vendor share them, because a
 * search in a large body takes long.
 */
function switchesSetAt(
  input: PricedFeaturesInput,
  deployment: Deployment,
  foundInBody: Map<Switches, readonly SetSwitch[]>,
): SetSwitches {
  const client = input.clients.get(deployment.provider)
  if (client === undefined || deployment.price === undefined) return NOTHING
  const modes = input.defaultModes.of(deployment)
  const find = (body: JsonObject, dialect: DialectId): SetSwitches => {
    const switches = switchesOf(client.vendor.id, dialect, deployment.upstreamModel)
    if (switches === undefined) return NOTHING
    const { maxCalls } = switches
    const max = maxCalls === undefined ? undefined : limitOf(body[maxCalls])
    const isOwnBody = body === input.call.body
    const found =
      (isOwnBody ? foundInBody.get(switches) : undefined) ?? findSwitches(body, switches, dialect)
    if (isOwnBody) foundInBody.set(switches, found)
    const setSwitches = [...withoutAllowed(found, client.extraFields)]
    const charge = switches.files
    if (charge !== undefined && input.request.messages.some(hasFile)) {
      const place = CONVERSATIONS[input.dialect.id] ?? "messages"
      setSwitches.push({ place, value: "file", charge })
    }
    if (modes !== undefined) setSwitches.push(...defaultModesIn(body, switches, modes))
    return { setSwitches, max, isLimitable: maxCalls !== undefined }
  }
  const bindings = client.bindings(deployment)
  const own = bindings.find(({ dialect }) => dialect.id === input.dialect.id)
  // In the caller's own dialect, all members that the caller wrote are sent, verbatim or as extras of the canon.
  if (own !== undefined) {
    return find(input.call.body, own.dialect.id)
  }
  const bare = { ...input.request, ...BARE, model: deployment.upstreamModel }
  const found = bindings.map((binding) => {
    const carried = carriedRequest(bare, binding, input.dialect.id)
    return find(binding.dialect.encodeRequest(carried).body, binding.dialect.id)
  })
  const setSwitches = found.flatMap((one) => one.setSwitches)
  return {
    setSwitches: setSwitches.map((setSwitch) => ({
      ...setSwitch,
      place: callersPlace(setSwitch, input),
    })),
    max: maxOf(found),
    isLimitable: found.every(({ isLimitable }) => isLimitable),
  }
}

const NOTHING: SetSwitches = { setSwitches: [], max: undefined, isLimitable: false }

/** Returns the limit on calls to all tools, if every body that can be sent has one. */
function maxOf(found: readonly SetSwitches[]): number | undefined {
  const max = Math.max(...found.map((one) => one.max ?? Infinity))
  return Number.isFinite(max) ? max : undefined
}

/** The request is encoded without its messages, because messages set no switch. */
const BARE = { messages: [], stream: false, choices: 1 } as const

/** Returns the path of a switch in the fields that the caller wrote. */
function callersPlace(
  { place, tool }: SetSwitch,
  { call: { body }, request }: PricedFeaturesInput,
): string {
  if (tool !== undefined && request.webSearch) return request.webSearch.declared.place
  return body.service_tier !== undefined && /tier/i.test(place) ? "service_tier" : place
}

function featureCostsOf(
  input: PricedFeaturesInput,
  deployment: Deployment,
  { setSwitches, max, isLimitable }: SetSwitches,
): FeatureCosts | undefined {
  const { price } = deployment
  if (price === undefined || setSwitches.length === 0) return undefined
  if (input.request.isThread && !input.passes) rejectStoredTools(setSwitches)
  const assumed =
    isLimitable && max === undefined ? assumedCalls(setSwitches, input.assumedCalls) : undefined
  const builder = new FeatureCostsBuilder(input, deployment, price, { max, assumed })
  for (const setSwitch of setSwitches) builder.add(setSwitch)
  return builder.build()
}

/** Whether the caller runs the tool. It then costs only its tokens in the prompt. */
function isOwnTool(charge: Charge): boolean {
  return charge.by === "tokens" && charge.calls === undefined
}

/**
 * Rejects priced tools in a thread. A thread keeps its tools for requests that continue from it without naming them, so
 * it would be unknown how much to hold (@anthropic-ai/sdk 1.12, `ThreadState`). Such requests repeat all other fields.
 */
function rejectStoredTools(setSwitches: readonly SetSwitch[]): void {
  const kept = setSwitches.find(({ tool, charge }) => tool !== undefined && !isOwnTool(charge))
  if (kept) throw unthreadable(kept.place)
}
