import { PCM_RATE, type SoundForm } from "../canon/speech.ts"

/** Tokens of one second of speech: Gemini's recorded 25, OpenAI's about 21 by its own price per minute. */
export const TOKENS_PER_SECOND = 25

/** Bytes of a second as vendors usually send it; exact for uncompressed formats. */
export const BYTES_PER_SECOND: Readonly<Record<SoundForm, number>> = {
  mp3: 16_000,
  opus: 8_000,
  aac: 12_000,
  flac: 24_000,
  wav: PCM_RATE * 2,
  pcm: PCM_RATE * 2,
}

/** Tokens of audio of which only the bytes are known: samples as OpenAI streams them, or compressed. */
export function audioTokensOf(samples: number, packed: number): number {
  const seconds = samples / BYTES_PER_SECOND.pcm + packed / BYTES_PER_SECOND.mp3
  return Math.ceil(seconds * TOKENS_PER_SECOND)
}
