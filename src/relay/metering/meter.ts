import type { ChatEvent, ChatResult } from "../../canon/chat.ts"
import type { AudioPart, ImagePart, Part } from "../../canon/message.ts"
import { type JsonObject, unknownFields } from "../../canon/json.ts"
import { OtherContent } from "../../canon/other-content.ts"
import { addUsage, isNoUsage, laterUsage, totalOutput, type Usage } from "../../canon/usage.ts"
import type { ResponseRecord } from "./response-record.ts"

/** Maximum characters of text that are stored for an estimate. Further text is counted by its length. */
const KEPT_CHARACTERS = 200_000

const NO_USAGES: readonly Usage[] = []
const NO_PARTS: readonly Meter[] = []
const NO_RECORDS: readonly ResponseRecord[] = []

/** Counts the delivered content of a request. All kinds of responses use this meter. */
export class Meter {
  /**
   * The usage that the provider reported. Later reports replace earlier ones (`laterUsage`), because they usually
   * include them.
   */
  usage: Usage | undefined
  /** The usage of each call; empty for a single call, or if a call did not report its usage. */
  usages = NO_USAGES
  /** The error that a stream has reported. */
  failure: Extract<ChatEvent, { type: "error" }> | undefined
  /** The frame or response that last reported the usage. */
  reported: JsonObject | undefined
  /** The first and the last frame. Some providers report the service mode only in these frames. */
  firstFrame: JsonObject | undefined
  lastFrame: JsonObject | undefined
  /** The meters that were added up; empty for a single call. */
  parts = NO_PARTS
  /** Reports of the responses other than usage, such as tool calls; empty if only tokens are billed. */
  records = NO_RECORDS
  /** Characters of text, reasoning and calls. */
  characters = 0
  /** The number of `characters` that are reasoning. */
  reasoningCharacters = 0
  /** All other received content, as added by the decoder. */
  readonly other: OtherContent
  /** Number of images that the model itself generated. */
  images = 0
  /** The number of calls that this meter includes. */
  calls = 1
  /** Start time of the call, as returned by `performance.now()`; undefined for complete responses. */
  begunAt: number | undefined
  /** Time at which the first text or call arrived. */
  #spokenAt: number | undefined
  /** Milliseconds until the first text, added up over all calls in the sum. */
  #silentMs = 0
  #text: string[] = []
  #finished = 0
  /** Choices of a stream that have started. */
  #begun: Set<number> | undefined
  #lastChoice: number | undefined
  /** Whether the last report had no output count. It then does not cover the received content. */
  #isInputOnly = false
  /** Whether the usage of an added call is missing. */
  #isPartlyCounted = false
  /** The amount of received output and the number of finished choices at the time when the usage was reported. */
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

  /**
   * Whether the usage reported by the provider covers all received content. Some providers first report the prompt
   * only.
   */
  get isCounted(): boolean {
    if (this.usage === undefined || isNoUsage(this.usage) || this.#isPartlyCounted) return false
    const isWhole =
      this.finished &&
      this.#finishedAtUsage >= (this.#begun?.size ?? 0) &&
      this.#charactersAtUsage === this.characters
    return isWhole || this.#amountAtUsage === this.amount
  }

  /** Whether any content could have reached the caller, other than the frames that open a response. */
  get delivered(): boolean {
    return this.finished || this.amount > 0
  }

  /** Whether the vendor bills the call, because it has delivered content or reported its input. */
  get isBillable(): boolean {
    return this.delivered || (this.usage !== undefined && !isNoUsage(this.usage))
  }

  /** Milliseconds until the first text, added up over all calls. */
  get silentMs(): number {
    if (this.begunAt === undefined) return this.#silentMs
    return this.#silentMs + (this.#spokenAt ?? performance.now()) - this.begunAt
  }

  /** The size of all received content. Its unit is not comparable with tokens. */
  get amount(): number {
    return this.characters + this.other.amount
  }

  /** Whether content other than reasoning was received. */
  get hasResponse(): boolean {
    return this.amount > this.reasoningCharacters + this.other.reasoningCharacters
  }

  /** Output text for an estimate, up to a maximum. `characters` is the length of the complete text. */
  get text(): string {
    return this.#text.join("")
  }

  /** Returns the sum of several upstream calls. The sum has no usage if one of the calls did not report its usage. */
  static sum(meters: readonly Meter[]): Meter {
    const sum = new Meter()
    // A call has no meter before its first frame.
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

  /** Counts the events of a frame, and stores frames that report usage or a service mode. */
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

  /** Counts a whole response. */
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
        // The signature contains the withheld reasoning.
        if (event.isRedacted) this.other.hiddenReasoning(event.signature)
        return
      case "media":
        return this.#media(event.media)
      case "start":
      case "citation":
      case "web-search":
      case "choice-extra":
        // The decoder has already counted the content of this event.
        return
    }
  }

  /**
   * Stores a reported usage. If a later report has no output count, the earlier count is kept. It covers only content
   * that had been received by then.
   */
  #usage({ usage, isInputOnly = false }: Extract<ChatEvent, { type: "usage" }>): void {
    const earlier = this.usage
    this.usage = earlier === undefined ? usage : laterUsage(earlier, usage)
    this.#isInputOnly = isInputOnly || (earlier !== undefined && totalOutput(usage) === 0)
    this.#usageReported()
  }

  /** Records that the usage covers all content up to the end of the current frame. */
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
        // The extra of its own dialect also contains this search, and it is counted there.
        return
      case "unknown":
        return this.other.json(part.extra.fields)
      case "file":
      case "tool-result":
        return this.other.json(plain(part))
    }
  }

  /** Counts an image or audio. An image from a tool is counted with the item of the tool. */
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

/** Returns a value of the canon as a JSON object. These values are plain data. */
function plain(value: object): JsonObject {
  return value as JsonObject
}
