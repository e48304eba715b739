import type { AudioPart, MediaSource } from "./message.ts"
import { waveHeader } from "./wave-header.ts"

/** Two pieces of one clip as one. Each piece is base64 of its own, which may end in padding. */
export function joinedAudio(first: AudioPart, second: AudioPart): AudioPart {
  const said = (first.transcript ?? "") + (second.transcript ?? "")
  return {
    ...first,
    ...second,
    source: joinedSource(first.source, second.source),
    ...(said !== "" && { transcript: said }),
    ...(first.extra && {
      extra: { ...first.extra, fields: { ...first.extra.fields, ...second.extra?.fields } },
    }),
  }
}

function joinedSource(first: MediaSource, second: MediaSource): MediaSource {
  if (first.type !== "base64" || first.data === "") return second
  if (second.type !== "base64" || second.data === "") return first
  const bytes = [first.data, second.data].map((data) => Buffer.from(data, "base64"))
  return { ...first, ...second, data: Buffer.concat(bytes).toString("base64") }
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
