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
  /** The parsed `data`, if it was parsed already, so that nothing is parsed twice. */
  readonly json?: JsonObject
  /** Returns the data in pieces, each serialized on demand. Present only if the data is long. */
  pieces?(): Iterable<string>
}

/**
 * Decodes wire frames to canon events. The same frames give the same events, regardless of chunk
 * boundaries.
 */
export interface EventDecoder {
  push(frame: SseFrame): ChatEvent[]
  /** Returns the missing events if the upstream ended without its final frame. */
  end(): ChatEvent[]
  /** Whether the dialect's own end of the stream has been received. */
  readonly finished: boolean
  /**
   * Content that is in no event. The frames that start an answer are not counted: every answer
   * starts with them, and they contain no output of the model.
   */
  readonly other: OtherContent
}

/**
 * Encodes canon events to wire frames. The frames that end the answer (the last finish, the usage,
 * the dialect's end) are held back for `end`: they may only be sent after the charge is on disk.
 * Frames of `end` with the usage have their `json` set, so that the cost can be added.
 */
export interface EventEncoder {
  push(event: ChatEvent): SseFrame[]
  end(): SseFrame[]
  /** Returns the frames that report a broken stream to the caller. No frames follow them. */
  fail(error: GatewayError, requestId: string): SseFrame[]
}

/** The fields that the gateway sets in a request that is otherwise sent unchanged. */
export interface RequestPatch {
  /** The vendor's own name for the model. */
  readonly model: string
  /** Set when the credits cover only part of the requested output. */
  readonly maxTokens?: number | undefined
  /** The rules of the model. */
  readonly rules?: ModelRules | undefined
}

/** The limits of an answer that a vendor enforces. The relay enforces all others. */
export interface AnswerLimits {
  /** Maximum number of choices per request. */
  readonly choices: number
  /** Maximum number of stop sequences; 0: no parameter exists for them. */
  readonly stops: number
  /**
   * Whether the vendor reliably ends the text before a sequence; otherwise the relay searches for
   * them too.
   */
  readonly cutsStops: boolean
  /** Whether stop sequences may consist of white space. Empty ones are never sent. */
  readonly blankStops: boolean
  /** Maximum number of sequences up to which the answer names the one that ended it; 0: never. */
  readonly reportedStops: number
  /** Minimum value of `max_tokens`. */
  readonly minOutput: number
}

/** A request to send, and the parts of the caller's request that it could not carry. */
export interface EncodedRequest {
  readonly body: JsonObject
  readonly losses: readonly Loss[]
  /**
   * The tool that replaces the answer format: its arguments are the answer. The decoders report its
   * call.
   */
  readonly answerTool?: string
}

/** The fields that the gateway sets in an answer that is otherwise forwarded unchanged. */
export interface ResultPatch {
  /** The public model id, which replaces the vendor's name. */
  readonly model: string
  /** Whether the caller requested usage in the stream. */
  readonly streamUsage: boolean
  /** The number of requested choices. */
  readonly choices?: number
}

/** One frame of a verbatim stream, and its handling. */
export interface PatchedFrame {
  /** `withhold`: the caller did not request this frame; `last`: the dialect's end of the stream. */
  readonly action: "forward" | "withhold" | "last"
  /** The frame's `event:` line, if the dialect has them. */
  readonly event?: string
  /** The frame's `data` to send on. */
  readonly data: string
  /** The parsed frame, if it contains the usage that the cost is added to. */
  readonly usageCarrier?: JsonObject
  /** Set if the frame belongs to no choice, so that it may overtake a frame that is held back. */
  readonly isAside?: boolean
}

/** Patches the frames of one verbatim stream. */
export interface FramePatcher {
  /** @param frame with `json` set when its data is a JSON object. */
  push(frame: SseFrame): PatchedFrame
  /**
   * Returns the parts that the vendor has not sent before its final frame; absent in dialects without required parts.
   * @param usage the gateway's own count, if no frame of the vendor has usage.
   */
  unsaid?(usage: Usage | undefined): PatchedFrame[]
  /** Returns the dialect's final frames, for a vendor that ended properly without them. */
  end(): SseFrame[]
  /**
   * Returns the frames that report a broken stream to the caller. No frames follow them.
   * @param broken the vendor's frame with the error; the rest of the frame is forwarded to the
   * caller.
   */
  fail(error: GatewayError, requestId: string, broken?: SseFrame): SseFrame[]
}

