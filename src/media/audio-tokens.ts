import type { MediaSource } from "../canon/message.ts"

/**
 * Tokens of one second. Gemini counts 32 ("Understand and count tokens"), Qwen's audio models 25,
 * Voxtral 12.5, OpenAI 10 (Realtime guide: one for each 100 ms of a user's audio).
 */
const TOKENS_PER_SECOND = 32

/** Whisper-style encoders process windows of this many seconds, the last one padded with silence. */
const WINDOW_SECONDS = 30

/** The longest audio that a vendor documents for one request: Gemini's 9.5 hours. */
export const LONGEST_SECONDS = 34_200

/**
 * The most input tokens that audio can cost.
 * @returns Infinity if it is linked, or its duration cannot be determined.
 */
export function audioTokenBound(source: MediaSource): number {
  const seconds = source.type === "reference" ? undefined : source.extent?.seconds
  return seconds === undefined ? Infinity : secondsTokens(seconds)
}

/** The most input tokens of so many seconds of audio. */
export function secondsTokens(seconds: number): number {
  return Math.max(1, Math.ceil(seconds / WINDOW_SECONDS)) * WINDOW_SECONDS * TOKENS_PER_SECOND
}
