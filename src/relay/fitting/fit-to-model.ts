import {
  type Modality,
  type ModelRules,
  REASONING_EFFORTS,
  type RejectableParameter,
} from "#contract/model-rules.ts"
import type { ChatRequest, ReasoningOptions } from "../../canon/chat.ts"
import { GatewayError } from "../../canon/errors.ts"
import type { DialectId, Loss } from "../../canon/extra.ts"
import type { Feature } from "../../canon/features.ts"
import type { Writable } from "../../canon/writable.ts"
import { effortOf, isReasoningOff, setsReasoning } from "../../dialects/shared/reasoning.ts"
import { requiresCall } from "../../dialects/shared/tools.ts"
import { fitFormat } from "./fit-format.ts"
import { fitMessages } from "./fit-messages.ts"
import { fitTools } from "./fit-tools.ts"
import type { Restoration } from "./restored-response.ts"

/** A request in a form that the model accepts. */
export interface FittedRequest {
  /** The request. It is the given object if nothing had to be changed. */
  readonly request: ChatRequest
  readonly losses: readonly Loss[]
  /** How the response is converted back to the form that the caller requested; absent if it already has that form. */
  readonly restoration?: Restoration
}

/**
 * A parameter that a model may reject. `stop` is never dropped, because the relay itself can end a response at a stop
 * sequence.
 */
interface Parameter {
  readonly field: keyof ChatRequest
  /** The default value. It can be dropped without a loss. */
  readonly usual?: unknown
  /** Whether a model may accept the parameter if it does not reason. */
  readonly isSampling?: true
}

const PARAMETERS: Readonly<Record<Exclude<RejectableParameter, "stop">, Parameter>> = {
  temperature: { field: "temperature", usual: 1, isSampling: true },
  top_p: { field: "topP", usual: 1, isSampling: true },
  top_k: { field: "topK", isSampling: true },
  presence_penalty: { field: "presencePenalty", usual: 0, isSampling: true },
  frequency_penalty: { field: "frequencyPenalty", usual: 0, isSampling: true },
  logprobs: { field: "logprobs", usual: false, isSampling: true },
  seed: { field: "seed" },
  reasoning_effort: { field: "reasoning" },
  parallel_tool_calls: { field: "parallelToolCalls", usual: true },
  verbosity: { field: "verbosity", usual: "medium" },
  user: { field: "user" },
  safety_identifier: { field: "safetyIdentifier" },
  metadata: { field: "metadata" },
  prompt_cache_key: { field: "promptCacheKey" },
}

/** Returns the dialect that a request must use; undefined if any dialect of the deployment can be used. */
export function requiredDialect(
  { tools = [], reasoning }: ChatRequest,
  rules: ModelRules | undefined,
): DialectId | undefined {
  if (rules === undefined) return undefined
  const { api = "any", tool_api: toolApi = "any" } = rules
  if (api !== "any") return api
  if (toolApi === "any" || tools.length === 0) return undefined
  return isReasoningOff(reasoning) ? undefined : toolApi
}

/**
 * Fits a request to the rules of a model. Parts that cannot be kept are reported as losses.
 * @param expresses the types of content that a response in the caller's format can contain. Defaults to all types of
 * the model.
 * @throws GatewayError `model_not_supported` if the response cannot contain any modality of the model, and
 * `not_carried` if the request requires a feature that the model does not support.
 */
export function fitToModel(
  request: ChatRequest,
  rules: ModelRules | undefined,
  expresses?: ReadonlySet<Feature>,
): FittedRequest {
  const losses: Loss[] = []
  if (rules === undefined) return { request, losses }
  const fitted: Writable<ChatRequest> = { ...request }
  // This step comes first, because it depends on the reasoning options in the caller's own request.
  dropRejected(fitted, rules, losses)
  fitReasoning(fitted, rules, losses)
  fitRequiredCall(fitted, rules, losses)
  fitIdentifiers(fitted, rules.max_user_length, losses)
  if (rules.tools === false) dropTools(fitted, losses)
  if (rules.modalities !== undefined) fitOutput(fitted, rules.modalities, expresses, losses)
  fitMessages(fitted, rules, losses)
  const format = fitFormat(fitted, rules, losses)
  const restoration = { ...format, ...fitTools(fitted, rules, losses) }
  if (isSame(fitted, request)) return { request, losses }
  const isRestored = Object.keys(restoration).length > 0
  return { request: fitted, losses, ...(isRestored && { restoration }) }
}

