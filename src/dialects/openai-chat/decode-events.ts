import type { ChatEvent } from "../../canon/chat.ts"
import type { EventDecoder, SseFrame } from "../../canon/dialect.ts"
import { GatewayError } from "../../canon/errors.ts"
import { isJsonObject, type JsonObject, type JsonValue, parseJsonObject } from "../../canon/json.ts"
import { decodeContentParts } from "./content.ts"
import { errorEvent } from "./errors.ts"
import { decodeFinish } from "./finish.ts"
import { OpenCalls } from "./open-calls.ts"
import { chunkUsage, decodeUsage } from "./usage.ts"
import { type Draft, extraOf, textAt, unknownFields } from "./wire.ts"

type StartEvent = Extract<ChatEvent, { type: "start" }>

/** Members of a chunk that are no news about the answer as a whole, or only pad it. */
const CHUNK_FIELDS = new Set([
  "id",
  "object",
  "created",
  "model",
  "choices",
  "usage",
  "x_groq",
  "obfuscation",
  "p",
])

interface ChoiceState {
  readonly calls: OpenCalls
  finished: boolean
}

/** A decoder for one stream of chat completion chunks (WIRE.md 2, traps 3, 8 and 9). */
export function decodeEvents(): EventDecoder {
  return new ChunkDecoder()
}

class ChunkDecoder implements EventDecoder {
  readonly #choices = new Map<number, ChoiceState>()
  #started = false
  #finished = false

  get finished(): boolean {
    return this.#finished
  }

  push(frame: SseFrame): ChatEvent[] {
    const events: ChatEvent[] = []
    if (frame.data === "[DONE]") this.#onDone(events)
    else if (frame.json !== undefined) this.#onChunk(frame.json, frame.event, events)
    else if (frame.data !== "") this.#onChunk(parseChunk(frame), frame.event, events)
    return events
  }

  /** A stream whose choices have all finished is whole even when the vendor sends no `[DONE]`. */
  end(): ChatEvent[] {
    const events: ChatEvent[] = []
    let open = this.#choices.size === 0
    for (const [choice, state] of this.#choices) {
      state.calls.announceAll(choice, events)
      if (!state.finished) open = true
    }
    if (!open) this.#finished = true
    return events
  }

  /** Servers that forget to say why a choice ended have still said that all is said. */
  #onDone(events: ChatEvent[]): void {
    this.#finished = true
    for (const [choice, state] of this.#choices) {
      if (state.finished) continue
      onFinish(state.calls.isEmpty ? "" : "tool_calls", state, choice, events)
    }
  }

  #onChunk(chunk: JsonObject, event: string | undefined, events: ChatEvent[]): void {
    if (event === "error" || chunk.error) {
      events.push(errorEvent(chunk))
      return
    }
    const { choices } = chunk
    if (Array.isArray(choices)) {
      if (!this.#started) this.#onStart(chunk, choices.length > 0, events)
      for (let position = 0; position < choices.length; position++) {
        const choice = choices[position]
        if (isJsonObject(choice)) this.#onChoice(choice, position, events)
      }
    }
    if (isJsonObject(chunk.usage) || chunk.x_groq !== undefined) onUsage(chunk, events)
  }

  /** Azure's first chunk has neither id nor model: a later one that has them starts the answer. */
  #onStart(chunk: JsonObject, hasChoices: boolean, events: ChatEvent[]): void {
    const id = textAt(chunk, "id")
    if (id === undefined && !hasChoices) return
    this.#started = true
    const start: Draft<StartEvent> = { type: "start" }
    if (id !== undefined) start.id = id
    const model = textAt(chunk, "model")
    if (model !== undefined) start.model = model
    if (typeof chunk.created === "number") start.created = chunk.created
    const extra = unknownFields(chunk, CHUNK_FIELDS)
    if (extra !== undefined) start.extra = extraOf(extra)
    events.push(start)
  }

  #onChoice(value: JsonObject, position: number, events: ChatEvent[]): void {
    const choice = typeof value.index === "number" ? value.index : position
    const state = this.#stateOf(choice)
    let extra: JsonObject | undefined
    if (isJsonObject(value.delta)) extra = onDelta(value.delta, state, choice, events)
    for (const key in value) {
      if (key === "index" || key === "delta" || key === "finish_reason" || key === "message")
        continue
      const member = value[key]
      if (isWorthKeeping(member)) extra = { ...extra, [key]: member }
    }
    if (extra !== undefined) events.push({ type: "choice-extra", choice, extra: extraOf(extra) })
    if (typeof value.finish_reason === "string" && value.finish_reason !== "" && !state.finished) {
      onFinish(value.finish_reason, state, choice, events)
    }
  }

  #stateOf(choice: number): ChoiceState {
    let state = this.#choices.get(choice)
    if (state === undefined) {
      state = { calls: new OpenCalls(), finished: false }
      this.#choices.set(choice, state)
    }
    return state
  }
}

