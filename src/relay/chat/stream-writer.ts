import type { ChatEvent } from "../../canon/chat.ts"
import type { DialectId } from "../../canon/extra.ts"
import type {
  ClientDialect,
  EventEncoder,
  FramePatcher,
  PatchedFrame,
  SseFrame,
} from "../../canon/dialect.ts"
import type { GatewayError } from "../../canon/errors.ts"
import { type JsonObject, parseJsonObject } from "../../canon/json.ts"
import { isLong, partsOf } from "../../canon/unfold.ts"
import type { AudioPart, ImagePart } from "../../canon/message.ts"
import type { Usage } from "../../canon/usage.ts"
import { formatCredits } from "../../ledger/money.ts"
import type { ReasoningSigner, SignedReasoning } from "./reasoning-envelope.ts"
import { TextBacklog } from "./text-backlog.ts"

/** Called with each frame that is written. */
export type Report = (frame: JsonObject) => void

/** Processes the frames of an upstream. */
export interface FrameWriter {
  /**
   * Writes a frame.
   * @param frame undefined for events that the decoder derives from the end of the stream.
   * @param events the frame as decoded by its own dialect.
   * @returns the text that the caller may read now.
   */
  push(frame: SseFrame | undefined, events: readonly ChatEvent[]): string
  /**
   * Processes the frame in which a vendor reports that its stream failed. `fail` passes the frame on. Absent if the
   * caller uses another dialect or receives no stream.
   */
  broken?(frame: SseFrame): void
  /** Whether the vendor's final frame has arrived. The connection may still be open. */
  readonly isOver: boolean
  /** Long frames, to be sent after the text that `push` and `end` return. */
  readonly backlog?: TextBacklog
  /**
   * Whether long frames are pending, including frames of other streams with the same writer. Until they are sent, no
   * further frames are read.
   */
  readonly isFilled?: boolean
  /** Whether the whole response is kept in memory until its end. */
  readonly keepsResponse?: boolean
}

/** The writer for frames that are counted but not written. */
export const NO_WRITER: FrameWriter = { isOver: false, push: () => "" }

/** Encodes upstream frames as server-sent events for the caller. */
export interface StreamWriter extends FrameWriter {
  /** Sets the usage for the last frames if the vendor does not report usage. */
  setUsage(usage: Usage): void
  /**
   * Returns the final frames, once the charge is on disk.
   * @param cost cost in nanocredits; undefined if it is not known yet.
   * @param report called with the frame that ends the response and contains the cost.
   */
  end(cost: bigint | undefined, report?: Report): string
  /** Returns the frames that report an interrupted response to the caller. */
  fail(error: GatewayError, requestId: string): string
}

/**
 * Forwards frames unchanged, except for the patches of the vendor's dialect, if caller and vendor use the same dialect.
 */
export class VerbatimWriter implements StreamWriter {
  readonly #client: ClientDialect
  readonly #patcher: FramePatcher
  /**
   * A frame with usage. It is held back until it is known to be the last frame with usage, because the cost is added to
   * that frame.
   */
  #kept: PatchedFrame | undefined
  #last: PatchedFrame | undefined
  #broken: SseFrame | undefined
  #usage: Usage | undefined
  readonly backlog = new TextBacklog()

  constructor(client: ClientDialect, patcher: FramePatcher) {
    this.#client = client
    this.#patcher = patcher
  }

  get isFilled(): boolean {
    return !this.backlog.isEmpty
  }

  get isOver(): boolean {
    return this.#last !== undefined
  }

  push(frame: SseFrame | undefined): string {
    if (frame === undefined || this.#last !== undefined) return ""
    const patched = this.#patcher.push(frame)
    if (patched.action === "withhold") return ""
    if (patched.action === "last") {
      this.#last = patched
      return ""
    }
    if (patched.isAside) return this.backlog.text(patched)
    const before = this.#release()
    if (patched.usageCarrier === undefined) return before + this.backlog.text(patched)
    this.#kept = patched
    return before
  }

  end(cost: bigint | undefined, report?: Report): string {
    const before = this.#addMissing()
    if (this.#last === undefined) {
      return before + this.#release(cost) + this.backlog.textOf(this.#patcher.end())
    }
    const { usageCarrier, data } = this.#last
    const last = usageCarrier ?? (report && parseJsonObject(data))
    if (last) report?.(last)
    if (usageCarrier === undefined) {
      return before + this.#release(cost) + this.backlog.text(this.#last)
    }
    return before + this.#release() + this.#withCost(this.#last, usageCarrier, cost)
  }

  /** Adds usage that the vendor omitted, to the vendor's frame or in an additional frame. */
  #addMissing(): string {
    const usage = this.#usage
    const carrier = this.#kept?.usageCarrier ?? this.#last?.usageCarrier
    if (carrier !== undefined && usage !== undefined) this.#client.setUsage(carrier, usage)
    const missing = this.#patcher.missingFrames?.(carrier === undefined ? usage : undefined) ?? []
    let text = ""
    for (const frame of missing) {
      if (frame.usageCarrier === undefined) text += this.backlog.text(frame)
      else this.#kept = frame
    }
    return text
  }

  broken(frame: SseFrame): void {
    this.#broken = frame
  }

  setUsage(usage: Usage): void {
    this.#usage = usage
  }

