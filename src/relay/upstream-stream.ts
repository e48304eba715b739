import type { EventDecoder, SseFrame } from "../canon/dialect.ts"
import { GatewayError } from "../canon/errors.ts"
import { parseJsonObject } from "../canon/json.ts"
import { SseReader } from "../wire/sse.ts"
import { Meter } from "./meter.ts"
import type { Attempt } from "./upstream.ts"

/** How long an upstream may take to hang up after its last word, in milliseconds. */
const HANG_UP_TIME = 1_000
const OPENING_BRACE = 0x7b

/** An upstream's stream, read frame by frame into a meter. */
export class UpstreamStream {
  readonly attempt: Attempt
  readonly meter = new Meter()
  readonly #reader: SseReader
  readonly #decoder: EventDecoder
  /** Frames that were read to find out whether the stream is one. */
  #first: readonly SseFrame[] | undefined
  /** The last word has come: what follows keeps no deadline away. */
  #isSaid = false
  /** What ended the stream right behind frames that are still to be passed on. */
  #failure: unknown

  private constructor(attempt: Attempt, body: ReadableStream<Uint8Array>) {
    this.attempt = attempt
    this.#reader = new SseReader(body, () => {
      if (!this.#isSaid) attempt.heard()
    })
    this.#decoder = attempt.endpoint.vendor.chat.decodeEvents()
  }

  /**
   * Waits for the first frames. An error that comes before anything else is a failed attempt like any
   * other: another deployment may answer.
   * @throws GatewayError
   */
  static async open(attempt: Attempt, response: Response): Promise<UpstreamStream> {
    const isStream = response.headers.get("content-type")?.includes("text/event-stream") ?? false
    if (!isStream || !response.body) {
      throw new GatewayError(
        "upstream_error",
        `Provider '${attempt.endpoint.provider}' did not answer with a stream. Try again without 'stream'.`,
      )
    }
    const stream = new UpstreamStream(attempt, response.body)
    stream.#first = await stream.read()
    if (!stream.#first) throw stream.#brokenOff()
    if (stream.#failure !== undefined && !stream.meter.delivered) throw stream.#failure
    return stream
  }

  /**
   * The next frames, metered; undefined at a proper end.
   * @throws GatewayError when the upstream failed, was late, broke off or sent what cannot be read.
   */
  async read(): Promise<readonly SseFrame[] | undefined> {
    if (this.#first) {
      const first = this.#first
      this.#first = undefined
      return first
    }
    if (this.#failure !== undefined) throw this.#failure
    const frames = await this.#readFrames()
    if (!frames) {
      this.meter.push(this.#decoder.end())
      if (!this.#decoder.finished) throw this.#brokenOff()
      return undefined
    }
    return this.#metered(frames)
  }

  /** Frames that came in one piece with a failure behind them are the caller's all the same. */
  #metered(frames: readonly SseFrame[]): readonly SseFrame[] {
    let sound = 0
    try {
      for (const frame of frames) {
        this.meter.push(this.#decoder.push(frame))
        if (this.meter.failure !== undefined) throw this.#failed(this.meter.failure)
        sound++
      }
    } catch (failure) {
      if (sound === 0) throw failure
      this.#failure = failure
      return frames.slice(0, sound)
    }
    return frames
  }

  /** After the last word: takes the end, so that the connection can serve again. */
  async drain(): Promise<void> {
    this.#isSaid = true
    this.attempt.dueAt = Date.now() + HANG_UP_TIME
    try {
      while (await this.#reader.read()) {
        // Whatever follows the last word says nothing.
      }
    } catch {
      // The answer is whole already.
    } finally {
      this.attempt[Symbol.dispose]()
    }
  }

  async #readFrames(): Promise<readonly SseFrame[] | undefined> {
    try {
      this.attempt.resume()
      const events = await this.#reader.read()
      this.attempt.pause()
      return events?.map(parsed)
    } catch (error) {
      throw this.attempt.explain(error)
    }
  }

  #brokenOff(): GatewayError {
    return new GatewayError(
      "upstream_error",
      `The stream of provider '${this.attempt.endpoint.provider}' ended before the answer did. Only what was delivered is charged; try again.`,
    )
  }

  #failed(message: string): GatewayError {
    return new GatewayError(
      "upstream_error",
      `Provider '${this.attempt.endpoint.provider}' failed while it answered: ${message.slice(0, 500)}`,
    )
  }
}

/** Parses a frame once for everyone: its decoder, its patches, its meter. */
function parsed(frame: SseFrame): SseFrame {
  const isObject = frame.data.charCodeAt(0) === OPENING_BRACE
  const json = isObject ? parseJsonObject(frame.data) : undefined
  return json === undefined ? frame : { ...frame, json }
}
