import type {
  DialectPatches,
  EncodedRequest,
  FramePatcher,
  PatchedFrame,
  RequestPatch,
  ResultPatch,
  SseFrame,
} from "../../../canon/dialect.ts"
import type { GatewayError } from "../../../canon/errors.ts"
import {
  isJsonObject,
  isDefined,
  type JsonObject,
  type JsonValue,
  listAt,
  objectAt,
  textAt,
} from "../../../canon/json.ts"
import { LossList } from "../../shared/losses.ts"
import { encodeStreamError } from "../errors.ts"
import { ownFinish } from "../finish.ts"
import { DIALECT } from "../identifiers.ts"
import { isCleared } from "../messages/decode-system.ts"
import { mayThink } from "../messages/encode.ts"
import { completeMessage, completeStart } from "./complete.ts"
import { type AnthropicQuirks, quirksOf } from "../quirks.ts"
import { fitBudget } from "../reasoning.ts"
import { LAST_FRAME } from "../stream/encode.ts"
import { withStartCounts } from "../usage.ts"

/** The named patches for when caller and vendor both use this dialect. */
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

/** The caller's body is not modified. */
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

/** A limit that the gateway lowers must stay above the thinking budget. */
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
 * A turn that another vendor's model started without thinking has to end that way
 * (docs/contribute/wire/anthropic-messages.md#f4).
 */
function dropLateBudget(body: JsonObject, losses: LossList): void {
  const { thinking } = body
  if (!isJsonObject(thinking) || thinking.type !== "enabled") return
  if (mayThink(listAt(body, "messages").filter(isJsonObject))) return
  delete body.thinking
  losses.add("reasoning_budget")
}

/** Anthropic accepts instructions in mid-conversation, but not at its start: those become `system`. */
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

/** Plain text needs no list of blocks. */
function blocksOf(content: JsonValue | undefined): JsonValue[] {
  if (Array.isArray(content)) return content
  return typeof content === "string" && content !== "" ? [{ type: "text", text: content }] : []
}

/** The meter reads the same frames, so their objects are not modified. */
class MessagePatcher implements FramePatcher {
  readonly #model: string
  #isStarted = false
  #hasCalls = false
  /** The counts at the start, if there were any. */
  #start: JsonObject | undefined

  constructor({ model }: ResultPatch) {
    this.#model = model
  }

  push(frame: SseFrame): PatchedFrame {
    const { json, data } = frame
    if (json === undefined) {
      return frame.event === "error"
        ? { action: "forward", event: "error", data }
        : { action: "withhold", data }
    }
    const event = frame.event ?? eventName(json)
    switch (json.type) {
      case "message_start":
        return this.#onStart(json, event, data)
      case "content_block_start":
        this.#hasCalls ||= objectAt(json, "content_block")?.type === "tool_use"
        return { action: "forward", event, data }
      case "message_delta":
        return { action: "forward", event, data, usageCarrier: this.#ending(json) }
      case "message_stop":
        return { action: "last", event, data }
      case "ping":
        return { action: "forward", event, data, isAside: true }
      default:
        return { action: isEvent(frame) ? "forward" : "withhold", event, data }
    }
  }

  end(): SseFrame[] {
    return [LAST_FRAME]
  }

  fail(error: GatewayError, requestId: string): SseFrame[] {
    return encodeStreamError(error, requestId)
  }

  /** It is serialized from the object, with the cost. */
  #ending(json: JsonObject): JsonObject {
    const delta = objectAt(json, "delta")
    const usage = objectAt(json, "usage")
    const isCounted = usage !== undefined || this.#start !== undefined
    const written = isCounted
      ? { ...json, usage: withStartCounts(usage ?? {}, this.#start ?? {}) }
      : { ...json }
    const word = delta && textAt(delta, "stop_reason")
    const own = ownFinish(word, this.#hasCalls)
    if (own === word) return written
    return { ...written, delta: { stop_sequence: null, ...delta, stop_reason: own } }
  }

  /** Official clients throw on a second start event. */
  #onStart(json: JsonObject, event: string, data: string): PatchedFrame {
    if (this.#isStarted) return { action: "withhold", data }
    this.#isStarted = true
    const message: JsonObject = { ...objectAt(json, "message"), model: this.#model }
    this.#start = objectAt(message, "usage")
    completeStart(message)
    return { action: "forward", event, data: JSON.stringify({ ...json, message }) }
  }
}

/** An event without a type would reach the caller as an error. */
function isEvent({ event, json }: SseFrame): boolean {
  return json?.type !== undefined || json?.error !== undefined || event === "error"
}

/** Official clients ignore an event without its `event:` line (docs/contribute/wire/anthropic-messages.md#f13). */
function eventName(json: JsonObject): string {
  return textAt(json, "type") ?? "error"
}
