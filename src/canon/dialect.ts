import type { ModelRules } from "#contract/model-rules.ts"
import type { ChatEvent, ChatRequest, ChatResult } from "./chat.ts"
import type { DialectId, Loss } from "./extra.ts"
import type { GatewayError } from "./errors.ts"
import type { Feature, Support } from "./features.ts"
import type { JsonObject } from "./json.ts"
import type { OtherContent } from "./other-content.ts"
import type { ConversationForm } from "./conversation.ts"
import type { Usage } from "./usage.ts"
import type { StateShape } from "./vendor-state.ts"

/** One server-sent event on the wire, or its equivalent. */
export interface SseFrame {
  readonly event?: string
  readonly data: string
  /** `data`, already parsed, when someone had to: nothing is parsed twice. */
  readonly json?: JsonObject
  /** Returns the data in pieces, each serialized on demand. Present only if the data is long. */
  pieces?(): Iterable<string>
}

/** Wire to canon: a pure fold. However the bytes were cut, the same frames give the same events. */
export interface EventDecoder {
  push(frame: SseFrame): ChatEvent[]
  /** The events that are still missing when the upstream ended without its final frame. */
  end(): ChatEvent[]
  /** Whether the dialect's own end of the stream has been seen. */
  readonly finished: boolean
  /**
   * Content that no event carries. The frames that open an answer are not counted: every answer starts with
   * them, and they hold nothing that a model has made.
   */
  readonly other: OtherContent
}

/**
 * Canon to wire. Frames that say that the answer is over (the last finish, the usage, the dialect's end) are
 * held back for `end`, because they may only be sent when the charge is on disk. Frames of `end` that carry the
 * usage have their `json` set, so that the cost can be added.
 */
export interface EventEncoder {
  push(event: ChatEvent): SseFrame[]
  end(): SseFrame[]
  /** The frames that tell the caller that the stream broke; nothing follows them. */
  fail(error: GatewayError, requestId: string): SseFrame[]
}

/** What the gateway sets in a request that is otherwise sent as its caller wrote it. */
export interface RequestPatch {
  /** The vendor's own name for the model. */
  readonly model: string
  /** Set when the credits cover only part of the requested output. */
  readonly maxTokens?: number | undefined
  /** What the model accepts. */
  readonly rules?: ModelRules | undefined
}

/** The limits of an answer that a vendor enforces. The relay enforces the others itself. */
export interface AnswerLimits {
  /** The number of choices that one request may ask for. */
  readonly choices: number
  /** The number of stop sequences that a request may have; 0: there is no parameter for them. */
  readonly stops: number
  /** Whether the vendor is known to end the text before a sequence; if not, the relay looks for them as well. */
  readonly cutsStops: boolean
  /** Whether they may be of white space alone. Empty ones are never sent. */
  readonly blankStops: boolean
  /** For up to how many sequences its answer names the one that ended it; 0: it does not name any. */
  readonly reportedStops: number
  /** The least that `max_tokens` may be. */
  readonly minOutput: number
}

/** A request to send, and the parts of the caller's request that it could not carry. */
export interface EncodedRequest {
  readonly body: JsonObject
  readonly losses: readonly Loss[]
  /** The tool that replaces the format of the answer: its arguments are the answer. The decoders report its call. */
  readonly answerTool?: string
}

/** What the gateway sets in an answer that is otherwise passed on as the vendor wrote it. */
export interface ResultPatch {
  /** The public model id, which replaces the vendor's name. */
  readonly model: string
  /** Whether the caller asked for usage in the stream. */
  readonly streamUsage: boolean
  /** The number of requested choices. */
  readonly choices?: number
}

/** One frame of a verbatim stream, and what to do with it. */
export interface PatchedFrame {
  /** `withhold`: a frame the caller did not ask for; `last`: the dialect's end of the stream. */
  readonly action: "forward" | "withhold" | "last"
  /** The frame's `event:` line, where the dialect has them. */
  readonly event?: string
  /** The frame's `data` to send on. */
  readonly data: string
  /** The parsed frame, when it carries the usage that the cost is added to. */
  readonly usageCarrier?: JsonObject
  /** Belongs to no choice: it may overtake a frame that is held back. */
  readonly isAside?: boolean
}

/** The frames of one verbatim stream. */
export interface FramePatcher {
  /** @param frame with `json` set when its data is a JSON object. */
  push(frame: SseFrame): PatchedFrame
  /**
   * What the vendor has not sent before its final frame; absent in dialects where nothing can be missing.
   * @param usage our own count, where no frame of the vendor has one.
   */
  unsaid?(usage: Usage | undefined): PatchedFrame[]
  /** The dialect's final frames, for a vendor that ended properly without them. */
  end(): SseFrame[]
  /**
   * The frames that tell the caller that the stream broke; nothing follows them.
   * @param broken the vendor's frame that said so; the rest of it belongs to the caller.
   */
  fail(error: GatewayError, requestId: string, broken?: SseFrame): SseFrame[]
}

