import { checkEntries } from "./response-limits.ts"
import { assertNever } from "./assert-never.ts"
import type { ChatEvent, ChatResult, Choice } from "./chat.ts"
import { JoinedAudio } from "./audio-pieces.ts"
import type {
  AudioPart,
  Citation,
  ImagePart,
  Part,
  ReasoningPart,
  RefusalPart,
  TextPart,
  ToolCallPart,
} from "./message.ts"
import type { Writable } from "./writable.ts"
import { MergedExtra } from "./extra.ts"

interface OpenChoice {
  readonly parts: Writable<Part>[]
  readonly calls: Map<number, Writable<ToolCallPart>>
  /** Whether a signature has ended the current reasoning, so that later reasoning starts a new block. */
  isSigned: boolean
  finish: Extract<ChatEvent, { type: "finish" }> | undefined
  readonly extra: MergedExtra
  /** The last text part. Further text and citations are appended to it in place. */
  text: Writable<TextPart> | undefined
  citations: Citation[]
  /** Audio clips by their first piece, which represents the clip until the response is complete. */
  readonly clips: Map<Part, JoinedAudio>
}

/**
 * Folds a stream of events into a complete response. Each usage report includes the earlier ones, so only the last
 * report is used.
 */
export class ResponseFold {
  readonly #result: Writable<ChatResult> = { choices: [] }
  readonly #choices = new Map<number, OpenChoice>()
  #parts = 0
  #citations = 0

  /**
   * Adds an event.
   * @throws GatewayError `upstream_error` if the stream broke, because the response is then incomplete, or if there are
   * more parts or citations than a response can have.
   */
  push(event: ChatEvent): void {
    switch (event.type) {
      case "start":
        onStart(event, this.#result)
        break
      case "usage":
        this.#result.usage = event.usage
        break
      case "error":
        throw event.failure
      default:
        this.#onChoiceEvent(event, choiceOf(this.#choices, event.choice))
    }
  }

  #onChoiceEvent(event: ChoiceEvent, choice: OpenChoice): void {
    const before = choice.parts.length
    onChoiceEvent(event, choice)
    if (event.type === "citation") checkEntries("citations", ++this.#citations)
    else if (choice.parts.length > before) checkEntries("parts", ++this.#parts)
  }

  end(): ChatResult {
    const choices = this.#choices
    const indexes = [...choices.keys()].toSorted((left, right) => left - right)
    this.#result.choices = indexes.map((index) => closeChoice(index, choiceOf(choices, index)))
    return this.#result
  }
}

/**
 * Folds a stream into a complete response.
 * @throws GatewayError under the same conditions as `ResponseFold`.
 */
export function foldEvents(events: Iterable<ChatEvent>): ChatResult {
  const fold = new ResponseFold()
  for (const event of events) fold.push(event)
  return fold.end()
}

type ChoiceEvent = Extract<ChatEvent, { choice: number }>

function onStart(event: Extract<ChatEvent, { type: "start" }>, result: Writable<ChatResult>): void {
  if (event.id !== undefined) result.id = event.id
  if (event.model !== undefined) result.model = event.model
  if (event.created !== undefined) result.created = event.created
  if (event.extra !== undefined) result.extra = event.extra
}

function onChoiceEvent(event: ChoiceEvent, choice: OpenChoice): void {
  switch (event.type) {
    case "text-delta":
      onText("text", event.text, choice)
      break
    case "refusal-delta":
      onText("refusal", event.text, choice)
      break
    case "reasoning-delta":
      onText("reasoning", event.text, choice)
      break
    case "reasoning-signature":
      onSignature(event, choice)
      break
    case "citation":
      onCitation(event.citation, choice)
      break
    case "tool-call-start": {
      const { call, id, name, origin } = event
      const part: Writable<ToolCallPart> = { type: "tool-call", id, name, arguments: "" }
      if (origin !== undefined) part.origin = origin
      choice.calls.set(call, part)
      choice.parts.push(part)
      break
    }
    case "tool-call-delta": {
      const part = choice.calls.get(event.call)
      if (part !== undefined) part.arguments += event.arguments
      break
    }
    case "media":
      onMedia(event.media, choice)
      break
    case "web-search":
      choice.parts.push(event.search)
      break
    case "choice-extra":
      choice.extra.add(event.extra)
      break
    case "finish":
      choice.finish = event
      break
    default:
      assertNever(event)
  }
}

function choiceOf(choices: Map<number, OpenChoice>, index: number): OpenChoice {
  let choice = choices.get(index)
  if (choice === undefined) {
    choice = {
      parts: [],
      calls: new Map(),
      isSigned: false,
      finish: undefined,
      extra: new MergedExtra(),
      text: undefined,
      citations: [],
      clips: new Map(),
    }
    choices.set(index, choice)
  }
  return choice
}

type WrittenPart = TextPart | RefusalPart | ReasoningPart

function onText(type: WrittenPart["type"], text: string, choice: OpenChoice): void {
  if (text === "") return
  const last = choice.parts.at(-1)
  const isSigned = type === "reasoning" && choice.isSigned
  if (last?.type === type && !isSigned) last.text += text
  else beginText(type, text, choice)
  choice.isSigned = false
}

function beginText(type: WrittenPart["type"], text: string, choice: OpenChoice): void {
  const part: Writable<WrittenPart> = { type, text }
  choice.parts.push(part)
  if (part.type !== "text") return
  choice.text = part
  choice.citations = []
}

type SignatureEvent = Extract<ChatEvent, { type: "reasoning-signature" }>

/**
 * Adds a signature. It replaces an earlier signature of the same reasoning
 * (docs/contribute/wire/anthropic-messages.md#f8).
 */
function onSignature(event: SignatureEvent, choice: OpenChoice): void {
  const { signature, signedBy, isRedacted, id, extra } = event
  const signed: Writable<ReasoningPart> = { type: "reasoning", text: "", signature, signedBy }
  if (isRedacted !== undefined) signed.isRedacted = isRedacted
  if (id !== undefined) signed.id = id
  if (extra !== undefined) signed.extra = extra
  const last = choice.parts.at(-1)
  const isSame = last?.type === "reasoning" && !last.isRedacted && !isRedacted
  if (isSame && (!choice.isSigned || last.id === id))
    Object.assign(last, { ...signed, text: last.text })
  else choice.parts.push(signed)
  choice.isSigned = true
}

function onMedia(media: ImagePart | AudioPart, { parts, clips }: OpenChoice): void {
  const last = parts.at(-1)
  const clip = last && clips.get(last)
  if (media.type === "audio" && clip !== undefined) {
    clip.add(media)
    return
  }
  const part = { ...media }
  parts.push(part)
  if (part.type === "audio") clips.set(part, new JoinedAudio(part))
}

function onCitation(citation: Citation, { text, citations }: OpenChoice): void {
  if (text === undefined) return
  citations.push(citation)
  text.citations = citations
}

function closeChoice(index: number, open: OpenChoice): Choice {
  for (const call of open.calls.values()) call.arguments ||= "{}"
  const { clips, finish } = open
  const extra = open.extra.whole
  const parts = clips.size === 0 ? open.parts : open.parts.map((part) => wholeClip(part, clips))
  const choice: Writable<Choice> = { index, parts, finish: finish?.reason ?? "other" }
  if (finish?.rawReason !== undefined) choice.rawFinish = finish.rawReason
  if (finish?.stopSequence !== undefined) choice.stopSequence = finish.stopSequence
  if (extra !== undefined) choice.extra = extra
  return choice
}

function wholeClip(part: Part, clips: OpenChoice["clips"]): Part {
  return clips.get(part)?.whole ?? part
}
