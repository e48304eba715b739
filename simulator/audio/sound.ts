import { joined } from "./bytes.ts"
import { flac } from "./flac.ts"
import { opus } from "./ogg.ts"

/** The audio formats that vendors produce. */
export const FORMS = ["mp3", "opus", "aac", "flac", "wav", "pcm"] as const

export type Form = (typeof FORMS)[number]

/** Content types as vendors send them, by audio format. */
export const CONTENT_TYPES: Readonly<Record<Form, string>> = {
  mp3: "audio/mpeg",
  opus: "audio/opus",
  aac: "audio/aac",
  flac: "audio/flac",
  wav: "audio/wav",
  pcm: "audio/pcm",
}

const RATE = 24_000
/** Maximum seconds of audio, so that no test waits longer. */
const MAX_SECONDS = 1_200

/** Returns the duration of a spoken text in seconds. */
export function spokenSeconds(text: string, speed = 1): number {
  return Math.min(MAX_SECONDS, Math.max(0.1, ([...text].length * 0.06) / speed))
}

/** Returns a sound of the given duration in chunks: a tone in uncompressed formats, silence in compressed formats. */
export function sound(form: Form, seconds: number): Uint8Array[] {
  switch (form) {
    case "pcm":
      return tone(seconds)
    case "wav":
      return [waveHead(), ...tone(seconds)]
    case "mp3":
      return repeated(mp3Frame(), seconds / (1152 / 44_100))
    case "aac":
      return repeated(aacFrame(), seconds / (1024 / RATE))
    case "flac":
      return flac(seconds)
    case "opus":
      return opus(seconds)
  }
}

/** Returns the sound as a single chunk. */
export function wholeSound(form: Form, seconds: number): Uint8Array<ArrayBuffer> {
  return joined(sound(form, seconds))
}

/** Returns samples of a tone of 440 Hz, a tenth of a second in each chunk. */
function tone(seconds: number): Uint8Array[] {
  const samples = new Int16Array(Math.round(seconds * RATE))
  for (const index of samples.keys()) {
    samples[index] = Math.round(8_000 * Math.sin((2 * Math.PI * 440 * index) / RATE))
  }
  const bytes = new Uint8Array(samples.buffer)
  const chunks: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += RATE / 5) chunks.push(bytes.slice(at, at + RATE / 5))
  return chunks
}

/**
 * Returns the WAV header for one channel of 16 bits. Its lengths mark a file that is still being written
 * (docs/contribute/wire/README.md#f7).
 */
function waveHead(): Uint8Array {
  const head = Buffer.alloc(44)
  head.write("RIFF")
  head.writeUInt32LE(0xffffffff, 4)
  head.write("WAVEfmt ", 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(RATE, 24)
  head.writeUInt32LE(RATE * 2, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write("data", 36)
  head.writeUInt32LE(0xffffffff, 40)
  return head
}

/** Returns a silent frame of MPEG-1 layer III: 128 kbit/s, 44.1 kHz, one channel. */
function mp3Frame(): Uint8Array {
  const frame = new Uint8Array(417)
  frame.set([0xff, 0xfb, 0x90, 0xc0])
  return frame
}

/** Returns a silent frame of AAC-LC in ADTS: 24 kHz, one channel. */
function aacFrame(): Uint8Array {
  const content = [0x00, 0xc8, 0x00, 0x80, 0x23, 0x80]
  const length = 7 + content.length
  const head = [
    0xff,
    0xf1,
    0x58,
    0x40 | (length >> 11),
    (length >> 3) & 0xff,
    ((length & 7) << 5) | 0x1f,
    0xfc,
  ]
  return Uint8Array.from([...head, ...content])
}

/** Returns a frame repeated the given number of times, eight frames in each chunk. */
function repeated(frame: Uint8Array, times: number): Uint8Array[] {
  const count = Math.max(1, Math.ceil(times))
  const chunks: Uint8Array[] = []
  for (let at = 0; at < count; at += 8) {
    chunks.push(joined(Array.from({ length: Math.min(8, count - at) }, () => frame)))
  }
  return chunks
}
