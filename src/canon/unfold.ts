import type { ChatEvent, ChatResult, Choice } from "./chat.ts"
import type { Extra } from "./extra.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "./json.ts"
import type { Part } from "./message.ts"
import { piecesOfString } from "./sliced-json-text.ts"

/** Maximum characters of text in one event. */
const MAX_TEXT = 64 * 1024
/** Maximum number of log probabilities in one event. */
const MAX_TOKENS = 1_000

type Events = Generator<ChatEvent, undefined>

/** Splits a complete response into events. Parts without an event are omitted. */
export function* eventsOf({ choices, usage, ...head }: ChatResult): Events {
  yield { type: "start", ...head }
  for (const choice of choices) yield* eventsOfChoice(choice)
  if (usage !== undefined) yield { type: "usage", usage }
}

function* eventsOfChoice({ index: choice, parts, ...end }: Choice): Events {
  let calls = 0
  for (const part of parts) {
    if (part.type !== "tool-call") yield* eventsOfPart(choice, part)
    else {
      const { id, name, origin, arguments: written } = part
      const call = calls++
      const opening = { type: "tool-call-start", choice, call, id, name } as const
      yield origin === undefined ? opening : { ...opening, origin }
      yield* partsOf({ type: "tool-call-delta", choice, call, arguments: written })
    }
  }
  const { finish: reason, rawFinish, stopSequence, extra } = end
  if (extra !== undefined) yield* eventsOfExtra(choice, extra)
  yield {
    type: "finish",
    choice,
    reason,
    ...(rawFinish !== undefined && { rawReason: rawFinish }),
    ...(stopSequence !== undefined && { stopSequence }),
  }
}

function* eventsOfPart(choice: number, part: Part): Events {
  switch (part.type) {
    case "text":
      yield* partsOf({ type: "text-delta", choice, text: part.text })
      for (const citation of part.citations ?? []) yield { type: "citation", choice, citation }
      break
    case "refusal":
      yield* partsOf({ type: "refusal-delta", choice, text: part.text })
      break
    case "reasoning": {
      const { text, signature, signedBy, isRedacted, id, extra } = part
      if (text !== "") yield* partsOf({ type: "reasoning-delta", choice, text })
      if (signature === undefined || signedBy === undefined) return
      yield {
        type: "reasoning-signature",
        choice,
        signature,
        signedBy,
        ...(id !== undefined && { id }),
        ...(isRedacted !== undefined && { isRedacted }),
        ...(extra !== undefined && { extra }),
      }
      break
    }
    case "image":
    case "audio":
      yield { type: "media", choice, media: part }
      break
    case "unknown":
      yield { type: "choice-extra", choice, extra: part.extra }
      break
    case "web-search":
      yield { type: "web-search", choice, search: part }
      break
    default:
  }
}

/** Returns whether `partsOf` divides an event. */
export function isLong(event: ChatEvent): boolean {
  return textOf(event).length > MAX_TEXT
}

/** Divides an event with long text. Every other event is its only part. */
export function* partsOf(event: ChatEvent): Events {
  for (const text of piecesOfString(textOf(event), MAX_TEXT)) yield withText(event, text)
}

/** Returns the text of an event that can be divided; empty for every other event. */
function textOf(event: ChatEvent): string {
  if (event.type === "tool-call-delta") return event.arguments
  return "text" in event ? event.text : ""
}

function withText(event: ChatEvent, text: string): ChatEvent {
  if (event.type === "tool-call-delta") return { ...event, arguments: text }
  return "text" in event ? { ...event, text } : event
}

/** Splits log probabilities, because there is one for each token of the response. */
function* eventsOfExtra(choice: number, extra: Extra): Events {
  const { logprobs, ...others } = extra.fields
  const { dialect } = extra
  let isFirst = true
  for (const slice of slicesOf(logprobs)) {
    const rest = isFirst ? others : {}
    isFirst = false
    yield { type: "choice-extra", choice, extra: { dialect, fields: { ...rest, logprobs: slice } } }
  }
  if (isFirst) yield { type: "choice-extra", choice, extra }
}

/** Yields slices of a long list, or of the long lists of an object. Yields nothing for other values. */
function* slicesOf(logprobs: JsonValue | undefined): Generator<JsonValue, undefined> {
  if (Array.isArray(logprobs)) {
    if (logprobs.length <= MAX_TOKENS) return
    for (let start = 0; start < logprobs.length; start += MAX_TOKENS) {
      yield logprobs.slice(start, start + MAX_TOKENS)
    }
  } else if (isJsonObject(logprobs)) {
    const short: JsonObject = {}
    let hasSlices = false
    for (const name in logprobs) {
      const list = logprobs[name]
      const slices = [...slicesOf(Array.isArray(list) ? list : undefined)]
      if (slices.length === 0) short[name] = list
      for (const slice of slices) yield { [name]: slice }
      hasSlices ||= slices.length > 0
    }
    if (hasSlices && Object.keys(short).length > 0) yield short
  }
}
