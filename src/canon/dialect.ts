import type { ResponseHeaders } from "./operation.ts"
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
  /** The parsed `data`, if available, so that it is not parsed twice. */
  readonly json?: JsonObject
  /** Returns the data in pieces, each of which is serialized on demand; absent unless the data is long. */
  pieces?(): Iterable<string>
}

/**
 * Decodes wire frames to canon events. The same frames always result in the same events, regardless of chunk
 * boundaries.
 */
export interface EventDecoder {
  push(frame: SseFrame): ChatEvent[]
  /** Returns the missing events if the upstream ended without its final frame. */
  end(): ChatEvent[]
  /** Whether the frame that ends a stream in this dialect has been received. */
  readonly finished: boolean
  /**
   * Content that no event contains. The frames that start a response are not counted, because they contain no output of
   * the model.
   */
  readonly other: OtherContent
}

/**
 * Encodes canon events to wire frames. The frames that end the response (the last finish, the usage, the dialect's end)
 * are held back for `end`, because they may only be sent after the charge is on disk. Frames of `end` with the usage
 * have their `json` set, so that the cost can be added.
 */
export interface EventEncoder {
  /** Whether the last frames repeat the whole response, so that the encoder keeps it in memory. */
  readonly keepsResponse?: boolean
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
  /** The rules of the model; if absent, no restriction is known. */
  readonly rules?: ModelRules | undefined
}

/** The limits of a response that a vendor enforces. The relay enforces all other limits. */
export interface ResponseLimits {
  /** Maximum number of choices per request. */
  readonly choices: number
  /** Maximum number of stop sequences; 0 if the vendor has no parameter for them. */
  readonly stops: number
  /**
   * Whether the vendor reliably ends the text before a stop sequence. Otherwise, the relay searches for the sequences
   * too.
   */
  readonly cutsStops: boolean
  /** Whether stop sequences may consist of white space. Empty stop sequences are never sent. */
  readonly blankStops: boolean
  /** Maximum number of stop sequences for which the response names the one that matched; 0 if it never does. */
  readonly reportedStops: number
  /** Minimum value of `max_tokens`. */
  readonly minOutput: number
}

/** A request to send, and the parts of the caller's request that it could not carry. */
export interface EncodedRequest {
  readonly body: JsonObject
  readonly losses: readonly Loss[]
  /**
   * The tool that replaces the requested response format. Its arguments are the response, and the decoders report it as
   * a tool call.
   */
  readonly answerTool?: string
}

/** The fields that the gateway sets in a response that is otherwise forwarded unchanged. */
export interface ResultPatch {
  /** The public model id, which replaces the vendor's name. */
  readonly model: string
  /** Whether the caller requested usage in the stream. */
  readonly streamUsage: boolean
  readonly choices?: number
}

/** One frame of a verbatim stream, and its handling. */
export interface PatchedFrame {
  /** `withhold`: the caller did not request this frame. `last`: the frame ends the stream in this dialect. */
  readonly action: "forward" | "withhold" | "last"
  /** The value of the frame's `event:` line, in dialects with such lines. */
  readonly event?: string
  /** The `data` to send to the caller; empty if it is in `pieces`. */
  readonly data: string
  /** Returns long data in pieces, as in `SseFrame`. */
  pieces?(): Iterable<string>
  /** The parsed frame, if it contains the usage next to which the cost is added. */
  readonly usageCarrier?: JsonObject
  /** Set if the frame belongs to no choice, so that it may be sent before a frame that is held back. */
  readonly isAside?: boolean
}

/** Patches the frames of one verbatim stream. */
export interface FramePatcher {
  /**
   * Patches a frame.
   * @param frame has `json` set if its data is a JSON object.
   */
  push(frame: SseFrame): PatchedFrame
  /**
   * Returns frames for the required parts that the vendor omitted before its final frame. Absent in dialects without
   * required parts.
   * @param usage the gateway's own count, if no frame of the vendor has usage.
   */
  missingFrames?(usage: Usage | undefined): PatchedFrame[]
  /** Returns the dialect's final frames for a stream that the vendor ended properly but without these frames. */
  end(): SseFrame[]
  /**
   * Returns the frames that report a broken stream to the caller. No frames follow them.
   * @param broken the vendor's frame with the error; the rest of the frame is forwarded to the
   * caller.
   */
  fail(error: GatewayError, requestId: string, broken?: SseFrame): SseFrame[]
}

