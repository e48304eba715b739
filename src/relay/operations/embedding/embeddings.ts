import type { Loss } from "../../../canon/extra.ts"
import {
  type EmbeddingInput,
  type EmbeddingRequest,
  type EmbeddingResult,
  inputCount,
  type Vector,
} from "../../../canon/embedding.ts"
import { GatewayError } from "../../../canon/errors.ts"
import { readForm, unusable } from "../../../canon/operation-response.ts"
import { invalidValue } from "../../../canon/invalid-request.ts"
import { NO_USAGE, type Usage } from "../../../canon/usage.ts"
import { type Deployment, credentialIdOf, type Model } from "../../../catalog/model.ts"
import { atNoExtraPrice } from "../../priced-features/passed-fields.ts"
import type { CountedUsage } from "../../billing/priced-usage.ts"
import { fewestTokens } from "../../billing/bounds.ts"
import type { Call, Caller } from "../../request/call.ts"
import { askedModel, preferredModel } from "../../routing-preferences/preferred-model.ts"
import type { OperationPlan } from "../operation-plan.ts"
import type { CountedOperationServices } from "../operations.ts"
import { type AccountCounter, countTexts } from "../../tokens/token-counter.ts"
import { maxTextTokens } from "../../../canon/text-bytes.ts"
import type { TokenDecoder } from "../../tokens/token-decoder.ts"
import type { Candidate } from "../../upstream/attempt.ts"
import { formatOf, mostCalls } from "../vendor-format.ts"
import type { OpenOperation, Outcome } from "../open-operation.ts"
import type { OperationCandidate } from "../operation-candidate.ts"

export interface EmbeddingServices extends CountedOperationServices {
  readonly decoder: TokenDecoder
}

/** Vectors and their usage. */
export interface Embedded extends CountedUsage {
  readonly vectors: readonly Vector[]
}

/** A request, and the same request with its tokens converted to texts, for vendors that accept only texts. */
export interface EmbeddingForms {
  readonly request: EmbeddingRequest
  /** The request with texts; absent if it is not needed, or if some tokens are not in the vocabulary. */
  readonly inTexts?: EmbeddingRequest
}

interface EmbeddingPlan extends OperationPlan {
  readonly asked: EmbeddingForms
}

/** Serves parsed requests to `POST /v1/embeddings`, and charges for the vectors. */
export class Embeddings {
  readonly #services: EmbeddingServices

  constructor(services: EmbeddingServices) {
    this.#services = services
  }

  /**
   * Computes the embeddings of a request.
   * @throws GatewayError, in which case nothing is held.
   */
  async embed(
    call: Call,
    request: EmbeddingRequest,
    caller: Caller,
  ): Promise<OpenOperation<Embedded>> {
    const plan = await this.plan(call, request)
    const attempt = (candidate: OperationCandidate): Promise<Outcome<Embedded>> =>
      this.#attempt(candidate, call, plan.asked)
    const count = (): Promise<number> =>
      countInput(this.#services.counter.of(call.key.account), (plan.asked.inTexts ?? request).input)
    const completed = (candidate: OperationCandidate): Promise<CountedUsage> =>
      completedUsage(candidate, sentTo(candidate, plan.asked).sent, count)
    const unread = async (candidate: OperationCandidate, share: number): Promise<Usage> =>
      candidate.unreadUsage ?? { ...NO_USAGE, inputFresh: Math.ceil((await count()) * share) }
    const input = { ...plan, attempt, completed, unread, mayHedge: true }
    return this.#services.operations.run(input, caller)
  }

  /**
   * Returns the plan of a request, for an estimate or its hold.
   * @throws GatewayError if the request cannot be served.
   */
  async plan(call: Call, request: EmbeddingRequest): Promise<EmbeddingPlan> {
    const { config } = this.#services.operations
    const known = askedModel(config, request.model, "embedding", call)
    const preferred = preferredModel(known, { call, config, inputTokens: () => call.bodyBytes })
    const model = atNoExtraPrice(preferred, request.extra, config)
    const asked = await this.#readable(call, request, model)
    return {
      call,
      model,
      worst: { ...NO_USAGE, inputFresh: Math.max(call.bodyBytes, maxTokens(asked)) },
      calls: mostCalls(model, config.clients, (candidate) => callsAt(candidate, asked)),
      min: { ...NO_USAGE, inputFresh: fewestInput(request.input) },
      asked,
      lossesAt(candidate) {
        const { format, sent } = sentTo(candidate, asked)
        return format.encode(sent, candidate.deployment.upstreamModel).losses
      },
    }
  }

  /** Converts tokens to texts before anything is held, because input that is sent as text is billed as text. */
  async #readable(call: Call, request: EmbeddingRequest, model: Model): Promise<EmbeddingForms> {
    const { operations, decoder } = this.#services
    const { input } = request
    const { clients } = operations.config
    const isText = (deployment: Deployment): boolean =>
      clients.get(credentialIdOf(deployment))?.vendor.operations?.embedding?.takesTokens === false
    if (input.type === "texts" || !model.deployments.some(isText)) return { request }
    const texts = await decoder.decode(call.key.account, input.tokens)
    if (texts === undefined) return { request }
    return { request, inTexts: { ...request, input: { type: "texts", texts } } }
  }

