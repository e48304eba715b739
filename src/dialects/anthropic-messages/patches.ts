import type {
  DialectPatches,
  EncodedRequest,
  FramePatcher,
  PatchedFrame,
  RequestPatch,
  ResultPatch,
  SseFrame,
} from "../../canon/dialect.ts"
import type { GatewayError } from "../../canon/errors.ts"
import {
  isJsonObject,
  isDefined,
  type JsonObject,
  type JsonValue,
  listAt,
  objectAt,
  textAt,
} from "../../canon/json.ts"
import { LossList } from "../shared/losses.ts"
import { encodeStreamError } from "./errors.ts"
import { ownFinish } from "./finish.ts"
import { DIALECT, ID_PREFIX } from "./identifiers.ts"
import { isCleared } from "./messages/decode-system.ts"
import { mayThink } from "./messages/encode.ts"
import { type AnthropicQuirks, quirksOf } from "./quirks.ts"
import { fitBudget } from "./reasoning.ts"
import { LAST_FRAME } from "./stream/encode.ts"
import {
  eventWithoutOperatorData,
  withoutCost,
  withoutOperatorData,
  removeOperatorData,
} from "../shared/vendor-costs.ts"
import { withStartCounts, withCounts } from "./usage.ts"
import { prefixedId } from "../shared/identifiers.ts"

/** Creates the patches that apply if caller and vendor both use this dialect. */
export function createPatches(quirks: AnthropicQuirks): DialectPatches {
  return {
    request: (body, patch) => patchRequest(body, patch, quirks),
    result: (body, patch) => {
      body.model = patch.model
      completeMessage(body)
    },
    frames: (patch) => new MessagePatcher(patch),
  }
}

/** Returns the patched request. The caller's body is not modified. */
function patchRequest(body: JsonObject, patch: RequestPatch, all: AnthropicQuirks): EncodedRequest {
  const losses = new LossList(DIALECT)
  const patched: JsonObject = { ...body, model: patch.model }
  // Anthropic rejects a null value although it accepts an absent field.
  for (const name in patched) if (patched[name] === null) delete patched[name]
  if (patch.maxTokens !== undefined) {
    patched.max_tokens = patch.maxTokens
    lowerBudget(patched, patch.maxTokens, losses)
  }
  dropLateBudget(patched, losses)
  raiseSystem(patched)
  const { temperatureWithTopP } = quirksOf(patch.model, all)
  if (!temperatureWithTopP && isDefined(body.temperature) && isDefined(body.top_p)) {
    delete patched.top_p
    losses.add("top_p")
  }
  return { body: patched, losses: losses.losses }
}

/** Lowers the thinking budget so that it stays below a limit that the gateway has lowered. */
function lowerBudget(body: JsonObject, maxTokens: number, losses: LossList): void {
  const { thinking } = body
  if (!isJsonObject(thinking) || typeof thinking.budget_tokens !== "number") return
  const budget = fitBudget(thinking.budget_tokens, maxTokens)
  if (budget === thinking.budget_tokens) return
  losses.add("reasoning_budget", "approximated")
  if (budget === undefined) delete body.thinking
  else body.thinking = { ...thinking, budget_tokens: budget }
}

/**
 * Drops the budget if the current turn started without thinking, such as a turn of another vendor's model. The turn
 * then has to end without thinking (docs/contribute/wire/anthropic-messages.md#f4).
 */
function dropLateBudget(body: JsonObject, losses: LossList): void {
  const { thinking } = body
  if (!isJsonObject(thinking) || thinking.type !== "enabled") return
  if (mayThink(listAt(body, "messages").filter(isJsonObject))) return
  delete body.thinking
  losses.add("reasoning_budget")
}

/**
 * Moves instructions from the start of the conversation to `system`. Anthropic accepts instructions within the
 * conversation, but not at its start.
 */
function raiseSystem(body: JsonObject): void {
  const messages = listAt(body, "messages")
  if (!isSystem(messages[0])) return
  const first = messages.findIndex((message) => !isSystem(message))
  const count = first === -1 ? messages.length : first
  const contents = messages
    .slice(0, count)
    .filter((_, index) => !isCleared(messages, index))
    .map((message) => (message as JsonObject).content)
  body.messages = messages.slice(count)
  body.system = [body.system, ...contents].flatMap(blocksOf)
}

function isSystem(message: JsonValue | undefined): boolean {
  return isJsonObject(message) && message.role === "system"
}

/** Returns content as blocks. Plain text is not a list. */
function blocksOf(content: JsonValue | undefined): JsonValue[] {
  if (Array.isArray(content)) return content
  return typeof content === "string" && content !== "" ? [{ type: "text", text: content }] : []
}