function parseChunk(frame: SseFrame): JsonObject {
  const chunk = parseJsonObject(frame.data)
  if (chunk !== undefined) return chunk
  if (frame.event === "error") return { error: { message: frame.data } }
  throw new GatewayError(
    "upstream_error",
    "The provider sent a piece of the stream that is not JSON.",
  )
}

function isWorthKeeping(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null) return false
  if (typeof value !== "object") return true
  for (const _ in value) return true
  return false
}

/** @returns members that only this dialect knows, under `message`. */
function onDelta(
  delta: JsonObject,
  state: ChoiceState,
  choice: number,
  events: ChatEvent[],
): JsonObject | undefined {
  let message: JsonObject | undefined
  for (const key in delta) {
    const value = delta[key]
    if (value === null || value === undefined || value === "") continue
    switch (key) {
      case "role":
      case "index":
        break
      case "content":
        onContent(value, choice, events)
        break
      case "reasoning_content":
        onReasoning(value, choice, events)
        break
      case "reasoning":
        // A server that writes both names says the same under each.
        if (!delta.reasoning_content) onReasoning(value, choice, events)
        break
      case "reasoning_details":
        message = withKeptDetails(message, onReasoningDetails(delta, choice, events))
        break
      case "refusal":
        if (typeof value === "string") events.push({ type: "refusal-delta", choice, text: value })
        break
      case "tool_calls":
        if (Array.isArray(value)) {
          for (const call of value) {
            if (isJsonObject(call)) state.calls.push(call, choice, events)
          }
        }
        break
      case "function_call":
        if (isJsonObject(value)) state.calls.push({ index: 0, function: value }, choice, events)
        break
      default:
        if (isWorthKeeping(value)) message = { ...message, [key]: value }
    }
  }
  return message === undefined ? undefined : { message }
}

function onContent(value: JsonValue, choice: number, events: ChatEvent[]): void {
  if (typeof value === "string") {
    events.push({ type: "text-delta", choice, text: value })
    return
  }
  for (const part of decodeContentParts(value)) {
    const type = part.type === "text" ? "text-delta" : "reasoning-delta"
    events.push({ type, choice, text: part.text })
  }
}

function onReasoning(value: JsonValue, choice: number, events: ChatEvent[]): void {
  if (typeof value === "string") events.push({ type: "reasoning-delta", choice, text: value })
}

/** OpenRouter's details: text repeats `reasoning`; a signature is the canon's; the rest is kept. */
function onReasoningDetails(delta: JsonObject, choice: number, events: ChatEvent[]): JsonValue[] {
  if (!Array.isArray(delta.reasoning_details)) return []
  const isTold = textAt(delta, "reasoning") ?? textAt(delta, "reasoning_content")
  const kept: JsonValue[] = []
  for (const detail of delta.reasoning_details) {
    if (!isJsonObject(detail)) continue
    const text = textAt(detail, "text") ?? textAt(detail, "summary")
    if (isTold === undefined && text !== undefined) {
      events.push({ type: "reasoning-delta", choice, text })
    }
    const signature = textAt(detail, "signature")
    if (signature !== undefined) events.push({ type: "reasoning-signature", choice, signature })
    if (detail.type !== "reasoning.text" && detail.type !== "reasoning.summary") kept.push(detail)
  }
  return kept
}

function withKeptDetails(
  message: JsonObject | undefined,
  details: JsonValue[],
): JsonObject | undefined {
  return details.length === 0 ? message : { ...message, reasoning_details: details }
}

function onFinish(word: string, state: ChoiceState, choice: number, events: ChatEvent[]): void {
  state.finished = true
  state.calls.announceAll(choice, events)
  const { reason, raw } = decodeFinish(word, !state.calls.isEmpty)
  events.push(
    raw === undefined
      ? { type: "finish", choice, reason }
      : { type: "finish", choice, reason, rawReason: raw },
  )
}

function onUsage(chunk: JsonObject, events: ChatEvent[]): void {
  const usage = decodeUsage(chunkUsage(chunk))
  if (usage !== undefined) events.push({ type: "usage", usage })
}
