import { GatewayError } from "../../canon/errors.ts"
import type { JsonObject } from "../../canon/json.ts"
import type { MaybePromise } from "../../canon/maybe-promise.ts"
import { ownTurn } from "../../canon/next-turn.ts"
import type { ReadEvent } from "../../dialects/shared/read-event.ts"
import { type FrameParser, FrameTooLong, type ReceivedEvent } from "../../wire/frames.ts"
import { billedResponseOf } from "../lifetime/call-failure.ts"
import type { Attempt, Candidate } from "./attempt.ts"
import { BILLED, billedFor } from "./response-size.ts"
import { OpenEvent } from "./open-event.ts"
import { TAIL_LENGTH, usageAtEnd } from "./usage-members.ts"
import { isLongEvent, readLongEvent, weighFrame } from "./parse-frame.ts"

/** Maximum time for which frames that arrived together are processed in one turn of the event loop. */
export const MAX_PASS_MS = 10
/** Maximum milliseconds that an upstream may take to close the connection after its last event. */
export const HANG_UP_MS = 1_000
/** Maximum bytes of frames without events: twice the longest frame. Each frame counts `FRAME_COST` additional bytes. */
const MAX_SILENT_BYTES = 96 * 1024 * 1024
const FRAME_COST = 1024
/** Maximum bytes processed in one turn of the event loop, because a chunk may contain thousands of frames. */
const SLICE_BYTES = 32 * 1024
const NO_BYTES = new Uint8Array()

/** The call whose frames are read. */
type FramedCall = Pick<Attempt<Candidate>, "responseBytes" | "deadlines" | "explain" | "provider">

/** Reads the frames of one upstream response in slices. */
export class UpstreamFrames {
  readonly #attempt: FramedCall
  readonly #body: AsyncIterator<Uint8Array, undefined>
  readonly #parser: FrameParser
  /** The last chunk that completed a frame. */
  #last: Uint8Array = NO_BYTES
  /** The frame that arrives in several chunks; undefined if the last chunk completed a frame. */
  #openEvent: OpenEvent | undefined
  /** Received bytes that have not been read yet. */
  #rest: Uint8Array | undefined
  /** Bytes that were read since the last event. */
  #silentBytes = 0
  /** Received frames that are processed in a later turn of the event loop. */
  #delayed: readonly ReadEvent[] = []
  /** Time until which the end of a whole response is awaited. Only events extend it. */
  #hangUpAt: number | undefined
  #hasEnded = false
  /** Whether a frame has arrived. Bytes before the first frame only show that the server responds. */
  hasArrived = false
  /** The members with the usage in a frame that was too long to be read, or after it. */
  usageMembers: JsonObject = {}

  constructor(
    attempt: FramedCall,
    body: AsyncIterator<Uint8Array, undefined>,
    parser: FrameParser,
  ) {
    this.#attempt = attempt
    this.#body = body
    this.#parser = parser
  }

