import type { HttpResponse } from "../../wire/http/response.ts"
import type { ChatEvent } from "../../canon/chat.ts"
import type { EventDecoder, SseFrame } from "../../canon/dialect.ts"
import { nextTurn, ownTurn } from "../../canon/next-turn.ts"
import { EventStreamParser } from "../../wire/event-stream.ts"
import type { ReadEvent } from "../../dialects/shared/read-event.ts"
import { SseParser } from "../../wire/sse.ts"
import type { Meter } from "../metering/meter.ts"
import type { Plan } from "./plan.ts"
import type { StreamLimits } from "./stream-limits.ts"
import { type FrameWriter, NO_WRITER, type StreamWriter } from "./stream-writer.ts"
import { billedResponseOf, CallEnded } from "../lifetime/call-failure.ts"
import { isDrained } from "../pipeline/cancellation.ts"
import { billedFor, tooLong } from "../upstream/response-size.ts"
import type { Attempt } from "../upstream/attempt.ts"
import type { ResponseStream, StreamParts } from "./response-stream.ts"
import { FrameDecoding } from "./frame-decoding.ts"
import { HeldText } from "./held-text.ts"
import { brokenOff } from "./reported-failure.ts"
import { isStreamed, isUntypedStream } from "./stream-type.ts"
import { HANG_UP_MS, MAX_PASS_MS, UpstreamFrames } from "../upstream/upstream-frames.ts"
import { wholeAsStream } from "./whole-as-stream.ts"

/**
 * Maximum milliseconds for which the frames that open a response wait for its first content. Responses rarely fail
 * later.
 */
const CONTENT_WAIT_MS = 2_000
/**
 * Maximum bytes that are read without text for the caller in one turn of the event loop. All of them may already be
 * buffered.
 */
const BYTES_AT_ONCE = 256 * 1024
/** Number of additional kept characters after which memory for them is reserved. */
const TEXT_STEP = 1024 * 1024
/** Bytes of memory that a character of kept text takes until the last event is written. */
const KEPT_CHARACTER_BYTES = 3
/** The cost of a small chunk, in bytes. */
const CHUNK_COST = 8 * 1024

/** Reads the stream of one upstream call. */
export class UpstreamStream<
  Writer extends FrameWriter = StreamWriter,
