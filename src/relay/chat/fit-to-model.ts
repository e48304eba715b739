import type { ChatRequest, ReasoningOptions } from "../../canon/chat.ts"
import type { Loss } from "../../canon/extra.ts"
import type { DialectId } from "../../canon/extra.ts"
import { GatewayError } from "../../canon/errors.ts"
import type { Feature } from "../../canon/features.ts"
import type {
  Modality,
  ModelRules,
  ReasoningRules,
  SamplingParameter,
} from "../../canon/model-rules.ts"
import type { Writable } from "../../canon/writable.ts"
import { effortOf, isReasoningOff } from "../../dialects/shared/reasoning.ts"
import { fitFormat } from "./fit-format.ts"
import { fitMessages } from "./fit-messages.ts"
import { fitTools } from "./fit-tools.ts"
import type { Restoration } from "./restored-answer.ts"

/** A request as a model accepts it. */
export interface FittedRequest {
  /** The given request if the model accepts it. */
  readonly request: ChatRequest
  readonly losses: readonly Loss[]
  /** Present if the answer has to be brought back into the form that the caller asked for. */
  readonly restoration?: Restoration
}

/** Efforts from the lowest to the highest. */
const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"]

/** A parameter that a request may set, its default value, and its name in a loss. */
const SAMPLING: Readonly<
  Record<Exclude<SamplingParameter, "stop">, { readonly name: string; readonly usual: unknown }>
> = {
  temperature: { name: "temperature", usual: 1 },
  topP: { name: "top_p", usual: 1 },
  presencePenalty: { name: "presence_penalty", usual: 0 },
  frequencyPenalty: { name: "frequency_penalty", usual: 0 },
  logprobs: { name: "logprobs", usual: false },
}

/** The dialect that a request has to use; undefined if any dialect of the deployment will do. */
export function requiredDialect(
  { tools = [], reasoning }: ChatRequest,
  rules: ModelRules | undefined,
): DialectId | undefined {
  if (rules?.toolDialect === undefined || tools.length === 0) return undefined
  return reasoning !== undefined && isReasoningOff(reasoning) ? undefined : rules.toolDialect
}

/**
 * Fits a request to what a model accepts. Whatever cannot be kept is a loss.
 * @param expresses what an answer in the caller's format can contain; absent: all that its model makes.
 * @throws GatewayError `model_not_supported` if such an answer can contain nothing that the model makes.
 */
export function fitToModel(
  request: ChatRequest,
  rules: ModelRules | undefined,
  expresses?: ReadonlySet<Feature>,
): FittedRequest {
  const losses: Loss[] = []
  if (rules === undefined) return { request, losses }
  const fitted: Writable<ChatRequest> = { ...request }
  // Whether sampling is accepted depends on the reasoning that the caller asked for.
  fitSampling(fitted, rules, losses)
  fitReasoning(fitted, rules.reasoning, losses)
  fitUser(fitted, rules.maxUserLength, losses)
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

function fitSampling(
  request: Writable<ChatRequest>,
  { sampling, reasoning }: ModelRules,
  losses: Loss[],
): void {
  if (sampling === undefined) return
  if (sampling.acceptsWithoutReasoning === true && isOff(request.reasoning, reasoning)) return
  for (const parameter of sampling.rejects) {
    // The relay ends the answer at a stop sequence itself.
    if (parameter === "stop" || request[parameter] === undefined) continue
    const { name, usual } = SAMPLING[parameter]
    if (request[parameter] !== usual) losses.push({ name, effect: "dropped" })
    delete request[parameter]
    if (parameter === "logprobs") delete request.topLogprobs
  }
}

function isOff(options: ReasoningOptions | undefined, rules: ReasoningRules | undefined): boolean {
  const isUnset = options?.effort === undefined && options?.budget === undefined
  return isUnset ? rules?.defaultEffort === "none" : isReasoningOff(options)
}

function fitReasoning(
  request: Writable<ChatRequest>,
  rules: ReasoningRules | undefined,
  losses: Loss[],
): void {
  const { reasoning: options } = request
  if (options === undefined || rules === undefined) return
  if (rules.supported === false) {
    // A model that does not reason needs no option to be told not to.
    if (!isReasoningOff(options)) losses.push({ name: "reasoning", effect: "dropped" })
    delete request.reasoning
    return
  }
  const wanted = effortOf(options, request.maxTokens)
  const { efforts } = rules
  if (wanted === undefined || efforts === undefined) return
  // The encoder writes it in the form that the model requires.
  if (wanted === "none" && rules.off !== undefined) return
  const effort = efforts.includes(wanted) ? wanted : nearestEffort(wanted, efforts)
  if (effort === options.effort) return
  const { effort: _, budget: _budget, ...others } = options
  request.reasoning = { ...others, effort }
  if (options.budget !== undefined) {
    losses.push({ name: "reasoning_budget", effect: "approximated" })
  } else if (effort !== wanted) losses.push({ name: "reasoning_effort", effect: "approximated" })
}

/** The highest accepted effort below the wanted one; if all are above it, the lowest. */
function nearestEffort(wanted: string, efforts: readonly string[]): string {
  const rank = EFFORTS.indexOf(wanted)
  // An effort that only its vendor knows is not compared.
  if (rank === -1) return wanted
  const below = efforts.filter((effort) => EFFORTS.indexOf(effort) <= rank)
  return below.at(-1) ?? efforts[0] ?? wanted
}

/**
 * Asks a model for what the caller can read: an image that an answer cannot contain is not paid for. A model that makes
 * no text is always asked for what it makes.
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

/** Where a model that answers with something other than text can be called. */
const ENDPOINTS = "/v1/chat/completions, /v1/responses or :generateContent"

function unreadable(model: string, output: readonly Modality[]): GatewayError {
  return new GatewayError(
    "model_not_supported",
    `The model \`${model}\` answers with ${output.join(" and ")}, which this endpoint cannot return. Use ${ENDPOINTS}.`,
    { parameter: "model" },
  )
}

/** A shorter name that stands for the same user, and for no other. */
function fitUser(
  request: Writable<ChatRequest>,
  maxLength: number | undefined,
  losses: Loss[],
): void {
  const { user } = request
  if (maxLength === undefined || user === undefined || user.length <= maxLength) return
  request.user = new Bun.CryptoHasher("sha256").update(user).digest("hex").slice(0, maxLength)
  losses.push({ name: "user", effect: "approximated" })
}