/** The verbatim path: all bytes stay unchanged except for these named patches. */
export interface DialectPatches {
  request(body: JsonObject, patch: RequestPatch): EncodedRequest
  /** Patches a complete answer in place. */
  result(body: JsonObject, patch: ResultPatch): void
  frames(patch: ResultPatch): FramePatcher
}

/**
 * The client side of a chat wire format: the requests of callers and the responses to them.
 *
 * @throws GatewayError from `decodeRequest`: the error in the caller's body.
 */
export interface ClientDialect {
  readonly id: DialectId
  /** The features that callers of this dialect can request. */
  readonly expresses: ReadonlySet<Feature>
  /**
   * Whether no vendor uses the format of its answers, so that they are never forwarded verbatim.
   */
  readonly isOneWay?: boolean
  /** Whether an answer names the stop sequence that ended it. */
  readonly reportsStop?: boolean
  /** The places in a caller's body that refer to a vendor's stored objects; absent if it cannot. */
  readonly requestState?: StateShape
  /** The rules for continuing earlier answers by id; absent if that is not supported. */
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
   * Adds the cost in credits next to the usage, where callers of this dialect expect it.
   * @param carrier the parsed frame with the usage of a stream. A complete answer has its cost in a
   * header.
   */
  setCost(carrier: JsonObject, cost: string): void
  /**
   * Adds the gateway's own count, which is charged, if the vendor did not report usage.
   * @param carrier a complete answer, or the frame with the usage of a stream.
   */
  setUsage(carrier: JsonObject, usage: Usage): void
}

/**
 * The upstream side: the requests to vendors and their responses. The decoders also receive the
 * request, because the meaning of an answer can depend on it.
 *
 * @throws GatewayError `upstream_error` from `decodeResult` and from `EventDecoder.push`: the
 * vendor's answer cannot be decoded.
 */
export interface UpstreamDialect {
  readonly id: DialectId
  /** The support for each feature that a caller can request. */
  readonly supports: Readonly<Record<Feature, Support>>
  /** The separation of frames in a stream. */
  readonly framing: "sse" | "event-stream"
  /** Whether a request must limit its answer. The limit then determines the hold. */
  readonly needsMaxTokens?: boolean
  /** Whether the vendor only supports functions: tools of other types are sent as functions. */
  readonly functionsOnly?: boolean
  /** Whether an answer without output can be requested, to cache the prompt. */
  readonly takesNoOutput?: boolean
  /** @param model the vendor's own name for it. */
  answerLimits(model: string): AnswerLimits
  /**
   * `request.model` is the vendor's own name for the model, and its limits are acceptable to the
   * vendor. Usage in streams is always requested.
   * @param rules the rules of the model; absent: no restriction is known.
   */
  encodeRequest(request: ChatRequest, rules?: ModelRules): EncodedRequest
  decodeResult(body: JsonObject, request?: ChatRequest): ChatResult
  /** Returns the usage that a whole answer reports, even if the answer cannot be decoded. */
  usageIn(body: JsonObject): Usage | undefined
  decodeEvents(request?: ChatRequest): EventDecoder
  /**
   * Returns a function that detects frames that a vendor has sent before in the same stream; absent
   * if identical frames can be new content.
   */
  findRepeated?(): (frame: SseFrame) => boolean
  /** @param body parsed if it is JSON, otherwise text. */
  decodeError(status: number, body: unknown, headers?: Headers): GatewayError
  /**
   * Present if the dialect also has a client side, so that caller and vendor may use the same
   * dialect.
   */
  readonly patches?: DialectPatches
  /**
   * Returns the places in the answer to a request, or in a frame of it, that name the vendor's
   * stored objects.
   * @param body as it is sent.
   * @returns undefined if nothing is stored.
   */
  answerState?(body: JsonObject): StateShape | undefined
}

/** A chat wire format, both sides. It is independent of URLs, keys, prices and other dialects. */
export interface ChatDialect extends ClientDialect, UpstreamDialect {
  readonly patches: DialectPatches
}
