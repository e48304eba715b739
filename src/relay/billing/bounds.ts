import type { ChatRequest } from "../../canon/chat.ts"
import { GatewayError } from "../../canon/errors.ts"
import type { Message, Part } from "../../canon/message.ts"
import { NO_USAGE, type Usage } from "../../canon/usage.ts"
import type { Writable } from "../../canon/writable.ts"
import type { Model } from "../../catalog/model.ts"
import type { ResolvedState } from "../state/vendor-state.ts"
import { audioTokenBound } from "../../media/audio-tokens.ts"
import { fileTokenBound, linkedTokenBound } from "../../media/file-tokens.ts"
import { imageTokenBound, imageTokenEstimate } from "../../media/image-tokens.ts"
import type { Call } from "../request/call.ts"
import { roughTokens } from "../tokens/rough-tokens.ts"
import { normalizationGrowth } from "../../canon/text-bytes.ts"
import { characterCounts, mostTokens } from "../tokens/vocabularies.ts"
import {
  ANY_MEDIA,
  kindsOfMessage,
  kindsOfPart,
  kindsOfRequest,
  markedInput,
} from "./token-kinds.ts"

/** Tokens that a vendor may add to the caller's text: role markers, and a prompt for tools. */
const WRAPPING = 16
const TOOL_PROMPT = 512
/** Tokens that a vendor adds for each message. */
const MESSAGE_TOKENS = 4
/** Maximum output tokens assumed for a model without a known maximum or context. */
export const UNKNOWN_MAXIMUM = 65_536
/**
 * Maximum images, files and other parts of a request that must be measured. Providers accept at most 3,600 (Gemini),
 * and measuring takes time before anything is charged.
 */
const MAX_MEDIA = 5_000
/** Context in tokens that is assumed for a model without a known context. */
const UNKNOWN_CONTEXT = 1_048_576

/** The maximum tokens of a request, which its hold covers. */
export interface Bound {
  readonly input: number
  /** Maximum tokens of the request itself, which exceed `input` if a provider accepts more than the model's context. */
  readonly sent: number
  /** Maximum output tokens of each choice. */
  readonly output: number
  readonly choices: number
  /** Number of calls that each read a part of `input`. Default: 1. */
  readonly calls?: number
  /**
   * Maximum times that the vendor reads the input for one choice. Each round of the vendor's own tools reads it again.
   */
  readonly rounds: number
  /** The possible kinds of tokens, as bits from `token-kinds.ts`. */
  readonly kinds: number
  /** The reasoning effort that the request sets. */
  readonly effort: string | undefined
  /** Whether the request disables reasoning in a field other than the effort. */
  readonly isReasoningOff: boolean
  /** The context of the model in tokens, if known. */
  readonly context?: number | undefined
}

/** The size and the maximum tokens of the media in an input. */
interface MediaBound {
  /** Characters of encoded media in the body. */
  readonly encoded: number
  readonly tokens: number
  /** The part of `tokens` that is audio. */
  readonly audioTokens: number
  /** The possible kinds of tokens, as in `Bound`. */
  readonly kinds: number
}

/**
 * Returns an upper bound without counting tokens. A token has at least one byte of the body, or of the normal form of
 * its text.
 * @param kept tokens that the vendor reads in addition to the body (`keptTokens`).
 */
export function boundByBytes(
  request: ChatRequest,
  { bodyBytes, isAscii }: Pick<Call, "bodyBytes" | "isAscii">,
  model: Model,
  kept = 0,
): Bound {
  const media = mediaBound(request.messages, model)
  // The measured size of the media may be larger than the body.
  const bytes = Math.max(0, bodyBytes - media.encoded)
  const text = isAscii === true ? bytes : bytes + normalizationGrowth(boundedText(request))
  const input = { most: text + media.tokens + kept, likely: roughTokens(bytes) }
  return boundOf(request, input, model, kindsWith(media, kept))
}

/** A text, and its number of tokens in the vocabulary of the token counter. */
export interface CountedText {
  readonly text: string
  readonly tokens: number
}

/**
 * Returns an upper bound from the number of tokens of `boundedText`. It considers the vocabularies of all models that
 * may respond.
 */
