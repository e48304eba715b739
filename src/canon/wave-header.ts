import { PCM_RATE } from "./speech.ts"

/** The length in the header of a WAV file whose size is not known yet (docs/contribute/wire/README.md#f7). */
const UNKNOWN = 0xffff_ffff
const HEADER = 44

/**
 * Builds the header of a WAV file with one channel of signed 16-bit samples.
 * @param bytes size of the samples in bytes; absent if unknown.
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
