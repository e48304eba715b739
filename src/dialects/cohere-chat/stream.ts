import type { ChatEvent, ChatRequest } from "../../canon/chat.ts"
import type { EventDecoder, SseFrame } from "../../canon/dialect.ts"
import { extraOf } from "../../canon/extra.ts"
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  objectAt,
  textAt,
  unknownFields,
} from "../../canon/json.ts"
import { OtherContent } from "../../canon/other-content.ts"
import { errorEvent } from "../shared/errors.ts"
import { failedGeneration, finishEvent } from "../shared/finish.ts"
import { mintCallId } from "../shared/identifiers.ts"
import { isDoneMark, parseFrame, startedTwice } from "../shared/stream.ts"
import { checkToolCalls } from "../shared/choices.ts"
import { decodeCitation } from "./citations.ts"
import { decodeErrorEvent } from "./errors.ts"
import { decodeFinish, FAILED } from "./finish.ts"
import { DIALECT } from "./identifiers.ts"
import { NO_ARGUMENTS } from "./tools.ts"
import { decodeUsage } from "./usage.ts"

/** The index of the only choice in Cohere's responses. */
const CHOICE = 0

/** The members of content that events represent. */
const CONTENT_FIELDS: ReadonlySet<string> = new Set(["type", "text", "thinking"])

/** A call that is being streamed. */
interface OpenCall {
  /** The number of the call in the canon's events. */
  readonly call: number
  /**
   * Arguments that are held back because they may still be Cohere's value for a call without arguments; undefined once
   * they are sent.
   */
  held: string | undefined
}

/** Creates a decoder for one stream of `/v2/chat` (docs/contribute/wire/cohere-chat.md#f4). */
export function decodeEvents(request?: ChatRequest): EventDecoder {
  return new MessageDecoder(request)
}

class MessageDecoder implements EventDecoder {
  readonly other = new OtherContent()
  readonly #request: ChatRequest | undefined
  readonly #calls = new Map<JsonValue | undefined, OpenCall>()
  #callCount = 0
  #isStarted = false
  #finished = false

  constructor(request: ChatRequest | undefined) {
    this.#request = request
  }

  /** Whether the stream has ended. `message-end` is the last event. The `[DONE]` after it may be missing. */
  get finished(): boolean {
    return this.#finished
  }

  push(frame: SseFrame): ChatEvent[] {
    if (isDoneMark(frame) || (frame.json === undefined && frame.data === "")) return []
    const chunk = frame.json ?? parseFrame(frame)
    const message = messageOf(chunk)
    const events: ChatEvent[] = []
    switch (chunk.type ?? frame.event) {
      case "message-start":
        if (this.#isStarted) throw startedTwice("message")
        this.#isStarted = true
        onStart(chunk, events)
        break
      case "content-start":
      case "content-delta":
        onContent(chunk, message, events)
        if (isJsonObject(message?.content)) {
          this.other.json(unknownFields(message.content, CONTENT_FIELDS))
        }
        break
      case "tool-plan-delta":
        onReasoning(message?.tool_plan, events)
        break
      case "tool-call-start":
        this.#onCallStart(chunk, message, events)
        break
      case "tool-call-delta":
        this.#onArguments(chunk.index, callOf(message), events)
        break
      case "citation-start":
        this.other.json(message?.citations)
        onCitation(message, events)
        break
      case "message-end":
        this.#onEnd(objectAt(chunk, "delta") ?? {}, events)
        break
      case undefined:
      case "error":
        if (textAt(chunk, "message") !== undefined) events.push(decodeErrorEvent(chunk))
        break
      default:
        // The delta at the end of a block is empty. The delta of an unknown event may contain content.
        this.other.json(chunk.delta)
    }
    return events
  }

  end(): ChatEvent[] {
    return []
  }

  #onCallStart(chunk: JsonObject, message: JsonObject | undefined, events: ChatEvent[]): void {
    const called = callOf(message)
    const open: OpenCall = { call: this.#callCount++, held: "" }
    checkToolCalls(this.#callCount)
    this.#calls.set(chunk.index, open)
    const id = (called === undefined ? undefined : textAt(called, "id")) ?? mintCallId()
    const name = textAt(objectAt(called ?? {}, "function") ?? {}, "name") ?? ""
    events.push({ type: "tool-call-start", choice: CHOICE, call: open.call, id, name })
    this.#onArguments(chunk.index, called, events)
  }

  /**
   * Handles a chunk of arguments. Arguments that are `null` or empty mean a call without arguments
   * (docs/contribute/wire/README.md#f3).
   */
  #onArguments(
    index: JsonValue | undefined,
    called: JsonObject | undefined,
    events: ChatEvent[],
  ): void {
    const open = this.#calls.get(index)
    const written = called === undefined ? undefined : objectAt(called, "function")?.arguments
    if (open === undefined || typeof written !== "string" || written === "") return
    let text = written
    if (open.held !== undefined) {
      text = open.held + written
      if (NO_ARGUMENTS.startsWith(text)) {
        open.held = text
        return
      }
      open.held = undefined
    }
    events.push({ type: "tool-call-delta", choice: CHOICE, call: open.call, arguments: text })
  }

  #onEnd(delta: JsonObject, events: ChatEvent[]): void {
    const usage = decodeUsage(delta.usage)
    if (delta.finish_reason === FAILED) {
      if (usage !== undefined) events.push({ type: "usage", usage })
      const message = textAt(delta, "error") ?? failedGeneration().message
      events.push(errorEvent({ message, code: FAILED }))
      return
    }
    this.#finished = true
    const finish = decodeFinish(delta.finish_reason, this.#callCount > 0, this.#request)
    events.push(finishEvent(CHOICE, finish))
    if (usage !== undefined) events.push({ type: "usage", usage })
  }
}

function messageOf(chunk: JsonObject): JsonObject | undefined {
  const { delta } = chunk
  return isJsonObject(delta) && isJsonObject(delta.message) ? delta.message : undefined
}

/** Returns the call of an event. In events about a call, `tool_calls` is the call itself and not a list (recorded). */
function callOf(message: JsonObject | undefined): JsonObject | undefined {
  return isJsonObject(message?.tool_calls) ? message.tool_calls : undefined
}

function onStart(chunk: JsonObject, events: ChatEvent[]): void {
  const id = textAt(chunk, "id")
  events.push(id === undefined ? { type: "start" } : { type: "start", id })
}

function onContent(chunk: JsonObject, message: JsonObject | undefined, events: ChatEvent[]): void {
  const content = message?.content
  const isThought = isJsonObject(content) && typeof content.thinking === "string"
  if (isJsonObject(content)) {
    onReasoning(content.thinking, events)
    const { text } = content
    if (typeof text === "string" && text !== "") {
      events.push({ type: "text-delta", choice: CHOICE, text })
    }
  }
  // Only log probabilities of text that the caller receives are reported.
  if (isJsonObject(chunk.logprobs) && !isThought) {
    const extra = extraOf(DIALECT, { logprobs: [chunk.logprobs] })
    events.push({ type: "choice-extra", choice: CHOICE, extra })
  }
}

function onReasoning(text: JsonValue | undefined, events: ChatEvent[]): void {
  if (typeof text !== "string" || text === "") return
  events.push({ type: "reasoning-delta", choice: CHOICE, text })
}

function onCitation(message: JsonObject | undefined, events: ChatEvent[]): void {
  const cited = message?.citations
  if (!isJsonObject(cited)) return
  for (const citation of decodeCitation(cited)) {
    events.push({ type: "citation", choice: CHOICE, citation })
  }
}
