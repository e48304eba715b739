import type { ChatEvent, ChatResult, Choice } from "../../canon/chat.ts"
import type { EventDecoder, SseFrame } from "../../canon/dialect.ts"
import type { Part } from "../../canon/message.ts"
import type { OtherContent } from "../../canon/other-content.ts"
import { WRAPPER_MEMBER } from "./fit-schema.ts"

/**
 * How the response to a fitted request is converted to a response to the caller's request. Without members, nothing has
 * to be converted.
 */
export interface Restoration {
  /** The caller's name for each tool name that was sent. */
  readonly toolNames?: ReadonlyMap<string, string>
  /** The name of the tool whose arguments are the response. */
  readonly answerTool?: string
  /** Whether the response is the only member of an object. */
  readonly isWrapped?: boolean
}

/** The text of a response whose call has no arguments. */
const NO_ARGUMENTS = "{}"

export class RestoringDecoder implements EventDecoder {
  readonly #decoder: EventDecoder
  readonly #restoration: Restoration
  readonly #choices = new Map<number, ChoiceRestoring>()

  constructor(decoder: EventDecoder, restoration: Restoration) {
    this.#decoder = decoder
    this.#restoration = restoration
  }

  get finished(): boolean {
    return this.#decoder.finished
  }

  get other(): OtherContent {
    return this.#decoder.other
  }

  push(frame: SseFrame): ChatEvent[] {
    return this.#restored(this.#decoder.push(frame))
  }

  end(): ChatEvent[] {
    const events = this.#restored(this.#decoder.end())
    for (const choice of this.#choices.values()) events.push(...choice.release())
    return events
  }

  #restored(events: readonly ChatEvent[]): ChatEvent[] {
    return events.flatMap((event) => {
      if (!("choice" in event)) return [event]
      let restoring = this.#choices.get(event.choice)
      if (restoring === undefined) {
        restoring = new ChoiceRestoring(event.choice, this.#restoration)
        this.#choices.set(event.choice, restoring)
      }
      return restoring.push(event)
    })
  }
}

/** Restores a whole response. */
export function restoredResult(result: ChatResult, restoration: Restoration): ChatResult {
  return { ...result, choices: result.choices.map((choice) => restoredChoice(choice, restoration)) }
}

function restoredChoice(choice: Choice, restoration: Restoration): Choice {
  const { answerTool, isWrapped, toolNames } = restoration
  const response = choice.parts.find((part) => isCallOf(part, answerTool))
  const wrapped = isWrapped === true ? new WrappedText() : undefined
  const parts: Part[] = []
  for (const part of choice.parts) {
    if (part === response && part.type === "tool-call") {
      const written = part.arguments || NO_ARGUMENTS
      parts.push({ type: "text", text: wrapped?.whole(written) ?? written })
    } else if (part.type === "tool-call") {
      if (part.name === answerTool) continue
      parts.push({ ...part, name: toolNames?.get(part.name) ?? part.name })
    } else if (part.type !== "text") parts.push(part)
    else if (response === undefined) {
      parts.push(wrapped === undefined ? part : { ...part, text: wrapped.whole(part.text) })
    }
  }
  if (response === undefined || parts.some(({ type }) => type === "tool-call")) {
    return { ...choice, parts }
  }
  const { rawFinish: _, ...rest } = choice
  return { ...rest, parts, finish: finishOf(choice.finish) }
}

function isCallOf(part: Part, name: string | undefined): boolean {
  return name !== undefined && part.type === "tool-call" && part.name === name
}

function finishOf(finish: Choice["finish"]): Choice["finish"] {
  return finish === "tool-calls" ? "stop" : finish
}

type ChoiceEvent = Extract<ChatEvent, { readonly choice: number }>

class ChoiceRestoring {
  readonly #choice: number
  readonly #restoration: Restoration
  readonly #wrapped: WrappedText | undefined
  /** Text before a response that arrives as a call. It is dropped, unless the call never arrives. */
  #held = ""
  /** Numbers of the calls to `answerTool`. The first call is the response, and further calls are dropped. */
  readonly #responses: number[] = []
  #hasResponse = false
  #hasCalls = false

  constructor(choice: number, restoration: Restoration) {
    this.#choice = choice
    this.#restoration = restoration
    if (restoration.isWrapped === true) this.#wrapped = new WrappedText()
  }