function isSame(fitted: ChatRequest, request: ChatRequest): boolean {
  const names = Object.keys(fitted) as (keyof ChatRequest)[]
  if (names.length !== Object.keys(request).length) return false
  return names.every((name) => fitted[name] === request[name])
}

function dropRejected(request: Writable<ChatRequest>, rules: ModelRules, losses: Loss[]): void {
  const { rejected_parameters: rejected } = rules
  if (rejected === undefined) return
  const isAccepted = acceptsSampling(request, rules)
  for (const name of rejected) {
    // `fitReasoning` handles the effort for a model that does not reason.
    if (name === "stop" || (name === "reasoning_effort" && rules.reasoning === "unsupported")) {
      continue
    }
    const { field, usual, isSampling = false } = PARAMETERS[name]
    if (request[field] === undefined || (isSampling && isAccepted)) continue
    if (request[field] !== usual) losses.push({ name, effect: "dropped" })
    delete request[field]
    if (name === "logprobs") delete request.topLogprobs
  }
}

/** Whether a parameter may be accepted while the model does not reason. */
export function isSampling(name: RejectableParameter): boolean {
  return name !== "stop" && PARAMETERS[name].isSampling === true
}

/**
 * Whether a model accepts sampling parameters that it otherwise rejects, because the request does not use reasoning.
 */
export function acceptsSampling({ reasoning }: ChatRequest, rules: ModelRules): boolean {
  return rules.sampling_without_reasoning === true && isOff(reasoning, rules)
}

function isOff(
  options: ReasoningOptions | undefined,
  { default_effort: usual }: ModelRules,
): boolean {
  return setsReasoning(options) ? isReasoningOff(options) : usual === "none"
}

function fitReasoning(request: Writable<ChatRequest>, rules: ModelRules, losses: Loss[]): void {
  const { reasoning: options } = request
  if (options === undefined) return
  if (rules.reasoning === "unsupported") {
    // A model that does not reason needs no option to disable reasoning.
    if (!isReasoningOff(options)) losses.push({ name: "reasoning", effect: "dropped" })
    delete request.reasoning
    return
  }
  const wanted = effortOf(options, request.maxTokens)
  if (wanted === undefined) return
  if (wanted === "none" && rules.reasoning === "required") {
    return reasonAtLeast(request, rules.reasoning_efforts, losses)
  }
  const { reasoning_efforts: efforts } = rules
  if (efforts === undefined) return
  // The encoder disables reasoning in the form that the model requires.
  if (wanted === "none" && rules.reasoning_off !== undefined) return
  const effort = efforts.includes(wanted) ? wanted : nearestEffort(wanted, efforts)
  if (effort === options.effort) return
  const { effort: _, budget: _budget, ...others } = options
  request.reasoning = { ...others, effort }
  if (options.budget !== undefined) {
    losses.push({ name: "reasoning_budget", effect: "approximated" })
  } else if (effort !== wanted) losses.push({ name: "reasoning_effort", effect: "approximated" })
}

/** Sets the lowest effort, or the model's default, if the request disables reasoning that is mandatory. */
function reasonAtLeast(
  request: Writable<ChatRequest>,
  efforts: readonly string[] = [],
  losses: Loss[],
): void {
  const { effort: _, budget: _budget, ...others } = request.reasoning ?? {}
  const effort = efforts.find((accepted) => accepted !== "none")
  if (effort !== undefined) request.reasoning = { ...others, effort }
  else if (Object.keys(others).length > 0) request.reasoning = others
  else delete request.reasoning
  losses.push({ name: "reasoning_effort", effect: "approximated" })
}

