import type { ChatEvent, ChatResult, Part } from "../canon/chat.ts"
import type { JsonObject } from "../canon/json.ts"
import { addUsage, isNoUsage, type Usage } from "../canon/usage.ts"
import type { AnswerRecord } from "./billable/answer-record.ts"

/** The longest text kept for an estimate, in characters; what comes after counts by its length. */
const KEPT_CHARACTERS = 200_000

/** What a request has delivered so far, counted as it passes. Every path feeds the same meter. */
export class Meter {
  /** As the vendor reported it, the last report winning: vendors that report often report sums. */
  usage: Usage | undefined
  /** The vendor's own message when a stream carried an error. */
  failure: string | undefined
  /** The frame or the answer in which the usage was told last. */
  reported: JsonObject | undefined
  /** What the answers tell beside their usage; empty where nothing but tokens is billed. */
  records: readonly AnswerRecord[] = []
  /** Characters of output, whatever their kind. */
  characters = 0
  #text: string[] = []
  #finished = 0
  /** How much of the output had come when the usage was told. */
  #charactersAtUsage = 0

  /** Whether at least one choice has come to its end. */
  get finished(): boolean {
    return this.#finished > 0
  }

  /** Whether the vendor has told a usage of all that came: at first some count only the prompt. */
  get isCounted(): boolean {
    if (this.usage === undefined || isNoUsage(this.usage)) return false
    return this.finished || this.#charactersAtUsage === this.characters
  }

  /** Whether anything reached, or could have reached, the caller. */
  get delivered(): boolean {
    return this.characters > 0 || this.finished
  }

  /** Output text for an estimate, capped; `characters` tells how much there was. */
  get text(): string {
    return this.#text.join("")
  }

  /** What several upstream calls have delivered together. Usage that one does not tell is told by none. */
  static sum(meters: readonly Meter[]): Meter {
    const sum = new Meter()
    for (const meter of meters) {
      sum.#text.push(...meter.#text)
      sum.characters += meter.characters
      sum.#finished += meter.#finished
      sum.#charactersAtUsage += meter.#charactersAtUsage
      sum.reported ??= meter.reported
    }
    sum.records = meters.flatMap(({ records }) => records)
    const usages = meters.flatMap(({ usage }) => usage ?? [])
    if (usages.length === meters.length) sum.usage = usages.reduce(addUsage)
    return sum
  }

  push(events: readonly ChatEvent[]): void {
    for (const event of events) this.#count(event)
  }

  /** A whole answer at once. */
  result(result: ChatResult): void {
    if (result.usage) this.usage = result.usage
    for (const choice of result.choices) {
      this.#finished++
      for (const part of choice.parts) this.#part(part)
    }
  }

  #count(event: ChatEvent): void {
    switch (event.type) {
      case "text-delta":
      case "refusal-delta":
      case "reasoning-delta":
        return this.#add(event.text)
      case "tool-call-start":
        return this.#add(event.name)
      case "tool-call-delta":
        return this.#add(event.arguments)
      case "finish":
        this.#finished++
        return
      case "usage":
        this.usage = event.usage
        this.#charactersAtUsage = this.characters
        return
      case "error":
        this.failure = event.message
        return
      case "start":
      case "citation":
      case "choice-extra":
      case "reasoning-signature":
        return
    }
  }

  #part(part: Part): void {
    if (part.type === "text" || part.type === "refusal" || part.type === "reasoning") {
      this.#add(part.text)
    } else if (part.type === "tool-call") {
      this.#add(part.name)
      this.#add(part.arguments)
    }
  }

  #add(text: string): void {
    if (this.characters < KEPT_CHARACTERS) this.#text.push(text)
    this.characters += text.length
  }
}
