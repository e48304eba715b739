import type { Extra } from "./extra.ts"
import type { AudioPart, MediaSource } from "./message.ts"
import { waveHeader } from "./wave-header.ts"
import type { Writable } from "./writable.ts"

type Base64Source = Extract<MediaSource, { readonly type: "base64" }>

/** Joins the bytes of base64 texts as they arrive. Each text may end in padding. */
export class JoinedBase64 {
  #bytes = Buffer.alloc(0)
  #length = 0

  add(base64: string): void {
    const needed = this.#length + Buffer.byteLength(base64, "base64")
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length))
      larger.set(this.#bytes.subarray(0, this.#length))
      this.#bytes = larger
    }
    this.#length += this.#bytes.write(base64, this.#length, "base64")
  }

  get text(): string {
    return this.#bytes.toString("base64", 0, this.#length)
  }
}

/** Joins the pieces of one audio clip into one part as they arrive. A clip may have hundreds of thousands of pieces. */
export class JoinedAudio {
  readonly #part: Writable<AudioPart>
  /** The merged extra of all pieces; undefined if the first piece has no extra. */
  readonly #extra: Extra | undefined
  #transcript: string
  /** The merged sources of all pieces with audio. `data` is only the data of the first piece. */
  #source: Base64Source | undefined
  /** The joined audio of all pieces; undefined until a second piece has audio. */
  #bytes: JoinedBase64 | undefined

  constructor(first: AudioPart) {
    const { extra, transcript = "" } = first
    this.#part = { ...first }
    this.#extra = extra && { ...extra, fields: { ...extra.fields } }
    this.#transcript = transcript
    this.#source = withSound(first.source)
  }

  add(piece: AudioPart): void {
    Object.assign(this.#part, piece)
    if (this.#extra !== undefined) Object.assign(this.#extra.fields, piece.extra?.fields)
    this.#transcript += piece.transcript ?? ""
    const source = withSound(piece.source)
    if (source === undefined) return
    if (this.#source !== undefined) {
      if (this.#bytes === undefined) {
        this.#bytes = new JoinedBase64()
        this.#bytes.add(this.#source.data)
      }
      this.#bytes.add(source.data)
    }
    this.#source = this.#source === undefined ? source : { ...this.#source, ...source }
  }

  /** Returns all pieces received so far as one clip. */
  get whole(): AudioPart {
    const whole: Writable<AudioPart> = { ...this.#part }
    if (this.#source !== undefined) whole.source = this.#source
    if (this.#bytes !== undefined) whole.source = { ...this.#source, data: this.#bytes.text }
    if (this.#transcript !== "") whole.transcript = this.#transcript
    if (this.#extra !== undefined) whole.extra = this.#extra
    return whole
  }
}

function withSound(source: MediaSource): Base64Source | undefined {
  return source.type === "base64" && source.data !== "" ? source : undefined
}

/**
 * Matches the media type of Gemini's uncompressed audio: 16 bits, little-endian, one channel. Google puts the type and
 * the sample rate into one string.
 */
const SAMPLES = /^audio\/(?:l16|pcm)\b/i
const DEFAULT_RATE = 24_000

/**
 * Returns the samples per second of headerless uncompressed audio; undefined for any other audio.
 */
export function sampleRateOf({ source, format }: AudioPart): number | undefined {
  const type = source.type === "base64" ? source.mediaType : undefined
  if (type === undefined) return format === "pcm16" ? DEFAULT_RATE : undefined
  if (!SAMPLES.test(type)) return undefined
  return Number(/rate=(\d+)/.exec(type)?.[1] ?? DEFAULT_RATE)
}

/**
 * Adds a WAV header to base64 samples.
 * @param isWhole whether `data` contains all samples of the clip.
 */
export function samplesAsWave(data: string, rate: number, isWhole: boolean): string {
  const samples = Buffer.from(data, "base64")
  const header = waveHeader(isWhole ? samples.byteLength : undefined, rate)
  return Buffer.concat([header, samples]).toString("base64")
}