/** Patches the frames of a stream. Objects of the frames are not modified, because the same frames are also metered. */
class MessagePatcher implements FramePatcher {
  readonly #model: string
  #isStarted = false
  #hasCalls = false
  /** The counts at the start of the stream, if the vendor sent any. */
  #start: JsonObject | undefined

  constructor({ model }: ResultPatch) {
    this.#model = model
  }

  push(frame: SseFrame): PatchedFrame {
    const { json } = frame
    if (json === undefined) {
      const { data } = frame
      return frame.event === "error"
        ? { action: "forward", event: "error", data }
        : { action: "withhold", data }
    }
    const written = eventWithoutOperatorData(json, frame.data)
    const event = frame.event ?? eventName(json)
    switch (json.type) {
      case "message_start":
        return this.#onStart(json, event, frame.data)
      case "content_block_start":
        this.#hasCalls ||= objectAt(json, "content_block")?.type === "tool_use"
        return { action: "forward", event, ...written }
      case "message_delta":
        return { action: "forward", event, ...written, usageCarrier: this.#ending(json) }
      case "message_stop":
        return { action: "last", event, ...written }
      case "ping":
        return { action: "forward", event, ...written, isAside: true }
      default:
        return { action: isEvent(frame) ? "forward" : "withhold", event, ...written }
    }
  }

  end(): SseFrame[] {
    return [LAST_FRAME]
  }

  fail(error: GatewayError, requestId: string): SseFrame[] {
    return encodeStreamError(error, requestId)
  }

  /** Returns the event that ends the message. Its frame is serialized later, with the cost. */
  #ending(given: JsonObject): JsonObject {
    const json = withoutOperatorData(given)
    const delta = objectAt(json, "delta")
    const usage = objectAt(json, "usage")
    const isCounted = usage !== undefined || this.#start !== undefined
    const written = isCounted
      ? { ...json, usage: withStartCounts(withoutCost(usage ?? {}), this.#start ?? {}) }
      : { ...json }
    const word = delta && textAt(delta, "stop_reason")
    const own = ownFinish(word, this.#hasCalls)
    if (own === word) return written
    return { ...written, delta: { stop_sequence: null, ...delta, stop_reason: own } }
  }

  /** Patches the start event. A second start event is withheld, because official clients throw on it. */
  #onStart(json: JsonObject, event: string, data: string): PatchedFrame {
    if (this.#isStarted) return { action: "withhold", data }
    this.#isStarted = true
    const given = withoutOperatorData(objectAt(json, "message") ?? {})
    const message: JsonObject = { ...given, model: this.#model }
    this.#start = objectAt(message, "usage")
    completeStart(message)
    return {
      action: "forward",
      event,
      data: JSON.stringify({ ...withoutOperatorData(json), message }),
    }
  }
}

/** Whether a frame is an event or an error. A client would treat an event without a type as an error. */
function isEvent({ event, json }: SseFrame): boolean {
  return json?.type !== undefined || json?.error !== undefined || event === "error"
}

/**
 * Returns the value of the `event:` line. Official clients ignore an event without this line
 * (docs/contribute/wire/anthropic-messages.md#f13).
 */
function eventName(json: JsonObject): string {
  return textAt(json, "type") ?? "error"
}

/**
 * Adds, in place, the members that the specification guarantees in a whole message. For a complete message, it only
 * checks a few members.
 */
function completeMessage(message: JsonObject): void {
  removeOperatorData(message)
  completeHead(message)
  const content = Array.isArray(message.content) ? message.content : []
  message.stop_reason = ownFinish(
    textAt(message, "stop_reason"),
    content.some((block) => isJsonObject(block) && block.type === "tool_use"),
  )
  message.stop_sequence ??= null
  const usage = objectAt(message, "usage")
  if (usage !== undefined) message.usage = withCounts({ ...NO_COUNTS, ...usage })
}

/** Completes the message at the start of a stream, which is still empty. */
function completeStart(message: JsonObject): void {
  completeHead(message)
  message.content ??= []
  message.stop_reason ??= null
  message.stop_sequence ??= null
  // Official clients write the final counts into these members.
  message.usage = withCounts({ ...NO_COUNTS, ...withoutCost(objectAt(message, "usage") ?? {}) })
}

const NO_COUNTS = { input_tokens: 0, output_tokens: 0 }

function completeHead(message: JsonObject): void {
  message.id = prefixedId(ID_PREFIX, textAt(message, "id"))
  message.type = "message"
  message.role = "assistant"
}
