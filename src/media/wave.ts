import { PCM_RATE } from "../canon/speech.ts"

/** The length in the header of a WAV file that is still being written (docs/wire/README.md#f7). */
const UNKNOWN = 0xffff_ffff
const HEADER = 44

/**
 * The header of a WAV file with one channel of signed 16-bit samples.
 * @param bytes of the samples; absent when unknown.
 */
export function waveHeader(bytes?: number, rate: number = PCM_RATE): Uint8Array<ArrayBuffer> {
  const header = new Uint8Array(HEADER)
  const view = new DataView(header.buffer)
  view.setUint32(0, 0x52494646)
  view.setUint32(4, bytes === undefined ? UNKNOWN : bytes + HEADER - 8, true)
  view.setUint32(8, 0x57415645)
  view.setUint32(12, 0x666d7420)
  view.setUint32(16, 16, true)
  view.setUint16(20, 1, true)
  view.setUint16(22, 1, true)
  view.setUint32(24, rate, true)
  view.setUint32(28, rate * 2, true)
  view.setUint16(32, 2, true)
  view.setUint16(34, 16, true)
  view.setUint32(36, 0x64617461)
  view.setUint32(40, bytes ?? UNKNOWN, true)
  return header
}

/** Samples after a WAV header; the arguments are those of `waveHeader`. */
export async function* wrapWave(
  samples: AsyncIterable<Uint8Array>,
  bytes?: number,
  rate?: number,
): AsyncGenerator<Uint8Array> {
  yield waveHeader(bytes, rate)
  yield* samples
}

/** A longer header before the samples is invalid. */
const LONGEST_HEADER = 64 * 1024

/** The samples of a WAV file. */
export async function* unwrapWave(file: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let head: Uint8Array | undefined = new Uint8Array()
  for await (const chunk of file) {
    if (head === undefined) {
      yield chunk
      continue
    }
    head = Buffer.concat([head, chunk])
    const at = samplesAt(head)
    if (at === undefined && head.byteLength < LONGEST_HEADER) continue
    if (at === undefined) throw new Error("a WAV file without samples")
    if (at < head.byteLength) yield head.subarray(at)
    head = undefined
  }
}

/** Where the content of the `data` chunk starts; undefined while that has not arrived. */
function samplesAt(bytes: Uint8Array): number | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = 12
  while (at + 8 <= view.byteLength) {
    if (view.getUint32(at) === 0x64617461) return at + 8
    const size = view.getUint32(at + 4, true)
    at += 8 + size + (size % 2)
  }
  return undefined
}
