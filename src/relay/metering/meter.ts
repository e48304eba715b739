import type { ChatEvent, ChatResult } from "../../canon/chat.ts"
import type { AudioPart, ImagePart, Part } from "../../canon/message.ts"
import { type JsonObject, unknownFields } from "../../canon/json.ts"
import { OtherContent } from "../../canon/other-content.ts"
import { addUsage, isNoUsage, laterUsage, totalOutput, type Usage } from "../../canon/usage.ts"
import type { AnswerRecord } from "./answer-record.ts"

/** Maximum characters stored for an estimate. Further text counts by its length. */
const KEPT_CHARACTERS = 200_000

const NO_USAGES: readonly Usage[] = []
const NO_PARTS: readonly Meter[] = []
const NO_RECORDS: readonly AnswerRecord[] = []

/** Counts the delivered content of a request. Every path uses the same meter. */
export class Meter {
  /** The usage as the provider reported it. Later reports win (`laterUsage`), since they often report sums. */
  usage: Usage | undefined
  /** The usage of each call; empty for a single call, or if a call did not report its usage. */
  usages = NO_USAGES
  /** The error in a stream. */
  failure: Extract<ChatEvent, { type: "error" }> | undefined
  /** The frame or the answer that reported the usage last. */
  reported: JsonObject | undefined
  /** The first frame and the last one: some providers report the mode of service only there. */
  firstFrame: JsonObject | undefined
  lastFrame: JsonObject | undefined
  /** The added meters; empty for a single call. */
  parts = NO_PARTS
  /** The reports of the answers besides their usage; empty if only tokens are billed. */
  records = NO_RECORDS
  /** Characters of text, reasoning and calls. */
  characters = 0
  /** The part of these that is reasoning. */
  reasoningCharacters = 0
  /** All other received content, as its decoder adds it. */
  readonly other: OtherContent
  /** Images that the model itself made. */
  images = 0
  /** The number of calls in the sum. */
  calls = 1
  /** When its call was made, by `performance.now()`; absent for complete responses. */
  begunAt: number | undefined
  /** When its first text or call arrived. */
  #spokenAt: number | undefined
  /** Sum over the added calls. */
  #silentMs = 0
  #text: string[] = []
  #finished = 0
  /** Choices of a stream that have begun. */
  #begun: Set<number> | undefined
  #lastChoice: number | undefined
  /** Whether the last report had no output, so that it does not cover the received content. */
  #isInputOnly = false
  /** Whether the usage of an added call is missing. */
  #isPartlyCounted = false
  /** The received output and the number of finished choices when the usage was reported. */
  #amountAtUsage = 0
  #charactersAtUsage = 0
  #finishedAtUsage = 0

  constructor(other = new OtherContent()) {
    this.other = other
  }

  /** Whether at least one choice has ended. */
  get finished(): boolean {
    return this.#finished > 0
  }