export function boundByCount(
  request: ChatRequest,
  { text: counted, tokens }: CountedText,
  model: Model,
  kept = 0,
): Bound {
  const media = mediaBound(request.messages, model)
  const models = model.deployments.map(({ upstreamModel }) => upstreamModel)
  const characters = characterCounts(counted)
  const common = mostTokens({ tokens, characters }, models) + normalizationGrowth(counted)
  const text = common + 8 * request.messages.length
  const input = { most: text + media.tokens + kept, likely: tokens }
  return boundOf(request, input, model, kindsWith(media, kept))
}

/** Returns the possible kinds of tokens. Stored content may be of any kind. */
function kindsWith({ kinds }: MediaBound, kept: number): number {
  return kept === 0 ? kinds : kinds | ANY_MEDIA
}

/** Returns the tokens of stored content that a vendor reads; the whole context if their number is unknown. */
export function keptTokens(state: ResolvedState | undefined, model: Model): number {
  if (state === undefined) return 0
  return state.tokens ?? model.context ?? UNKNOWN_CONTEXT
}

/**
 * Estimates the input tokens if the vendor does not report them. Text has the counted tokens, or is estimated from its
 * bytes if it could not be counted. Media have the maximum as in the hold, except that images of unknown size are
 * assumed to have a common size. Audio has a separate class. Tokens up to the last cache marker are counted as a cache
 * write, which costs the most.
 */
export function estimateInput(input: {
  readonly request: ChatRequest
  readonly bodyBytes: number
  readonly model: Model
  readonly counted: number | undefined
  /** Tokens of content that the vendor stores; 0 if their number is unknown. */
  readonly kept?: number | undefined
  /** Number of calls that each read the input. Default: 1. */
  readonly calls?: number
}): Usage {
  const { request, bodyBytes, model, counted, kept = 0, calls = 1 } = input
  const media = mediaBound(request.messages, model, imageTokenEstimate)
  const text = counted ?? roughTokens(Math.max(0, bodyBytes - media.encoded))
  const framing = MESSAGE_TOKENS * request.messages.length
  const others = text + framing + media.tokens - media.audioTokens + kept
  const marked = markedInput(request)
  const written = marked === undefined ? 0 : Math.ceil(others * marked.share)
  const usage: Writable<Usage> = {
    ...NO_USAGE,
    inputFresh: calls * (others - written),
    audioInput: calls * media.audioTokens,
  }
  if (marked !== undefined) usage[marked.usageClass] = calls * written
  return usage
}

interface InputTokens {
  readonly most: number
  /** The probable tokens of its text. */
  readonly likely: number
}

function boundOf(
  request: ChatRequest,
  { most, likely }: InputTokens,
  model: Model,
  kinds: number,
): Bound {
  const wrapped = most + WRAPPING + (request.tools ? TOOL_PROMPT : 0)
  return {
    // If the text is longer than the context, the configured context may be too low.
    input: Math.min(wrapped, Math.max(likely, model.context ?? Infinity)),
    sent: wrapped,
    output: longestResponse(request, model),
    choices: request.choices,
    rounds: 1,
    effort: request.reasoning?.effort,
    isReasoningOff:
      request.extra?.dialect === "openai-chat" && request.extra.fields.enable_thinking === false,
    kinds: kinds | kindsOfRequest(request),
    context: model.context,
  }
}

/** Returns the maximum output tokens of a response: the requested limit, or the model's maximum if it is lower. */
export function longestResponse(
  { maxTokens }: Pick<ChatRequest, "maxTokens">,
  model: Model,
): number {
  const max = model.maxOutput ?? model.context
  if (maxTokens === undefined) return max ?? UNKNOWN_MAXIMUM
  // Most vendors return some output even if the requested limit is 0.
  const asked = Math.max(1, maxTokens)
  return max === undefined ? asked : Math.min(asked, max)
}

function mediaBound(
  messages: readonly Message[],
  model: Model,
  imageTokens = imageTokenBound,
): MediaBound {
  const sum = { encoded: 0, tokens: 0, audioTokens: 0, kinds: 0, count: 0 }
  for (const message of messages) {
    sum.kinds |= kindsOfMessage(message)
    for (const part of message.parts) addMedia(sum, part, model, imageTokens)
  }
  return sum
}

/** The sum of the media bounds while parts are added. */
interface MediaSum extends Writable<MediaBound> {
  /** The number of parts other than text. */
  count: number
}