  async #attempt(
    candidate: OperationCandidate,
    call: Call,
    asked: EmbeddingForms,
  ): Promise<Outcome<Embedded>> {
    const { counter, alarms } = this.#services
    const { account } = call.key
    const { vectors, tokens, losses } = await retryAsNumbers(
      candidate,
      asked.request.encoding,
      (encoding) => embedAt(candidate, asked, encoding),
    )
    if (tokens !== undefined && tokens > 0) {
      const usage = { ...NO_USAGE, inputFresh: tokens }
      return { value: { vectors, usage, estimated: false }, losses }
    }
    if (tokens !== undefined) alarms.usageMissing(call.id, candidate.deployment.id)
    const { input } = sentTo(candidate, asked).sent
    const usage = { ...NO_USAGE, inputFresh: await countInput(counter.of(account), input) }
    return { value: { vectors, usage, estimated: true }, losses }
  }
}

/** The vectors, and the parts of the request that the vendor does not support. */
interface EmbeddedAt extends EmbeddingResult {
  readonly losses: readonly Loss[]
}

/**
 * Requests embeddings from one deployment.
 * @throws GatewayError if a call fails.
 */
export async function embedAt(
  candidate: OperationCandidate,
  asked: EmbeddingForms,
  encoding: EmbeddingRequest["encoding"],
): Promise<EmbeddedAt> {
  const { format, sent } = sentTo(candidate, asked)
  const request = { ...sent, encoding }
  const { calls, losses } = format.encode(request, candidate.deployment.upstreamModel)
  const result = await format.decode(await candidate.callAll(format, calls), request)
  const { length } = result.vectors
  const wanted = inputCount(request.input)
  if (length !== wanted) {
    readForm(request.extra, () => {
      throw unusable(`it contains ${length} embeddings for ${wanted} inputs`)
    })
  }
  return { ...result, losses }
}

/**
 * Repeats all calls of an operation and requests numbers, if the server rejects base64. Both forms are converted to the
 * form that the caller requested.
 * @throws GatewayError if a call fails.
 */
export async function retryAsNumbers<T>(
  candidate: OperationCandidate,
  encoding: EmbeddingRequest["encoding"],
  embed: (encoding: EmbeddingRequest["encoding"]) => Promise<T>,
): Promise<T> {
  try {
    return await embed(encoding)
  } catch (rejection) {
    if (encoding === "float" || !isBase64Rejected(rejection)) throw rejection
    await candidate.again()
    return await embed("float")
  }
}

/**
 * Returns the usage of the calls that a candidate has completed: the vendor's count, or else their share of the
 * gateway's own count.
 * @param count returns the tokens of the whole request.
 */
export async function completedUsage(
  candidate: OperationCandidate,
  request: EmbeddingRequest,
  count: () => Promise<number>,
): Promise<CountedUsage> {
  const format = formatOf(candidate, "embedding")
  const { vectors, tokens = 0 } = await format.decode(candidate.completed, request)
  if (tokens > 0) return { usage: { ...NO_USAGE, inputFresh: tokens }, estimated: false }
  const share = Math.min(1, vectors.length / inputCount(request.input))
  const inputFresh = Math.ceil((await count()) * share)
  return { usage: { ...NO_USAGE, inputFresh }, estimated: true }
}

/**
 * Whether a server rejects base64. Older servers support only floats, and use their own messages
 * (docs/contribute/wire/embeddings.md#f8).
 */
function isBase64Rejected(rejection: unknown): boolean {
  if (!(rejection instanceof GatewayError) || rejection.kind !== "rejected_by_upstream")
    return false
  const { parameter } = rejection.details
  return parameter === "encoding_format" || /base64|encoding_format/.test(rejection.message)
}

/**
 * Returns the number of calls for a request at a deployment, which is highest if the server rejects base64.
 * @throws GatewayError if the vendor does not support the request.
 */
export function callsAt(candidate: Candidate, asked: EmbeddingForms): number {
  const { format, sent } = sentTo(candidate, asked)
  const request: EmbeddingRequest = { ...sent, encoding: "float" }
  return format.encode(request, candidate.deployment.upstreamModel).calls.length
}

/**
 * Returns the request in the form in which the vendor receives it.
 * @throws GatewayError if the vendor does not support the request.
 */
function sentTo(candidate: Candidate, { request, inTexts }: EmbeddingForms) {
  const format = formatOf(candidate, "embedding")
  if (format.takesTokens || request.input.type === "texts") return { format, sent: request }
  if (inTexts !== undefined) return { format, sent: inTexts }
  throw invalidValue(
    "input",
    "Invalid 'input': this model accepts only text, and some of these tokens are not from 'cl100k_base'. " +
      "Send strings.",
  )
}

/** Returns the maximum input tokens if the input is sent as text. */
function maxTokens({ request, inTexts = request }: EmbeddingForms): number {
  const { input } = inTexts
  if (input.type === "tokens") return 0
  return input.texts.reduce((sum, text) => sum + maxTextTokens(text), 0)
}

function fewestInput(input: EmbeddingInput): number {
  if (input.type === "tokens") return inputCount(input)
  return input.texts.reduce((sum, text) => sum + fewestTokens(Buffer.byteLength(text)), 0)
}

/** Returns the tokens of an input. They are estimated from its bytes if counting takes too long. */
async function countInput(counter: AccountCounter, input: EmbeddingInput): Promise<number> {
  if (input.type === "tokens") {
    return input.tokens.reduce((sum, tokens) => sum + tokens.length, 0)
  }
  return Math.max(inputCount(input), await countTexts(counter, input.texts))
}