/** The verbatim path: bytes untouched but for these named patches. */
export interface DialectPatches {
  request(body: JsonObject, patch: RequestPatch): EncodedRequest
  /** Patches a whole answer in place. */
  result(body: JsonObject, patch: ResultPatch): void
  frames(patch: ResultPatch): FramePatcher
}

/**
 * The client side of a chat wire format: what callers send, and what they get back.
 *
 * @throws GatewayError from `decodeRequest`: what is wrong with the caller's body.
 */
export interface ClientDialect {
  readonly id: DialectId
  /** What a caller of this dialect can ask for. */
  readonly expresses: ReadonlySet<Feature>
  /** Its answers have a format that no vendor uses: they are never passed on verbatim. */
  readonly isOneWay?: boolean
  /** Whether an answer names the stop sequence that ended it. */
  readonly reportsStop?: boolean
  /** Where a caller's body refers to what a vendor stores; absent where it cannot. */
  readonly requestState?: StateShape
  /** How a caller continues earlier answers by their ids; absent where that is not supported. */
  readonly conversation?: ConversationForm
  decodeRequest(body: JsonObject): ChatRequest
  encodeResult(result: ChatResult, request: ChatRequest): JsonObject
  encodeEvents(request: ChatRequest): EventEncoder
  encodeError(error: GatewayError, requestId: string): { status: number; body: JsonObject }
  /**
   * Returns the frames that end a stream which breaks away from its encoder, such as a recorded one.
   * @param last the last frames that the caller has received, as text.
   */
  encodeBreak(error: GatewayError, requestId: string, last: string): SseFrame[]
  /**
   * Puts the cost, in credits, where a caller of this dialect finds it, next to the usage.
   * @param carrier the parsed frame that carries the usage of a stream. A whole answer has its cost in a
   * header.
   */
  setCost(carrier: JsonObject, cost: string): void
  /**
   * Puts in our own count, which is charged, where the vendor has reported none.
   * @param carrier a whole answer, or the frame that carries the usage of a stream.
   */
  setUsage(carrier: JsonObject, usage: Usage): void
}

/**
 * The upstream side: what vendors are sent, and what they answer. The decoders get the request too, because the
 * meaning of an answer can depend on it.
 *
 * @throws GatewayError `upstream_error` from `decodeResult` and from `EventDecoder.push`: the vendor's answer
 * cannot be read.
 */
export interface UpstreamDialect {
  readonly id: DialectId
  /** What happens to each feature that a caller can ask for. */
  readonly supports: Readonly<Record<Feature, Support>>
  /** How frames are separated in a stream. */
  readonly framing: "sse" | "event-stream"
  /** Whether a request has to limit its answer: the limit is then what is held. */
  readonly needsMaxTokens?: boolean
  /** Whether the vendor knows only functions: tools of other types are sent as functions. */
  readonly functionsOnly?: boolean
  /** Whether an answer without output can be requested, to have the prompt cached. */
  readonly takesNoOutput?: boolean
  /** @param model the vendor's own name for it. */
  answerLimits(model: string): AnswerLimits
  /**
   * `request.model` is the vendor's own name for the model; its limits are such as the vendor accepts. Usage in
   * streams is always requested.
   * @param rules what the model accepts; absent: no restriction is known.
   */
  encodeRequest(request: ChatRequest, rules?: ModelRules): EncodedRequest
  decodeResult(body: JsonObject, request?: ChatRequest): ChatResult
  /** Returns the usage that a whole answer reports, even if the answer cannot be decoded. */
  usageIn(body: JsonObject): Usage | undefined
  decodeEvents(request?: ChatRequest): EventDecoder
  /** Finds the frames of one stream that a vendor has sent already; absent where content may come twice as well. */
  findRepeated?(): (frame: SseFrame) => boolean
  /** @param body parsed when it is JSON, text when not. */
  decodeError(status: number, body: unknown, headers?: Headers): GatewayError
  /** Present where the dialect also has a client side: caller and vendor may then both speak it. */
  readonly patches?: DialectPatches
  /**
   * Where the answer to a request, or a frame of it, names what the vendor stores.
   * @param body as it is sent.
   * @returns undefined where nothing is stored.
   */
  answerState?(body: JsonObject): StateShape | undefined
}

/** One chat wire format, both sides. It knows no URL, key or price, and no other dialect. */
export interface ChatDialect extends ClientDialect, UpstreamDialect {
  readonly patches: DialectPatches
}
