import type { JsonObject } from "./json.ts"
import type { AudioPart, MediaSource } from "./message.ts"
import { waveHeader } from "./wave-header.ts"
import type { Writable } from "./writable.ts"

/** Joins the pieces of one clip into one part. Each piece is encoded separately and may end in padding. */
export function joinedAudio(pieces: readonly [AudioPart, ...AudioPart[]]): AudioPart {
  const [first, ...others] = pieces
  if (others.length === 0) return first
  const joined: Writable<AudioPart> = Object.assign({}, ...pieces)
  joined.source = joinedSource([first.source, ...others.map(({ source }) => source)])
  const transcript = pieces.map((piece) => piece.transcript ?? "").join("")
  if (transcript !== "") joined.transcript = transcript
  const { extra } = first
  if (extra !== undefined) {
    const fields = Object.assign({}, ...pieces.map((piece) => piece.extra?.fields)) as JsonObject
    joined.extra = { ...extra, fields }
  }
  return joined
}

type Base64Source = Extract<MediaSource, { readonly type: "base64" }>

/** Returns the audio of all pieces; if no piece has audio, the last source. */
function joinedSource(sources: readonly [MediaSource, ...MediaSource[]]): MediaSource {
  const pieces = sources.filter(
    (source): source is Base64Source => source.type === "base64" && source.data !== "",
  )
  if (pieces.length < 2) return pieces[0] ?? sources.at(-1) ?? sources[0]
  const bytes = pieces.map(({ data }) => Buffer.from(data, "base64"))
  const joined: Base64Source = Object.assign({}, ...pieces)
  return { ...joined, data: Buffer.concat(bytes).toString("base64") }
}

/** Samples of Gemini: 16 bits, little-endian, one channel; Google names the type and the rate in one. */
const SAMPLES = /^audio\/(?:l16|pcm)\b/i
const DEFAULT_RATE = 24_000

/** Samples per second if audio is uncompressed samples without a header; undefined for anything else. */
export function sampleRateOf({ source, format }: AudioPart): number | undefined {
  const type = source.type === "base64" ? source.mediaType : undefined
  if (type === undefined) return format === "pcm16" ? DEFAULT_RATE : undefined
  if (!SAMPLES.test(type)) return undefined
  return Number(/rate=(\d+)/.exec(type)?.[1] ?? DEFAULT_RATE)
}

/** Base64 of samples with the header of a WAV file. @param isWhole whether no more samples follow. */
export function samplesAsWave(data: string, rate: number, isWhole: boolean): string {
  const samples = Buffer.from(data, "base64")
  const header = waveHeader(isWhole ? samples.byteLength : undefined, rate)
  return Buffer.concat([header, samples]).toString("base64")
}