  /**
   * Returns delayed or newly received frames and the number of received bytes.
   * @param isWhole whether the response is complete. The end of the stream is then awaited only briefly, and may be a
   * failure of the connection.
   * @returns no frames at the end.
   */
  async next(
    isWhole: boolean,
  ): Promise<{ readonly frames?: readonly ReadEvent[]; readonly bytes: number }> {
    if (this.#delayed.length > 0) {
      await ownTurn()
      return { frames: this.takeDelayed(), bytes: 0 }
    }
    if (this.#hasEnded) return { bytes: 0 }
    const rest = this.#rest
    if (rest !== undefined) await ownTurn()
    // This runs for each frame. Usually, it only waits for the body.
    let bytes: Uint8Array | undefined
    try {
      bytes = this.#sliceOf(rest ?? (await this.#receive(isWhole)).value)
    } catch (error) {
      this.#hasEnded = true
      if (!isWhole) throw this.#attempt.explain(error)
    }
    if (bytes === undefined) {
      this.#hasEnded = true
      return { bytes: 0 }
    }
    const parsing = this.#parseOrSkip(bytes)
    const frames = parsing instanceof Promise ? await parsing : parsing
    return {
      frames: isLongEvent(frames) ? await readLongEvent(frames) : frames,
      bytes: bytes.byteLength,
    }
  }

  /** Delays frames until the next call to `next` or `takeDelayed`. */
  delay(frames: readonly ReadEvent[]): void {
    this.#delayed = frames
  }

  takeDelayed(): readonly ReadEvent[] {
    const frames = this.#delayed
    this.#delayed = []
    return frames
  }

  /** Returns the frames that the end of the body completes. */
  async end(): Promise<readonly ReadEvent[]> {
    const frames = this.#parse(undefined)
    return isLongEvent(frames) ? await readLongEvent(frames) : frames
  }

  #receive(isWhole: boolean): Promise<IteratorResult<Uint8Array, undefined>> {
    const { deadlines } = this.#attempt
    // Some providers leave the connection open after the response.
    if (isWhole) deadlines.awaitEnd((this.#hangUpAt ??= performance.now() + HANG_UP_MS))
    else deadlines.resume()
    return this.#body.next()
  }

  #sliceOf(bytes: Uint8Array | undefined): Uint8Array | undefined {
    const isLong = bytes !== undefined && bytes.byteLength > SLICE_BYTES
    this.#rest = isLong ? bytes.subarray(SLICE_BYTES) : undefined
    return isLong ? bytes.subarray(0, SLICE_BYTES) : bytes
  }

  /**
   * Parses bytes. If a frame is too long, the rest is read for its usage.
   * @throws GatewayError for an invalid frame.
   */
  #parseOrSkip(bytes: Uint8Array): MaybePromise<readonly ReadEvent[]> {
    try {
      const frames = this.#parse(bytes)
      if (frames.length > 0) {
        this.#last = bytes
        this.#openEvent = undefined
      } else (this.#openEvent ??= new OpenEvent(this.#last)).push(bytes)
      return frames
    } catch (failure) {
      if (billedResponseOf(failure) === undefined) throw failure
      return this.#readTail(bytes).then(() => {
        throw failure
      })
    }
  }

  /**
   * Discards the rest of the stream except for its usage. It reads at most as many bytes as the size limit of
   * responses.
   */
  async #readTail(last: Uint8Array): Promise<void> {
    const { responseBytes, deadlines } = this.#attempt
    const event = this.#openEvent ?? new OpenEvent(this.#last)
    const rest = this.#rest ?? NO_BYTES
    event.push(last)
    event.push(rest)
    let tail = Buffer.concat([last, rest])
    this.#rest = undefined
    deadlines.resume()
    try {
      for (let read = 0; read < responseBytes;) {
        const { value } = await this.#body.next()
        if (value === undefined) break
        deadlines.received()
        read += value.byteLength
        event.push(value)
        tail = Buffer.concat([tail.subarray(-TAIL_LENGTH), value.subarray(-TAIL_LENGTH)])
      }
    } catch {
      // The response is charged without its reported usage.
    }
    // Frames in a binary format may not be found.
    const atEnd = usageAtEnd(new TextDecoder().decode(tail.subarray(-TAIL_LENGTH)))
    this.usageMembers = { ...atEnd, ...event.usageMembers }
  }

  /** @throws GatewayError for an invalid frame. */
  #parse(bytes: Uint8Array | undefined): readonly ReceivedEvent[] {
    try {
      const frames = bytes === undefined ? this.#parser.end() : this.#parser.push(bytes)
      this.hasArrived ||= frames.length > 0
      this.#silentBytes += (bytes?.byteLength ?? 0) + FRAME_COST * frames.length
      return frames
    } catch (error) {
      if (error instanceof GatewayError) throw billedFor(error)
      if (error instanceof FrameTooLong) throw tooLong(this.#attempt.provider, error)
      throw new GatewayError(
        "upstream_error",
        `The stream of provider '${this.#attempt.provider}' cannot be read. Only the delivered part is charged; try again.`,
        { cause: error },
      )
    }
  }

  /**
   * Adds the cost of parsing a frame.
   * @throws GatewayError if the cost is too high.
   */
  weigh(frame: ReadEvent): void {
    this.#silentBytes += weighFrame(frame)
  }

  /** Records that the last frame had events. */
  onEvents(): void {
    this.#hangUpAt = undefined
    this.#silentBytes = 0
  }

  /**
   * Checks the length of frames without events.
   * @throws GatewayError if the frames since the last event are too long.
   */
  rejectSilence(): void {
    if (this.#silentBytes <= MAX_SILENT_BYTES) return
    const megabytes = MAX_SILENT_BYTES / 1024 / 1024
    throw new GatewayError(
      "upstream_error",
      `Provider '${this.#attempt.provider}' sent ${megabytes} MB without content. Only the delivered part is charged; try again.`,
    )
  }

  /** Reads and discards the body up to its end. */
  async discard(): Promise<void> {
    while ((await this.#body.next()).done !== true);
  }
}

/**
 * Returns the error of a frame that is too long. The provider bills the response, and other responses would also be too
 * long.
 */
function tooLong(provider: string, cause: Error): GatewayError {
  return new GatewayError(
    "upstream_error",
    `Provider '${provider}' sent an event that is too long to be passed on. Request less output.`,
    { cause, ...BILLED },
  )
}
