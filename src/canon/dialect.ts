import type { ChatEvent, ChatRequest, ChatResult, DialectId, Loss } from "./chat.ts"
import type { GatewayError } from "./errors.ts"
import type { JsonObject } from "./json.ts"

/** One server-sent event on the wire, or its like. */
export interface SseFrame {
  readonly event?: string
  readonly data: string
  /** `data`, already parsed, when somebody had to: nothing is parsed twice. */
  readonly json?: JsonObject
}

/** Wire to canon: a pure fold. However the bytes were cut, the same frames give the same events. */
export interface EventDecoder {
  push(frame: SseFrame): ChatEvent[]
  /** What is still to be said when the upstream ended without its own last word. */
  end(): ChatEvent[]
  /** Whether the dialect's own end of the stream has been seen. */
  readonly finished: boolean
}

/** Canon to wire. */
export interface EventEncoder {
  push(event: ChatEvent): SseFrame[]
  end(): SseFrame[]
}

/** What the gateway sets in a request that otherwise goes up as its caller wrote it. */
export interface RequestPatch {
  /** The vendor's own name for the model. */
  readonly model: string
  /** Set when the credits cover only part of the output that was asked for. */
  readonly maxTokens?: number
}

/** A request as it goes up, and what of the caller's could not go with it. */
export interface PatchedRequest {
  readonly body: JsonObject
  readonly losses: readonly Loss[]
}

/** What the gateway sets in an answer that otherwise comes down as the vendor wrote it. */
export interface ResultPatch {
  /** The public model id, which replaces the vendor's name. */
  readonly model: string
  /** Whether the caller asked for usage in the stream. */
  readonly streamUsage: boolean
}

/** One frame of a verbatim stream: what to do with it. */
export interface PatchedFrame {
  /** `withhold`: a frame the caller did not ask for; `last`: the dialect's end of the stream. */
  readonly action: "forward" | "withhold" | "last"
  /** The frame's `data` to send on. */
  readonly data: string
  /** The parsed frame, when it carries the usage in which the cost is to stand. */
  readonly usageCarrier?: JsonObject
  /** A remark that belongs to no choice: it may overtake a frame that is kept back. */
  readonly isAside?: boolean
}

/** The verbatim path: bytes untouched but for these named patches. */
export interface DialectPatches {
  request(body: JsonObject, patch: RequestPatch): PatchedRequest
  /** Patches a whole answer in place. */
  result(body: JsonObject, patch: ResultPatch): void
  /** @param frame with `json` set when its data is a JSON object. */
  frame(frame: SseFrame, patch: ResultPatch): PatchedFrame
  /** Puts the cost, in credits, where the caller of this dialect finds it beside the usage. */
  setCost(usageCarrier: JsonObject, cost: string): void
}

/**
 * One chat wire format, both faces. It knows no URL, no key, no price, and no other dialect.
 *
 * @throws GatewayError from `decodeRequest` (what is wrong with the caller's body) and from
 * `decodeResult` and `EventDecoder.push` (`upstream_error`: the vendor's answer cannot be read).
 */
export interface ChatDialect {
  readonly id: DialectId
  // Client face: what we accept, and how we speak back.
  decodeRequest(body: JsonObject): ChatRequest
  encodeResult(result: ChatResult): JsonObject
  encodeEvents(request: ChatRequest): EventEncoder
  encodeError(error: GatewayError, requestId: string): { status: number; body: JsonObject }
  /** The frames that tell a caller that a stream broke after it began. */
  encodeStreamError(error: GatewayError, requestId: string): SseFrame[]
  // Upstream face: how we ask, and how we hear.
  encodeRequest(request: ChatRequest): { body: JsonObject; losses: Loss[] }
  decodeResult(body: JsonObject): ChatResult
  decodeEvents(): EventDecoder
  decodeError(status: number, body: unknown): GatewayError
  // Both at once: when the caller and the vendor speak this dialect.
  readonly patches: DialectPatches
}
