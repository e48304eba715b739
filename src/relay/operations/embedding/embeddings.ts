import type { Loss } from "../../../canon/extra.ts"
import {
  type EmbeddingInput,
  type EmbeddingRequest,
  type EmbeddingResult,
  inputCount,
  type Vector,
} from "../../../canon/embedding.ts"
import { GatewayError } from "../../../canon/errors.ts"
import { invalidValue } from "../../../canon/invalid-request.ts"
import { NO_USAGE, type Usage } from "../../../canon/usage.ts"
import { atNoExtraPrice } from "../../billable/passed-fields.ts"
import { fewestTokens } from "../../billing/bounds.ts"
import type { Call, Caller } from "../../pipeline/call.ts"
import { askedModel, wishedModel } from "../../wishes/wished-model.ts"
import type { OperationPlan } from "../operation-plan.ts"
import type { Operations } from "../operations.ts"
import type { AccountCounter, TokenCounter } from "../../tokens/token-counter.ts"
import type { AccountDecoder, TokenDecoder } from "../../tokens/token-decoder.ts"
import type { Candidate } from "../../upstream/attempt.ts"
import { formatOf } from "../vendor-format.ts"
import type { OpenOperation, Outcome } from "../open-operation.ts"
import type { OperationCandidate } from "../operation-candidate.ts"
import type { UsageAlarms } from "../services.ts"
import { roughTokens } from "../../tokens/rough-tokens.ts"

export interface EmbeddingServices {
  readonly operations: Operations
  readonly counter: TokenCounter
  readonly decoder: TokenDecoder
  readonly alarms: UsageAlarms
}

/** Vectors and their usage. */
export interface Embedded {
  readonly vectors: readonly Vector[]
  readonly usage: Usage
  /** Whether the usage is our own count. */
  readonly estimated: boolean
}

/** `POST /v1/embeddings`, from the parsed request to vectors that are paid for. */
export class Embeddings {
  readonly #services: EmbeddingServices

  constructor(services: EmbeddingServices) {
    this.#services = services
  }

  /** @throws GatewayError; then nothing is held. */
  embed(call: Call, request: EmbeddingRequest, caller: Caller): Promise<OpenOperation<Embedded>> {
    const attempt = (candidate: OperationCandidate): Promise<Outcome<Embedded>> =>
      this.#attempt(candidate, call, request)
    const input = { ...this.plan(call, request), attempt, mayHedge: true }
    return this.#services.operations.run(input, caller)
  }

  /** @throws GatewayError */
  plan(call: Call, request: EmbeddingRequest): OperationPlan {
    const { operations, decoder } = this.#services
    const { config } = operations
    const asked = askedModel(config, request.model, "embedding", call)
    const model = wishedModel(asked, { call, config, inputTokens: () => call.bodyBytes })
    return {
      call,
      model: atNoExtraPrice(model, request.extra, config),
      // A token is at least one byte of the body, also where the input is tokens.
      worst: { ...NO_USAGE, inputFresh: call.bodyBytes },
      min: { ...NO_USAGE, inputFresh: fewestInput(request.input) },
      async lossesAt(candidate) {
        const { format, reported } = await reportTo(
          candidate,
          request,
          decoder.of(call.key.account),
        )
        return format.encode(reported, candidate.deployment.upstreamModel).losses
      },
    }
  }

  async #attempt(
    candidate: OperationCandidate,
    call: Call,
    request: EmbeddingRequest,
  ): Promise<Outcome<Embedded>> {
    const { counter, decoder, alarms } = this.#services
    const { account } = call.key
    const { vectors, tokens, losses } = await embedAt(candidate, request, decoder.of(account))
    if (tokens !== undefined && tokens > 0) {
      const usage = { ...NO_USAGE, inputFresh: tokens }
      return { value: { vectors, usage, estimated: false }, losses }
    }
    if (tokens !== undefined) alarms.usageMissing(call.id, candidate.deployment.id)
    const usage = { ...NO_USAGE, inputFresh: await countInput(counter.of(account), request.input) }
    return { value: { vectors, usage, estimated: true }, losses }
  }
}

/** Vectors, and the parts of the request that their vendor does not support. */
interface EmbeddedAt extends EmbeddingResult {
  readonly losses: readonly Loss[]
}

/**
 * Embeds at one deployment. A server that refuses base64 is asked for numbers, since either form is turned into the one
 * that the caller wants.
 * @throws GatewayError
 */
export async function embedAt(
  candidate: OperationCandidate,
  request: EmbeddingRequest,
  decoder: AccountDecoder,
): Promise<EmbeddedAt> {
  const { format, reported } = await reportTo(candidate, request, decoder)
  const embed = async (asked: EmbeddingRequest): Promise<EmbeddedAt> => {
    const { calls, losses } = format.encode(asked, candidate.deployment.upstreamModel)
    const result = await format.decode(await candidate.callAll(format, calls), asked)
    return { ...result, losses }
  }
  try {
    return await embed(reported)
  } catch (refusal) {
    if (reported.encoding === "float" || !isBase64Refused(refusal)) throw refusal
    return await embed({ ...reported, encoding: "float" })
  }
}

/** Older servers know floats alone, in words of their own (docs/wire/embeddings.md#f8). */
function isBase64Refused(refusal: unknown): boolean {
  if (!(refusal instanceof GatewayError) || refusal.kind !== "refused_by_upstream") return false
  const { parameter } = refusal.details
  return parameter === "encoding_format" || /base64|encoding_format/.test(refusal.message)
}

/** The request as the vendor gets it. @throws GatewayError */
async function reportTo(candidate: Candidate, request: EmbeddingRequest, decoder: AccountDecoder) {
  const format = formatOf(candidate, "embedding")
  const reported = format.takesTokens ? request : await withTexts(request, decoder)
  return { format, reported }
}

function fewestInput(input: EmbeddingInput): number {
  if (input.type === "tokens") return inputCount(input)
  return input.texts.reduce((sum, text) => sum + fewestTokens(Buffer.byteLength(text)), 0)
}

/** The request with its tokens turned into texts, for vendors with another vocabulary. */
async function withTexts(
  request: EmbeddingRequest,
  decoder: AccountDecoder,
): Promise<EmbeddingRequest> {
  const { input } = request
  if (input.type === "texts") return request
  const texts = await decoder.decode(input.tokens)
  if (texts !== undefined) return { ...request, input: { type: "texts", texts } }
  throw invalidValue(
    "input",
    "Invalid 'input': this model takes text, and not all of these tokens are of 'cl100k_base'. " +
      "Send strings.",
  )
}

/** Tokens of an input: counted, or estimated from its bytes where counting takes too long. */
async function countInput(counter: AccountCounter, input: EmbeddingInput): Promise<number> {
  if (input.type === "tokens") {
    return input.tokens.reduce((sum, tokens) => sum + tokens.length, 0)
  }
  return Math.max(inputCount(input), await countTexts(counter, input.texts))
}

/** Tokens of several texts, as closely as can be counted without their vendor. */
export async function countTexts(
  counter: AccountCounter,
  texts: readonly string[],
): Promise<number> {
  // A space becomes part of a word's token; a line break is a token itself.
  const text = texts.join(" ")
  const counted = await counter.count(text)
  return counted ?? roughTokens(Buffer.byteLength(text))
}
