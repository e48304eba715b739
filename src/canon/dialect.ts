import type { ChatEvent, ChatRequest, ChatResult } from "./chat.ts"
import type { DialectId, Loss } from "./extra.ts"
import type { GatewayError } from "./errors.ts"
import type { Feature, Support } from "./features.ts"
import type { JsonObject } from "./json.ts"
import type { OtherContent } from "./other-content.ts"
import type { ConversationForm } from "./conversation.ts"
import type { Usage } from "./usage.ts"
import type { StateShape } from "./vendor-state.ts"

/** One server-sent event on the wire, or its like. */
export interface SseFrame {
  readonly event?: string
  readonly data: string
  /** `data`, already parsed, when someone had to: nothing is parsed twice. */
  readonly json?: JsonObject
}

/** Wire to canon: a pure fold. However the bytes were cut, the same frames give the same events. */
export interface EventDecoder {
  push(frame: SseFrame): ChatEvent[]
  /** The events that are still missing when the upstream ended without its own last word. */
  end(): ChatEvent[]
  /** Whether the dialect's own end of the stream has been seen. */
  readonly finished: boolean
  /**
   * What has come that no event carries, the frames that open an answer left out: those are what every
   * answer begins with, and hold nothing that a model has made.
   */
  readonly other: OtherContent
}

/**
 * Canon to wire. What says that the answer is over (the last finish, the usage, the dialect's end) is
 * kept for `end`, because it may only go out when the charge is on disk. Frames of `end` that carry
 * the usage have their `json` set, so that the cost can be put into it.
 */
export interface EventEncoder {
  push(event: ChatEvent): SseFrame[]
  end(): SseFrame[]
  /** The frames that tell the caller that the stream broke; after them nothing follows. */
  fail(error: GatewayError, requestId: string): SseFrame[]
}

/** What the gateway sets in a request that otherwise goes up as its caller wrote it. */
export interface RequestPatch {
  /** The vendor's own name for the model. */
  readonly model: string
  /** Set when the credits cover only part of the output that was asked for. */
  readonly maxTokens?: number
}

/** Which limits of an answer a vendor keeps. What it cannot be asked for, the relay sees to itself. */
export interface AnswerLimits {
  /** Stop sequences that a request may have; 0: there is no word for them. */
  readonly stops: number
  /** Whether they may be of white space alone. Empty ones are never sent. */
  readonly blankStops: boolean
  /** Of how many sequences at most its answer names the one that ended it; 0: it says no more than that it ended. */
  readonly reportedStops: number
  /** The least that `max_tokens` may be. */
  readonly minOutput: number
}

/** A request as it goes up, and what of the caller's could not go with it. */
export interface EncodedRequest {
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
  /** The frame's `event:` line, where the dialect has them. */
  readonly event?: string
  /** The frame's `data` to send on. */
  readonly data: string
  /** The parsed frame, when it carries the usage in which the cost is to stand. */
  readonly usageCarrier?: JsonObject
  /** A remark that belongs to no choice: it may overtake a frame that is kept back. */
  readonly isAside?: boolean
}

/** The frames of one verbatim stream. */
export interface FramePatcher {
  /** @param frame with `json` set when its data is a JSON object. */
  push(frame: SseFrame): PatchedFrame
  /**
   * What the vendor has left unsaid before its last word; absent in a dialect where nothing can be.
   * @param usage our own count, where no frame of the vendor's has one.
   */
  unsaid?(usage: Usage | undefined): PatchedFrame[]
  /** The dialect's last word, for a vendor that ended properly without it. */
  end(): SseFrame[]
  /**
   * The frames that tell the caller that the stream broke; after them nothing follows.
   * @param broken the vendor's frame that said so, what else it holds is the caller's.
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
  /** Its answers have a form of their own, which no vendor's is: they are never passed on as they come. */
  readonly isOneWay?: boolean
  /** Whether an answer names the stop sequence that ended it. */
  readonly reportsStop?: boolean
  /** Where a caller's body names what a vendor keeps; absent where it cannot. */
  readonly requestState?: StateShape
  /** How a caller goes on from earlier answers by their names; absent where that is not done. */
  readonly conversation?: ConversationForm
  decodeRequest(body: JsonObject): ChatRequest
  encodeResult(result: ChatResult, request: ChatRequest): JsonObject
  encodeEvents(request: ChatRequest): EventEncoder
  encodeError(error: GatewayError, requestId: string): { status: number; body: JsonObject }
  /**
   * Puts the cost, in credits, where a caller of this dialect finds it beside the usage.
   * @param carrier the parsed frame that carries the usage of a stream. A whole answer has its cost in a header.
   */
  setCost(carrier: JsonObject, cost: string): void
  /**
   * Puts our own count, which is charged, where the vendor has reported none.
   * @param carrier a whole answer, or the frame that carries the usage of a stream.
   */
  setUsage(carrier: JsonObject, usage: Usage): void
}

/**
 * The upstream side: what vendors are sent, and what they answer. The request is given to the decoders too, because
 * what an answer means can depend on how it was asked for.
 *
 * @throws GatewayError `upstream_error` from `decodeResult` and from `EventDecoder.push`: the vendor's
 * answer cannot be read.
 */
export interface UpstreamDialect {
  readonly id: DialectId
  /** What becomes of each thing that a caller can ask for. */
  readonly supports: Readonly<Record<Feature, Support>>
  /** How frames are separated in a stream. */
  readonly framing: "sse" | "event-stream"
  /** Whether a request has to say how long its answer may be: it is asked for as much as is held. */
  readonly needsMaxTokens?: boolean
  /** Whether functions are all that the vendor knows: tools of other forms go up as functions. */
  readonly functionsOnly?: boolean
  /** Whether an answer without any output can be asked for, to have the prompt cached. */
  readonly takesNoOutput?: boolean
  /** @param model the vendor's own name for it. */
  answerLimits(model: string): AnswerLimits
  /**
   * `request.model` is the vendor's own name for the model, its limits are such as the vendor takes. Usage in streams is
   * always asked for.
   */
  encodeRequest(request: ChatRequest): EncodedRequest
  decodeResult(body: JsonObject, request?: ChatRequest): ChatResult
  decodeEvents(request?: ChatRequest): EventDecoder
  /** @param body parsed when it is JSON, text when not. */
  decodeError(status: number, body: unknown, headers?: Headers): GatewayError
  /** Present where the dialect has a client side too: caller and vendor may then both speak it. */
  readonly patches?: DialectPatches
  /**
   * Where the answer to a request, or a frame of it, names what the vendor keeps from then on.
   * @param body as it went up. @returns undefined where nothing of it is kept.
   */
  answerState?(body: JsonObject): StateShape | undefined
}

/** One chat wire format, both sides. It knows no URL, no key, no price, and no other dialect. */
export interface ChatDialect extends ClientDialect, UpstreamDialect {
  readonly patches: DialectPatches
}
