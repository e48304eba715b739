import { BitWriter, checksum, joined } from "./bytes.ts"

const RATE = 24_000
const BLOCK = 4096

/** Returns silence as FLAC (RFC 9639) with one channel of 16 bits. Each frame is one constant. */
export function flac(seconds: number): Uint8Array[] {
  const samples = Math.max(BLOCK, Math.ceil(seconds * RATE))
  const frames = Math.ceil(samples / BLOCK)
  const head = joined([Buffer.from("fLaC"), streamInfo(frames * BLOCK)])
  return [head, ...Array.from({ length: frames }, (_, index) => frame(index))]
}

function streamInfo(samples: number): Uint8Array {
  const bits = new BitWriter()
  // The header of the last metadata block: type 0, 34 bytes long.
  bits.write(0x80, 8).write(34, 24)
  bits.write(BLOCK, 16).write(BLOCK, 16).write(0, 24).write(0, 24)
  bits.write(RATE, 20).write(0, 3).write(15, 5).write(samples, 36)
  return joined([bits.bytes(), new Uint8Array(16)])
}

function frame(number: number): Uint8Array {
  const head = new BitWriter()
  // The frame header: sync code and fixed block size; 4,096 samples at the sample rate of the stream; one channel of 16
  // bits.
  head.write(0x3ffe, 14).write(0, 2).write(12, 4).write(0, 4).write(0, 4).write(4, 3).write(0, 1)
  const numbered = joined([head.bytes(), Buffer.from(String.fromCodePoint(number))])
  const header = joined([numbered, Uint8Array.of(checksum(numbered, 0x07, 8))])
  // The header is followed by a constant subframe of zero.
  const whole = joined([header, Uint8Array.of(0, 0, 0)])
  const check = checksum(whole, 0x8005, 16)
  return joined([whole, Uint8Array.of(check >> 8, check & 0xff)])
}