/** Returns the highest accepted effort below the requested one, or the lowest accepted effort if all are above it. */
function nearestEffort(wanted: string, efforts: readonly string[]): string {
  const order: readonly string[] = REASONING_EFFORTS
  const rank = order.indexOf(wanted)
  // An effort that only a vendor defines has no rank, so it is not compared.
  if (rank === -1) return wanted
  const below = efforts.filter((effort) => order.indexOf(effort) <= rank)
  return below.at(-1) ?? efforts[0] ?? wanted
}

/**
 * Requests only modalities that the caller can receive, because the caller should not pay for an image that the
 * response cannot contain. For a model that generates no text, the model's own modalities are always requested.
 */
function fitOutput(
  request: Writable<ChatRequest>,
  output: readonly Modality[],
  expresses: ReadonlySet<Feature> | undefined,
  losses: Loss[],
): void {
  const isReadable = (modality: Modality): boolean =>
    modality === "text" || expresses?.has(`output.${modality}`) !== false
  const readable = output.filter(isReadable)
  if (readable.length === 0) throw unreadable(request.model, output)
  const { modalities: asked = output } = request
  for (const modality of asked) {
    if (modality !== "text" && !readable.includes(modality)) {
      losses.push({ name: `output.${modality}`, effect: "dropped" })
    }
  }
  const kept = asked.filter((modality) => readable.includes(modality))
  if (kept.length > 0 && (kept.length < asked.length || !output.includes("text"))) {
    request.modalities = kept
  }
}

/** The endpoints at which models with output other than text can be called. */
const ENDPOINTS = "/v1/chat/completions, /v1/responses or :generateContent"

function unreadable(model: string, output: readonly Modality[]): GatewayError {
  return new GatewayError(
    "model_not_supported",
    `The model \`${model}\` answers with ${output.join(" and ")}, which this endpoint cannot return. Use ${ENDPOINTS}.`,
    { parameter: "model" },
  )
}

const IDENTIFIERS = [
  ["user", "user"],
  ["safetyIdentifier", "safety_identifier"],
  ["promptCacheKey", "prompt_cache_key"],
] as const

/** Shortens identifiers that are too long. The shorter name is unique to the user or prompt. */
function fitIdentifiers(
  request: Writable<ChatRequest>,
  maxLength: number | undefined,
  losses: Loss[],
): void {
  if (maxLength === undefined) return
  for (const [field, name] of IDENTIFIERS) {
    const value = request[field]
    if (value === undefined || value.length <= maxLength) continue
    request[field] = new Bun.CryptoHasher("sha256").update(value).digest("hex").slice(0, maxLength)
    losses.push({ name, effect: "approximated" })
  }
}

/**
 * Resolves a conflict between a required call and reasoning. The call takes precedence over reasoning that is enabled
 * by default, but not over reasoning that the caller requested.
 */
function fitRequiredCall(request: Writable<ChatRequest>, rules: ModelRules, losses: Loss[]): void {
  const { reasoning, toolChoice } = request
  if (rules.tool_choice_with_reasoning !== false) return
  if (!requiresCall(toolChoice) || isOff(reasoning, rules)) return
  if (
    setsReasoning(reasoning) ||
    rules.reasoning === "required" ||
    rules.reasoning_off === undefined
  ) {
    delete request.toolChoice
    losses.push({ name: "tool_choice", effect: "approximated" })
  } else {
    request.reasoning = { ...reasoning, effort: "none" }
    losses.push({ name: "reasoning", effect: "dropped" })
  }
}

function dropTools(request: Writable<ChatRequest>, losses: Loss[]): void {
  const { tools, addedTools, allowedTools, toolChoice } = request
  if (tools === undefined && addedTools === undefined && allowedTools === undefined) return
  if (requiresCall(toolChoice) || allowedTools?.mode === "required") {
    throw new GatewayError(
      "not_carried",
      "This model does not support tools, and the request requires a tool call. Use another model, or remove 'tool_choice'.",
      { parameter: "tool_choice", fields: { losses: "tools" } },
    )
  }
  if (tools?.length !== 0) losses.push({ name: "tools", effect: "dropped" })
  delete request.tools
  delete request.addedTools
  delete request.allowedTools
  delete request.toolChoice
  delete request.parallelToolCalls
}