function addMedia(
  sum: MediaSum,
  part: Part,
  model: Model,
  imageTokens: typeof imageTokenBound,
): void {
  sum.kinds |= kindsOfPart(part)
  if (part.type === "text") return
  if (part.type === "tool-result") {
    for (const chunk of part.content) addMedia(sum, chunk, model, imageTokens)
  }
  const tokenBound = partBound(part, model, imageTokens)
  if (tokenBound === undefined) return
  // Media whose tokens cannot be bounded may fill the whole context.
  const tokens = Math.min(tokenBound, model.context ?? UNKNOWN_CONTEXT)
  sum.tokens += tokens
  if (part.type === "audio") sum.audioTokens += tokens
  if (tokenBound > 0 && ++sum.count > MAX_MEDIA) throw tooManyMedia()
  if (!("source" in part) || part.source.type !== "base64") return
  sum.encoded += part.source.writtenBytes ?? part.source.data.length
}

function tooManyMedia(): GatewayError {
  const max = MAX_MEDIA.toLocaleString("en-US")
  return new GatewayError(
    "invalid_value",
    `The request has more than ${max} images, files and other parts that are not text. Send fewer.`,
  )
}

function partBound(
  part: Part,
  model: Model,
  imageTokens: typeof imageTokenBound,
): number | undefined {
  if (part.type === "image") {
    return maxOverMembers(model, (id) =>
      imageTokens(part.source, part.detail, id, part.extra?.fields),
    )
  }
  if (part.type === "audio") return audioTokenBound(part.source)
  if (part.type === "file") {
    return maxOverMembers(model, (id) => fileTokenBound(part.source, id, part.extra?.fields))
  }
  if (part.type === "unknown") {
    return maxOverMembers(model, (id) => linkedTokenBound(part.extra.fields, id))
  }
  return undefined
}

/** Returns the highest number of tokens over all models that may respond. */
function maxOverMembers({ id, members }: Model, count: (id: string) => number): number {
  return members === undefined ? count(id) : Math.max(...members.map((one) => count(one.id)))
}

/** Bytes of the longest tokens in common vocabularies, such as sequences of spaces or dashes. */
export const MAX_TOKEN_BYTES = 128

/** Returns the minimum number of tokens of a text in any vocabulary, from its size in bytes. */
export function fewestTokens(bytes: number): number {
  return Math.ceil(bytes / MAX_TOKEN_BYTES)
}

/** Returns all text of a request, to be counted by a tokenizer. */
export function textOf(request: ChatRequest): string {
  return textsOf(request).join("\n")
}

function textsOf(request: ChatRequest): string[] {
  const texts: string[] = []
  for (const message of request.messages) {
    for (const part of message.parts) {
      if (part.type === "text" || part.type === "reasoning") texts.push(part.text)
      else if (part.type === "tool-call") texts.push(part.name, part.arguments)
      else if (part.type === "tool-result") {
        for (const chunk of part.content) if (chunk.type === "text") texts.push(chunk.text)
      } else if (part.type === "unknown") texts.push(JSON.stringify(part.extra.fields))
    }
  }
  for (const tool of request.tools ?? []) {
    // The description is added as plain text, because the escapes of JSON would also be counted. It may be long,
    // because it includes the grammar of a custom tool.
    const { description = "", origin: _, ...rest } = tool
    texts.push(JSON.stringify(rest), description)
  }
  if (request.responseFormat) texts.push(JSON.stringify(request.responseFormat))
  return texts
}

/** Returns the fields of a part that exist in its own dialect only. */
function unreadFields(part: Part): string[] {
  if (part.type === "tool-result") {
    const own = part.extra === undefined ? [] : [JSON.stringify(part.extra.fields)]
    return [...own, ...part.content.flatMap(unreadFields)]
  }
  if (part.type === "file" || part.type === "image") {
    const name = part.type === "file" ? part.name : undefined
    return [name ?? "", part.extra === undefined ? "" : JSON.stringify(part.extra.fields)]
  }
  if (part.type !== "text") return []
  const { standsFor, extra } = part
  return [standsFor, extra].flatMap((each) => (each ? [JSON.stringify(each.fields)] : []))
}

/**
 * Returns all text that a vendor may count as input, including fields and signatures that the canon does not decode.
 */
export function boundedText(request: ChatRequest): string {
  const texts = textsOf(request)
  for (const message of request.messages) {
    for (const part of message.parts) {
      if (part.type === "reasoning" && part.signature !== undefined) texts.push(part.signature)
      else texts.push(...unreadFields(part))
    }
  }
  if (request.extra) texts.push(JSON.stringify(request.extra.fields))
  return texts.join("\n")
}