> implements ResponseStream<Writer> {
  readonly plan: Plan
  readonly attempts: readonly Attempt<Plan>[]
  readonly writer: Writer
  readonly meter: Meter
  readonly #attempt: Attempt<Plan>
  readonly #parts: StreamParts<Writer>
  readonly #frames: UpstreamFrames
  readonly #decoder: EventDecoder
  readonly #decoding: FrameDecoding
  /** Reports whether a frame repeats an earlier one. Repeated frames are skipped. */
  readonly #isRepeated: ((frame: SseFrame) => boolean) | undefined
  /** The limits of the response; undefined once the response has ended at its limits. */
  #limits: StreamLimits | undefined
  /** The writer of frames for the caller, until the response has ended at its limits. */
  #output: FrameWriter
  rest: Promise<void> | undefined
  /** The text that was read while the stream was opened. */
  #first: string | undefined
  /** A read that started while the stream was opened. */
  #reading: Promise<string> | undefined
  #isEnded = false
  /** Bytes received and characters written since the last turn of the event loop. */
  #work = 0
  /** Whether tokens are being counted. Buffered text is sent afterwards. */
  #isCounting = false
  /** Characters of kept text that count as memory. */
  #keptCharacters = 0
  /** A failure that follows frames which still have to be passed on. */
  #failure: unknown

  private constructor(
    attempt: Attempt<Plan>,
    body: AsyncIterator<Uint8Array, undefined>,
    parts: StreamParts<Writer>,
  ) {
    this.#attempt = attempt
    this.#parts = parts
    this.plan = attempt.plan
    this.attempts = [attempt]
    this.writer = parts.writer
    this.meter = parts.meter
    this.#decoder = parts.decoder
    this.#limits = parts.limits
    this.#output = parts.writer
    if (parts.record) this.meter.records = [parts.record]
    const { dialect } = attempt.plan.binding
    this.#isRepeated = dialect.findRepeated?.()
    const { memory } = attempt
    const isSse = dialect.framing === "sse"
    const parser = isSse ? new SseParser({ memory }) : new EventStreamParser({ memory })
    const frames = new UpstreamFrames(attempt, body, parser)
    this.#frames = frames
    const { decoder, meter, record, recorder } = parts
    this.#decoding = new FrameDecoding({ attempt, frames, decoder, meter, record, recorder })
  }

  /**
   * Opens a stream. Waits for the first content, or briefly after the first frames. An earlier error is a failed
   * attempt, after which another deployment may respond.
   * @throws GatewayError if the attempt failed.
   */
  static async open<Writer extends FrameWriter>(
    attempt: Attempt<Plan>,
    response: HttpResponse,
    parts: StreamParts<Writer>,
  ): Promise<UpstreamStream<Writer>> {
    const isStream = isStreamed(attempt, response) || isUntypedStream(attempt, response)
    const body = isStream ? response.body : await wholeAsStream(attempt, response)
    const stream = new UpstreamStream(attempt, body, parts)
    const first = await stream.read()
    stream.#first = stream.meter.delivered ? first : await stream.#untilContent(first)
    if (stream.#failure !== undefined && !stream.meter.delivered) throw stream.#failure
    return stream
  }

  async #untilContent(first: string): Promise<string> {
    const late = Promise.withResolvers<undefined>()
    using _ = setTimeout(late.resolve, CONTENT_WAIT_MS)
    using held = new HeldText(this.#attempt.memory)
    let text = first
    while (!this.meter.delivered && this.#failure === undefined && !this.isOver) {
      if (!held.takes(text)) break
      const reading = this.read()
      const next = await Promise.race([reading, late.promise])
      if (next === undefined) {
        // A failure is not reported here, because the next read throws it.
        reading.catch(() => undefined)
        this.#reading = reading
        break
      }
      text += next
    }
    return text
  }

  get isOver(): boolean {
    const isRead = this.#first === undefined && this.#reading === undefined
    return isRead && this.#isDone && !this.#hasBacklog
  }

  get #hasBacklog(): boolean {
    return this.writer.backlog?.isEmpty === false
  }

  get isHoldSpent(): boolean {
    return this.#parts.isHoldSpent?.() === true
  }

  get #isDone(): boolean {
    return this.#isEnded || this.rest !== undefined || this.writer.isOver
  }

  // This runs for each frame, so it creates few promises.
  read(): Promise<string> {
    if (this.#first !== undefined) {
      const first = this.#first
      this.#first = undefined
      return Promise.resolve(first)
    }
    if (this.#reading !== undefined) {
      const reading = this.#reading
      this.#reading = undefined
      return reading
    }
    if (this.#hasBacklog || this.#work >= BYTES_AT_ONCE) return this.#readLater()
    return this.#readText(this.writer.backlog)
  }

  async #readLater(): Promise<string> {
    this.#work = 0
    await ownTurn()
    const { backlog } = this.writer
    return this.#hasBacklog ? (backlog?.take() ?? "") : this.#readText(backlog)
  }

  /** @param backlog its text is returned if there is no other text; absent if it is not read. */
  async #readText(backlog?: FrameWriter["backlog"]): Promise<string> {
    let work = 0
    try {
      // Each iteration receives bytes or is the last iteration, so the loop always ends.
      while (this.#failure === undefined) {
        let isLast = false
        let text = ""
        try {
          const { frames, bytes } = await this.#frames.next(this.#decoder.finished)
          isLast = frames === undefined
          this.#work += bytes
          work += Math.max(bytes, CHUNK_COST)
          text = frames === undefined ? await this.#end() : this.#pass(frames)
          this.#work += text.length
        } catch (failure) {
          this.#decoding.countFailed(failure, this.#frames.usageMembers)
          // The caller still receives the buffered text.
          if (this.#limits === undefined) throw failure
          this.#failure = failure
        }
        if (this.#limits) text += await this.#limited(this.#limits, isLast)
        const isEnd = isLast && this.#failure === undefined
        if (isEnd || text !== "" || this.#isDone || this.writer.isFilled === true) {
          if (!isEnd) this.#attempt.deadlines.pause()
          return text === "" ? (backlog?.take() ?? "") : text
        }
        if (this.#frames.hasArrived) this.#attempt.deadlines.received()
        const { calls } = this.plan
        if (work * calls < BYTES_AT_ONCE) continue
        work = 0
        // The streams of several calls are read one per turn.
        await (calls > 1 ? ownTurn() : nextTurn())
      }
      throw this.#failure
    } catch (failure) {
      const isUnread = billedResponseOf(failure) !== undefined
      // After an error, providers report the usage immediately, if at all.
      const limitMs = isUnread ? this.#parts.drain?.limitMs : HANG_UP_MS
      if (isUnread || this.meter.isBillable) await this.#decoding.readBilled(limitMs)
      throw failure
    }
  }

  /** Returns the buffered text of a response that is no longer read. */
  async release(): Promise<string> {
    if (this.#limits === undefined || this.#isCounting) return ""
    return this.#flushed(this.#limits)
  }

  async drain(): Promise<void> {
    if (this.rest) await this.rest
    this.#attempt.deadlines.awaitEnd(performance.now() + HANG_UP_MS)
    try {
      if (!this.#isEnded) await this.#frames.discard()
      this.#isEnded = true
    } catch {
      // A failure has no effect, because the response is already complete.
    } finally {
      this.#attempt[Symbol.dispose]()
    }
  }

  /**
   * Passes frames on. If this takes too long, the remaining frames are delayed. Frames that arrived before a failure
   * are still passed on.
   */
  #pass(received: readonly ReadEvent[]): string {
    const startedAt = performance.now()
    let text = ""
    let reported = 0
    try {
      for (const event of received) {
        if (reported > 0 && performance.now() - startedAt > MAX_PASS_MS) {
          this.#frames.delay(received.slice(reported))
          break
        }
        const frame = this.#decoding.parsed(event)
        if (!this.#isRepeated?.(frame)) text += this.#report(frame, this.#decoding.events(frame))
        reported++
        if (this.#limits?.isOver) {
          this.#decoding.countRest(received.slice(reported))
          break
        }
      }
      this.#frames.rejectSilence()
    } catch (failure) {
      this.#decoding.countFailed(failure, {})
      this.#decoding.countRest(received.slice(reported + 1))
      if (reported === 0) throw failure
      this.#failure = failure
    }
    return text
  }

  #report(frame: SseFrame | undefined, events: readonly ChatEvent[]): string {
    if (events.length > 0) this.#frames.onEvents()
    if (this.meter.characters > this.#attempt.responseBytes) throw tooLong(this.#attempt)
    if (this.#output.keepsResponse === true) this.#countKept(this.meter.characters)
    // A frame that reports a failure is not passed on, so its content is not delivered.
    const hasFailed = events.length > 1 && events.some(isError)
    const { usage } = this.meter
    this.meter.frame(hasFailed ? events.filter(isErrorOrUsage) : events, frame?.json)
    if (frame?.json) this.#parts.record?.frame(frame.json)
    if (this.meter.failure !== undefined) {
      if (frame) this.#output.broken?.(frame)
      const { message, failure } = this.meter.failure
      // Only the operator reads the provider's message.
      this.#attempt.rejected(this.#attempt.cleanedText(message))
      throw failure
    }
    const merged = usage === this.meter.usage ? events : events.map((event) => this.#merged(event))
    return this.#output.push(frame, this.#limits ? this.#limits.push(merged) : merged)
  }

  /**
   * Counts text as memory until the end of the request.
   * @throws GatewayError `overloaded`, which is billed if the caller's own requests hold the memory.
   */
  #countKept(characters: number): void {
    const added = characters - this.#keptCharacters
    if (added < TEXT_STEP) return
    try {
      this.#attempt.memory.takeResponse(KEPT_CHARACTER_BYTES * added)
    } catch (thrown) {
      throw billedFor(thrown)
    }
    this.#keptCharacters = characters
  }

  /** Replaces the usage with the charged usage, which is merged with the reports of earlier frames. */
  #merged(event: ChatEvent): ChatEvent {
    const { usage } = this.meter
    if (event.type !== "usage" || usage === undefined || event.usage === usage) return event
    return { ...event, usage }
  }

  /**
   * Returns the text of a response with limits. At the end, it releases the buffered text. It also counts tokens that
   * are due, and cancels the call when the caller has the whole response.
   */
  async #limited(limits: StreamLimits, isLast: boolean): Promise<string> {
    const isWhole = isLast || this.#failure !== undefined
    const text = isWhole ? await this.#flushed(limits) : await this.#counted(limits)
    if (!limits.isOver) return text
    this.#failure = undefined
    this.#limits = undefined
    this.#output = NO_WRITER
    const isRead = isWhole || this.#decoder.finished
    if (isRead || !this.#isReadOn) this.#cancelRest()
    else this.rest = this.#readRest(this.#parts.drain?.limitMs)
    return text
  }

  /**
   * Whether a delivered response is drained for its usage. Only responses with hidden reasoning are drained, because
   * the response itself reports the charged usage. After a disconnect, other responses are also drained.
   */
  get #isReadOn(): boolean {
    return isDrained({ hasUnknownUsage: this.#attempt.hidesUncounted }, this.#parts.drain)
  }

  #cancelRest(): void {
    this.#isEnded = true
    this.#attempt.end(new CallEnded("answer_over"))
  }

  /** Reads the rest of a delivered response for its usage. If that fails, the earlier reports are used. */
  async #readRest(limitMs = 0): Promise<void> {
    this.#attempt.deadlines.endIn(limitMs, "answer_over")
    try {
      while (!this.#isEnded && !this.#decoder.finished) {
        if (this.isHoldSpent) return this.#cancelRest()
        await this.#readText()
      }
    } catch {
      this.#cancelRest()
    }
  }

  async #flushed(limits: StreamLimits): Promise<string> {
    const text = this.writer.push(undefined, limits.flush())
    return text + (await this.#counted(limits))
  }

  async #counted(limits: StreamLimits): Promise<string> {
    if (!limits.isDue) return ""
    this.#isCounting = true
    const events = await limits.settle()
    this.#isCounting = false
    return this.writer.push(undefined, events)
  }

  /**
   * Ends the stream. If the dialect's end of the stream is missing, the stream fails once all received content is
   * passed on.
   */
  async #end(): Promise<string> {
    let text = ""
    let frames = await this.#frames.end()
    while (frames.length > 0) {
      text += this.#pass(frames)
      frames = this.#frames.takeDelayed()
    }
    if (this.#failure === undefined) {
      text += this.#report(undefined, this.#decoder.end())
      if (this.#decoder.finished) this.#isEnded = true
      else this.#failure = brokenOff(this.#attempt.provider)
    }
    if (text === "" && this.#failure !== undefined) throw this.#failure
    return text
  }
}

function isError({ type }: ChatEvent): boolean {
  return type === "error"
}

function isErrorOrUsage({ type }: ChatEvent): boolean {
  return type === "error" || type === "usage"
}
