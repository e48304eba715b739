import type { ChatRequest } from "../canon/chat.ts"
import { GatewayError } from "../canon/errors.ts"
import type { FormFile } from "../canon/form-file.ts"
import type { ImageFile } from "../canon/image.ts"
import type { MediaSource, Part } from "../canon/message.ts"
import type { Writable } from "../canon/writable.ts"
import type { WorkerPool } from "../workers/worker-pool.ts"
import type { DrawnMask, DrawnStyle } from "./mask.ts"
import type { Measured, MeasureInput } from "./measure/measure.ts"
import type { Duration } from "./measure/duration.ts"
import { readPng, type PngFacts, type PngFault } from "./png.ts"

/** Maximum bytes of a file that is read into memory before it is sent to the measuring thread. */
const SMALL_FILE_BYTES = 256 * 1024

/** Maximum bytes of a PNG that is checked on the main thread, which takes less than two milliseconds. */
const SMALL_PNG_BYTES = 256 * 1024

const DATA_URL_HEAD = 512

/** Inspects media of callers on the worker pool, because inspecting malicious media can take seconds. */
export class MediaInspector {
  readonly #pool: WorkerPool

  constructor(pool: WorkerPool) {
    this.#pool = pool
  }

  /**
   * Measures the documents, audio and video of a request, and stores the results in the sources of the media.
   * @returns undefined if the request has no such media, which is the usual case.
   */
  measure(request: ChatRequest, account: string): Promise<unknown> | undefined {
    let sources: MediaSource[] | undefined
    for (const { parts } of request.messages) {
      for (const part of parts) {
        if (part.type === "text") continue
        for (const source of sourcesOf(part)) (sources ??= []).push(source)
      }
    }
    return sources && Promise.all(sources.map((source) => this.#note(source, account)))
  }

  /** Returns the duration of an audio file in seconds and its upper bound; undefined if it cannot be determined. */
  async duration(file: FormFile, account: string): Promise<Duration | undefined> {
    const { descriptor, size } = file
    const input =
      descriptor === undefined || size <= SMALL_FILE_BYTES
        ? { bytes: await file.slice(0, size) }
        : { descriptor, size }
    return (await this.#measured(input, account))?.duration
  }

  /**
   * Checks a PNG.
   * @throws GatewayError `overloaded`.
   */
  async readPng(bytes: Uint8Array<ArrayBuffer>, account: string): Promise<PngFacts | PngFault> {
    if (bytes.length <= SMALL_PNG_BYTES) return readPng(bytes)
    const facts = await this.#pool.run({ name: "read-png", input: bytes, owner: account })
    return (facts as PngFacts | PngFault | undefined) ?? tooSlow("image")
  }

  /**
   * Draws a mask in the vendor's style.
   * @throws GatewayError `overloaded`.
   */
  async drawMask(mask: ImageFile, style: DrawnStyle, account: string): Promise<DrawnMask> {
    const input = { bytes: mask.bytes, style }
    const drawn = await this.#pool.run({ name: "draw-mask", input, owner: account })
    return (drawn as DrawnMask | undefined) ?? tooSlow("mask")
  }

  async #note(source: MediaSource, account: string): Promise<void> {
    const base64 = base64Of(source)
    if (base64 === undefined || source.type === "reference") return
    const measured = await this.#measured({ base64 }, account)
    const noted: Writable<typeof source> = source
    if (measured?.extent) noted.extent = measured.extent
  }

  async #measured(input: MeasureInput, account: string): Promise<Measured | undefined> {
    const job = { name: "measure-media", input, owner: account }
    return (await this.#pool.run(job)) as Measured | undefined
  }
}

function sourcesOf(part: Part): readonly MediaSource[] {
  if (part.type === "audio" || part.type === "file") return [part.source]
  return part.type === "tool-result" ? part.content.flatMap(sourcesOf) : []
}

function base64Of(source: MediaSource): string | undefined {
  if (source.type === "base64") return source.data
  if (source.type !== "url") return undefined
  const comma = source.url.slice(0, DATA_URL_HEAD).indexOf(",")
  return /^data:/i.test(source.url) && comma > 0 ? source.url.slice(comma + 1) : undefined
}

function tooSlow(field: string): never {
  const message = `The file in '${field}' could not be read in time. Retry, or send a smaller one.`
  throw new GatewayError("overloaded", message, { parameter: field })
}
