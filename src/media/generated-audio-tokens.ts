import { PCM_RATE, type SoundForm } from "../canon/speech.ts"

/** Tokens per second of speech: 25 in Gemini's recorded responses, about 21 by OpenAI's price per minute. */
export const TOKENS_PER_SECOND = 25

/** Bytes per second at the usual bit rates of vendors. The values for uncompressed formats are exact. */
export const BYTES_PER_SECOND: Readonly<Record<SoundForm, number>> = {
  mp3: 16_000,
  opus: 8_000,
  aac: 12_000,
  flac: 24_000,
  wav: PCM_RATE * 2,
  pcm: PCM_RATE * 2,
}

/**
 * Estimates the tokens of audio from its bytes.
 * @param samples bytes of uncompressed samples as OpenAI streams them.
 * @param packed bytes of compressed audio.
 */
export function audioTokensOf(samples: number, packed: number): number {
  const seconds = samples / BYTES_PER_SECOND.pcm + packed / BYTES_PER_SECOND.mp3
  return Math.ceil(seconds * TOKENS_PER_SECOND)
}
