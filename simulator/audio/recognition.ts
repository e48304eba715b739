/** A word and its time in seconds. */
export interface HeardWord {
  readonly text: string
  readonly start: number
  readonly end: number
}

/** The recognized content of audio, which depends only on its bytes. */
export interface Recognition {
  readonly text: string
  /** Duration of the audio in seconds. */
  readonly duration: number
  readonly words: readonly HeardWord[]
  readonly segments: readonly HeardWord[]
}

/** Returns the transcript of a sound. The words describe its size and its hash, and are spread over its duration. */
export function recognize(bytes: Uint8Array, opening = "A sound"): Recognition {
  const hash = Bun.hash.crc32(bytes).toString(16).padStart(8, "0")
  const sentences = [`${opening} of ${bytes.length} bytes.`, `Its checksum is ${hash}.`]
  const text = sentences.join(" ")
  const duration = round(durationOf(bytes))
  const all = text.split(" ")
  const words = all.map((word, index) => ({
    text: word,
    start: round((duration * index) / all.length),
    end: round((duration * (index + 1)) / all.length),
  }))
  const first = (sentences[0] ?? "").split(" ").length
  const middle = words[first]?.start ?? duration
  return {
    text,
    duration,
    words,
    segments: [
      { text: sentences[0] ?? "", start: 0, end: middle },
      { text: sentences[1] ?? "", start: middle, end: duration },
    ],
  }
}

function round(seconds: number): number {
  return Math.round(seconds * 1000) / 1000
}

/**
 * Returns the duration in seconds. It is exact for plain WAV files, and otherwise computed from a bit rate of 128
 * kbit/s.
 */
function durationOf(bytes: Uint8Array): number {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const isWave = view.length >= 44 && view.toString("latin1", 0, 4) === "RIFF"
  return isWave ? (view.length - 44) / view.readUInt32LE(28) : view.length / 16_000
}
