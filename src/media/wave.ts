import { waveHeader } from "../canon/wave-header.ts"

/** Yields a WAV header and then the samples. `waveHeader` documents the other arguments. */
export async function* wrapWave(
  samples: AsyncIterable<Uint8Array>,
  bytes?: number,
  rate?: number,
): AsyncGenerator<Uint8Array> {
  yield waveHeader(bytes, rate)
  yield* samples
}

const MAX_HEADER_BYTES = 64 * 1024

/** Yields the samples of a WAV file. */
export async function* unwrapWave(file: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let head: Uint8Array | undefined = new Uint8Array()
  for await (const chunk of file) {
    if (head === undefined) {
      yield chunk
      continue
    }
    head = Buffer.concat([head, chunk])
    const at = samplesAt(head)
    if (at === undefined && head.byteLength < MAX_HEADER_BYTES) continue
    if (at === undefined) throw new Error("the WAV file has no samples")
    if (at < head.byteLength) yield head.subarray(at)
    head = undefined
  }
}

/** Returns the position of the content of the `data` chunk; undefined until it has arrived. */
export function samplesAt(bytes: Uint8Array): number | undefined {
  return chunkAt(bytes, 0x64617461)
}

/** Returns the position of the content of the first chunk with an id. Each chunk is at least as long as its header. */
export function chunkAt(bytes: Uint8Array, id: number): number | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = 12
  while (at + 8 <= view.byteLength) {
    if (view.getUint32(at) === id) return at + 8
    const size = view.getUint32(at + 4, true)
    at += 8 + size + (size % 2)
  }
  return undefined
}