/** The patches for the verbatim path. All other bytes stay unchanged. */
export interface DialectPatches {
  request(body: JsonObject, patch: RequestPatch): EncodedRequest
  /** Patches a complete response in place. */
  result(body: JsonObject, patch: ResultPatch): void
  frames(patch: ResultPatch): FramePatcher
}

/**
 * The client side of a chat wire format: the requests of callers and the responses to them.
 * @throws GatewayError from `decodeRequest` if the caller's body is invalid.
 */
export interface ClientDialect {
  readonly id: DialectId
  /** The features that callers of this dialect can request. */
  readonly expresses: ReadonlySet<Feature>
  /** Whether no vendor uses this dialect's response format, so that responses are never forwarded verbatim. */
  readonly isOneWay?: boolean
  /** Whether a response names the stop sequence that ended it. */
  readonly reportsStop?: boolean
  /**
   * The places in a caller's body that can refer to objects stored by a vendor; absent if the dialect has no such
   * places.
   */
  readonly requestState?: StateShape
  /** The rules for continuing earlier responses by id; absent if that is not supported. */
  readonly conversation?: ConversationForm
  decodeRequest(body: JsonObject): ChatRequest
  encodeResult(result: ChatResult, request: ChatRequest): JsonObject
  encodeEvents(request: ChatRequest): EventEncoder
  encodeError(error: GatewayError, requestId: string): { status: number; body: JsonObject }
  /**
   * Returns the frames that end a stream which breaks outside its encoder, such as a recorded stream.
   * @param last the last frames that the caller has received, as text.
   */
  encodeBreak(error: GatewayError, requestId: string, last: string): SseFrame[]
  /**
   * Adds the cost in credits next to the usage, where callers of this dialect expect it.
   * @param carrier the parsed stream frame that contains the usage. The cost of a complete response is in a header
   * instead.
   */
  setCost(carrier: JsonObject, cost: string): void
  /**
   * Adds the gateway's own count, which is charged, if the vendor did not report usage.
   * @param carrier a complete response, or the frame with the usage of a stream.
   */
  setUsage(carrier: JsonObject, usage: Usage): void
}

/**
 * The upstream side of a chat wire format: the requests to vendors and their responses. The decoders also receive the
 * request, because the meaning of a response can depend on it.
 * @throws GatewayError `upstream_error` from `decodeResult` and `EventDecoder.push` if the vendor's response cannot be
 * decoded.
 */
export interface UpstreamDialect {
  readonly id: DialectId
  /** How well the vendor supports each feature that a caller can request. */
  readonly supports: Readonly<Record<Feature, Support>>
  /** The format that separates the frames of a stream. */
  readonly framing: "sse" | "event-stream"
  /** Whether each request must limit its output. The limit then determines the hold. */
  readonly needsMaxTokens?: boolean
  /** Whether the vendor supports functions only, so that tools of other types are sent as functions. */
  readonly functionsOnly?: boolean
  /** Whether a caller can request a response without output, to cache the prompt. */
  readonly takesNoOutput?: boolean
  /**
   * Returns the limits of a response that the vendor enforces for a model.
   * @param model the vendor's own name for the model.
   */
  responseLimits(model: string): ResponseLimits
  /**
   * Encodes a request whose `model` is the vendor's own name and whose limits the vendor accepts. The encoded request
   * always asks for usage in streams.
   * @param rules the rules of the model; if absent, no restriction is known.
   */
  encodeRequest(request: ChatRequest, rules?: ModelRules): EncodedRequest
  decodeResult(body: JsonObject, request?: ChatRequest): ChatResult
  /** Returns the usage that a whole response reports, even if the response cannot be decoded. */
  usageIn(body: JsonObject): Usage | undefined
  decodeEvents(request?: ChatRequest): EventDecoder
  /** Returns a function that detects repeated frames of a stream; absent if identical frames can be new content. */
  findRepeated?(): (frame: SseFrame) => boolean
  /**
   * Decodes an error response.
   * @param body the parsed JSON, or text if the body is not JSON.
   */
  decodeError(status: number, body: unknown, headers?: ResponseHeaders): GatewayError
  /** The patches for requests whose caller and vendor use this dialect; absent if the dialect has no client side. */
  readonly patches?: DialectPatches
  /**
   * Returns the places in a response, or in a frame of it, that name objects stored by the vendor.
   * @param body the request as it is sent.
   * @returns undefined if the vendor stores nothing.
   */
  responseState?(body: JsonObject): StateShape | undefined
}

/** A chat wire format with both sides. It is independent of URLs, keys, prices and other dialects. */
export interface ChatDialect extends ClientDialect, UpstreamDialect {
  readonly patches: DialectPatches
}