  fail(error: GatewayError, requestId: string): string {
    const frames = this.#patcher.fail(error, requestId, this.#broken)
    return this.#release() + this.backlog.textOf(frames)
  }

  #release(cost?: bigint): string {
    const kept = this.#kept
    if (kept?.usageCarrier === undefined) return ""
    this.#kept = undefined
    return cost === undefined
      ? this.backlog.text(kept)
      : this.#withCost(kept, kept.usageCarrier, cost)
  }

  #withCost(
    { event, pieces }: PatchedFrame,
    carrier: JsonObject,
    cost: bigint | undefined,
  ): string {
    if (cost !== undefined) this.#client.setCost(carrier, formatCredits(cost))
    // The pieces are created from the object, so they contain the cost.
    if (pieces !== undefined) return this.backlog.text({ ...frameWith(event, ""), pieces })
    return this.backlog.text(frameWith(event, JSON.stringify(carrier)))
  }
}

/** Writes the stream through the canon if caller and vendor use different dialects. */
export class TranscodingWriter implements StreamWriter {
  readonly #client: ClientDialect
  readonly #encoder: EventEncoder
  readonly #model: string
  readonly #sign: (signed: SignedReasoning) => string
  readonly #dialect: DialectId
  readonly #onMedia: ((media: ImagePart | AudioPart) => void) | undefined
  /** Choices with reasoning that has not ended and has no signature. */
  readonly #unsigned = new Set<number>()
  readonly isOver = false
  readonly backlog = new TextBacklog()

  /**
   * @param model the public id of the model, which the response contains.
   * @param provider the provider, or the account at that provider, to which signatures are bound.
   * @param dialect the vendor's dialect.
   */
  constructor(
    client: ClientDialect,
    encoder: EventEncoder,
    parts: {
      readonly model: string
      readonly signer: ReasoningSigner
      readonly provider: string
      readonly dialect: DialectId
      /** Called with each image or piece of audio in the response. */
      readonly onMedia?: (media: ImagePart | AudioPart) => void
    },
  ) {
    this.#client = client
    this.#encoder = encoder
    this.#model = parts.model
    this.#sign = (signed) => parts.signer.sign(signed, parts.provider)
    this.#dialect = parts.dialect
    this.#onMedia = parts.onMedia
  }

  get isFilled(): boolean {
    return !this.backlog.isEmpty
  }

  get keepsResponse(): boolean {
    return this.#encoder.keepsResponse === true
  }

  push(_frame: SseFrame | undefined, events: readonly ChatEvent[]): string {
    let text = ""
    for (const event of events) {
      if (this.#unsigned.size > 0) text += this.#endReasoning(event)
      text += this.#write(this.#ours(event))
    }
    return text
  }

  #write(event: ChatEvent): string {
    if (!this.isFilled && !isLong(event)) return this.backlog.textOf(this.#encoder.push(event))
    this.backlog.add(this.#framesOf(event))
    return ""
  }

  /** Yields the frames of an event. A long event is divided, and each part is encoded when its frames are read. */
  *#framesOf(event: ChatEvent): Generator<SseFrame, undefined> {
    for (const part of partsOf(event)) yield* this.#encoder.push(part)
  }

  /** Ends and signs reasoning that has no signature of its vendor, when the next content starts. */
  #endReasoning(event: ChatEvent): string {
    const { type } = event
    if (!("choice" in event) || type === "reasoning-delta" || type === "choice-extra") return ""
    if (!this.#unsigned.delete(event.choice) || type === "reasoning-signature") return ""
    const { choice } = event
    const unsigned = { signature: "", signedBy: this.#dialect }
    const signature = this.#sign(unsigned)
    return this.#write({ type: "reasoning-signature", choice, ...unsigned, signature })
  }

  /** Sets the usage: the total of several upstream calls, or the gateway's own count. */
  setUsage(usage: Usage): void {
    this.#encoder.push({ type: "usage", usage })
  }

  end(cost: bigint | undefined, report?: Report): string {
    let text = ""
    for (const frame of this.#encoder.end()) {
      const { event, json, pieces } = frame
      if (json) report?.(json)
      if (json && cost !== undefined) this.#client.setCost(json, formatCredits(cost))
      const isWritten = json === undefined || pieces !== undefined
      text += this.backlog.text(isWritten ? frame : frameWith(event, JSON.stringify(json)))
    }
    return text
  }

  fail(error: GatewayError, requestId: string): string {
    if (!this.isFilled) return this.backlog.textOf(this.#encoder.fail(error, requestId))
    this.backlog.add(this.#failed(error, requestId))
    return ""
  }

  *#failed(error: GatewayError, requestId: string): Generator<SseFrame, undefined> {
    yield* this.#encoder.fail(error, requestId)
  }

  #ours(event: ChatEvent): ChatEvent {
    if (event.type === "start") return { ...event, model: this.#model }
    if (event.type === "media") this.#onMedia?.(event.media)
    if (event.type === "reasoning-delta") this.#unsigned.add(event.choice)
    if (event.type === "reasoning-signature") return { ...event, signature: this.#sign(event) }
    return event
  }
}

function frameWith(event: string | undefined, data: string): SseFrame {
  return event === undefined ? { data } : { event, data }
}