  /** Whether the provider's usage covers everything received. Some providers first report the prompt only. */
  get isCounted(): boolean {
    if (this.usage === undefined || isNoUsage(this.usage) || this.#isPartlyCounted) return false
    const isWhole =
      this.finished &&
      this.#finishedAtUsage >= (this.#begun?.size ?? 0) &&
      this.#charactersAtUsage === this.characters
    return isWhole || this.#amountAtUsage === this.amount
  }

  /** Whether anything reached, or could have reached, the caller beyond the frames that open an answer. */
  get delivered(): boolean {
    return this.finished || this.amount > 0
  }

  /** Whether the vendor bills it: it has delivered content or reported its input. */
  get isBillable(): boolean {
    return this.delivered || (this.usage !== undefined && !isNoUsage(this.usage))
  }

  /** Milliseconds until the first text of each call, added up. */
  get silentMs(): number {
    if (this.begunAt === undefined) return this.#silentMs
    return this.#silentMs + (this.#spokenAt ?? performance.now()) - this.begunAt
  }

  /** The size of all received content, in units that cannot be compared with tokens. */
  get amount(): number {
    return this.characters + this.other.amount
  }

  /** Whether anything besides reasoning was received. */
  get hasAnswer(): boolean {
    return this.amount > this.reasoningCharacters + this.other.reasoningCharacters
  }

  /** Output text for an estimate, capped; `characters` is how much there was. */
  get text(): string {
    return this.#text.join("")
  }

  /** Returns the sum of several upstream calls. It has no usage if any of them did not report one. */
  static sum(meters: readonly Meter[]): Meter {
    const sum = new Meter()
    // Before its first frame, a call has no meter.
    sum.calls = Math.max(
      1,
      meters.reduce((calls, meter) => calls + meter.calls, 0),
    )
    for (const meter of meters) {
      sum.#text.push(...meter.#text)
      sum.characters += meter.characters
      sum.reasoningCharacters += meter.reasoningCharacters
      sum.#finished += meter.#finished
      sum.other.add(meter.other)
      sum.images += meter.images
      sum.#amountAtUsage += meter.#amountAtUsage
      sum.#charactersAtUsage += meter.#charactersAtUsage
      sum.#silentMs += meter.silentMs
      sum.reported ??= meter.reported
    }
    sum.#isPartlyCounted = meters.some((meter) => !meter.isCounted)
    sum.parts = meters.flatMap((meter) => (meter.parts.length > 0 ? meter.parts : meter))
    sum.records = meters.flatMap(({ records }) => records)
    const usages = meters.flatMap(({ usage }) => usage ?? [])
    if (usages.length > 0 && usages.length === meters.length) {
      sum.usage = usages.reduce(addUsage)
      sum.usages = usages
    }
    return sum
  }

  push(events: readonly ChatEvent[]): void {
    for (const event of events) this.#count(event)
  }

  /** Counts the events of a frame of a stream, and keeps the frames that report usage or a mode of service. */
  frame(events: readonly ChatEvent[], json: JsonObject | undefined): void {
    const { usage } = this
    this.push(events)
    if (json !== undefined) {
      this.firstFrame ??= json
      this.lastFrame = json
    }
    if (this.usage === usage) return
    this.#usageReported()
    this.reported = json
  }

  /** Counts a whole answer. */
  result(result: ChatResult): void {
    if (result.usage) this.usage = result.usage
    for (const choice of result.choices) {
      this.#finished++
      for (const part of choice.parts) this.#part(part)
      if (choice.extra) this.other.json(contentOf(choice.extra.fields))
    }
    if (result.usage) this.#usageReported()
  }

  #count(event: ChatEvent): void {
    if ("choice" in event && event.choice !== this.#lastChoice) {
      this.#lastChoice = event.choice
      this.#begun = (this.#begun ?? new Set()).add(event.choice)
    }
    switch (event.type) {
      case "text-delta":
      case "refusal-delta":
        this.#spokenAt ??= performance.now()
        return this.#add(event.text)
      case "reasoning-delta":
        this.reasoningCharacters += event.text.length
        return this.#add(event.text)
      case "tool-call-start":
        this.#spokenAt ??= performance.now()
        return this.#add(event.name)
      case "tool-call-delta":
        return this.#add(event.arguments)
      case "finish":
        this.#finished++
        return
      case "usage":
        return this.#usage(event)
      case "error":
        this.failure ??= event
        return
      case "reasoning-signature":
        // Withheld reasoning is contained in the signature.
        if (event.isRedacted) this.other.hiddenReasoning(event.signature)
        return
      case "media":
        return this.#media(event.media)
      case "start":
      case "citation":
      case "web-search":
      case "choice-extra":
        // The decoder has counted its content.
        return
    }
  }

  /** Keeps the earlier count if a later report has no output. It covers only the content received by then. */
  #usage({ usage, isInputOnly = false }: Extract<ChatEvent, { type: "usage" }>): void {
    const earlier = this.usage
    this.usage = earlier === undefined ? usage : laterUsage(earlier, usage)
    this.#isInputOnly = isInputOnly || (earlier !== undefined && totalOutput(usage) === 0)
    this.#usageReported()
  }

  /** Usage covers everything up to the end of its frame. */
  #usageReported(): void {
    if (this.#isInputOnly) return
    this.#amountAtUsage = this.amount
    this.#charactersAtUsage = this.characters
    this.#finishedAtUsage = this.#finished
  }

  #part(part: Part): void {
    switch (part.type) {
      case "text":
        for (const citation of part.citations ?? []) this.other.json(plain(citation))
        return this.#add(part.text)
      case "refusal":
        return this.#add(part.text)
      case "reasoning":
        if (part.isRedacted || part.text === "") this.other.hiddenReasoning(part.signature ?? "")
        this.reasoningCharacters += part.text.length
        return this.#add(part.text)
      case "tool-call":
        this.#add(part.name)
        return this.#add(part.arguments)
      case "image":
      case "audio":
        if (part.type === "image" && part.standsFor) this.other.json(part.standsFor.fields)
        return this.#media(part)
      case "web-search":
        // It is also in the extra of its own dialect.
        return
      case "unknown":
        return this.other.json(part.extra.fields)
      case "file":
      case "tool-result":
        return this.other.json(plain(part))
    }
  }

  /** An image of a tool is counted with its item. */
  #media(media: ImagePart | AudioPart): void {
    if (media.type === "image") {
      if (media.standsFor !== undefined) return
      this.images++
      return this.other.image()
    }
    if (media.source.type === "base64") this.other.sound(media.source.data)
    if (media.transcript !== undefined) this.other.text(media.transcript)
  }

  #add(text: string): void {
    if (this.characters < KEPT_CHARACTERS) this.#text.push(text)
    this.characters += text.length
  }
}

/** Members of a choice that describe its generation and are not content. */
const REMARKS: ReadonlySet<string> = new Set([
  "logprobs",
  "content_filter_results",
  "safetyRatings",
  "avgLogprobs",
  "logprobsResult",
  "score",
  "tokenCount",
  "finishMessage",
])

function contentOf(fields: JsonObject): JsonObject | undefined {
  return unknownFields(fields, REMARKS)
}

/** The canon's own values are plain data. */
function plain(value: object): JsonObject {
  return value as JsonObject
}