  push(event: ChoiceEvent): ChatEvent[] {
    switch (event.type) {
      case "text-delta":
        if (this.#restoration.answerTool === undefined) return this.#text(event.text)
        if (this.#responses.length === 0) this.#held += event.text
        return []
      case "tool-call-start":
        return this.#start(event)
      case "tool-call-delta":
        if (!this.#responses.includes(event.call)) return [this.#numbered(event)]
        if (event.call !== this.#responses[0]) return []
        this.#hasResponse = true
        return this.#text(event.arguments)
      case "finish":
        return this.#finish(event)
      default:
        return [event]
    }
  }

  #start(event: Extract<ChatEvent, { type: "tool-call-start" }>): ChatEvent[] {
    const { answerTool, toolNames } = this.#restoration
    if (event.name === answerTool) {
      this.#held = ""
      this.#responses.push(event.call)
      return []
    }
    this.#hasCalls = true
    const name = toolNames?.get(event.name) ?? event.name
    return [...this.release(), this.#numbered({ ...event, name })]
  }

  /** Changes the number of a call, because calls to `answerTool` are removed. */
  #numbered<Event extends { readonly call: number }>(event: Event): Event {
    const before = this.#responses.filter((call) => call < event.call).length
    return before === 0 ? event : { ...event, call: event.call - before }
  }

  #finish(event: Extract<ChatEvent, { type: "finish" }>): ChatEvent[] {
    const events = this.release()
    if (this.#responses.length > 0 && !this.#hasResponse) events.push(...this.#text(NO_ARGUMENTS))
    const rest = this.#wrapped?.end(event.reason !== "length") ?? ""
    if (rest !== "") events.push(this.#delta(rest))
    if (this.#responses.length === 0 || this.#hasCalls) return [...events, event]
    const { rawReason: _, ...finish } = event
    return [...events, { ...finish, reason: finishOf(event.reason) }]
  }

  /** Returns the held text, if no call with the response has arrived. */
  release(): ChatEvent[] {
    const held = this.#held
    this.#held = ""
    return held === "" ? [] : this.#text(held)
  }

  #text(text: string): ChatEvent[] {
    const unwrapped = this.#wrapped === undefined ? text : this.#wrapped.push(text)
    return unwrapped === "" ? [] : [this.#delta(unwrapped)]
  }

  #delta(text: string): ChatEvent {
    return { type: "text-delta", choice: this.#choice, text }
  }
}

const OPENING = new RegExp(String.raw`^\s*\{\s*"${WRAPPER_MEMBER}"\s*:\s*`)
const COMPACT_OPENING = `{"${WRAPPER_MEMBER}":`

/** Replaces the text of an object that has one member with the text of this member. Other text is unchanged. */
class WrappedText {
  #state: "before" | "inside" | "other" = "before"
  /** Text that may belong to the start or the end of the object. */
  #held = ""

  whole(text: string): string {
    return this.push(text) + this.end(true)
  }

  push(text: string): string {
    if (this.#state === "other") return text
    if (this.#state === "before") {
      this.#held += text
      const opening = OPENING.exec(this.#held)
      if (opening === null) return this.#rejects()
      const rest = this.#held.slice(opening[0].length)
      this.#state = "inside"
      this.#held = ""
      return this.#inside(rest)
    }
    return this.#inside(text)
  }

  /**
   * Ends the text.
   * @param isWhole whether the object is complete.
   */
  end(isWhole: boolean): string {
    const held = this.#held.trimEnd()
    this.#held = ""
    const isClosed = isWhole && this.#state === "inside" && held.endsWith("}")
    this.#state = "before"
    return isClosed ? held.slice(0, -1).trimEnd() : held
  }

  /** Returns the held text if it can no longer be the start of the object. */
  #rejects(): string {
    const compact = this.#held.slice(0, 200).replaceAll(/\s/g, "")
    if (COMPACT_OPENING.startsWith(compact) && this.#held.length < 200) return ""
    this.#state = "other"
    const held = this.#held
    this.#held = ""
    return held
  }

  #inside(text: string): string {
    let end = text.length
    while (end > 0 && " \n\r\t}".includes(text[end - 1] ?? "")) end--
    if (end === 0) {
      this.#held += text
      return ""
    }
    const before = this.#held + text.slice(0, end)
    this.#held = text.slice(end)
    return before
  }
}
