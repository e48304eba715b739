import type { MediaSource } from "../canon/message.ts"

/**
 * Maximum tokens per second. Gemini counts 32 ("Understand and count tokens"), Qwen's audio models 25, and Voxtral
 * 12.5. OpenAI counts 10 (Realtime guide: one token for each 100 ms of a user's audio).
 */
const TOKENS_PER_SECOND = 32

/** Seconds of each window that Whisper-style encoders process. The last window is padded with silence. */
const WINDOW_SECONDS = 30

/** Maximum duration in seconds that a vendor documents for the audio of one request. It is Gemini's 9.5 hours. */
export const MAX_AUDIO_SECONDS = 34_200

/**
 * Returns the maximum input tokens of audio.
 * @returns Infinity if the audio is linked, or if its duration cannot be determined.
 */
export function audioTokenBound(source: MediaSource): number {
  const seconds = source.type === "reference" ? undefined : source.extent?.seconds
  return seconds === undefined ? Infinity : secondsTokens(seconds)
}

/** Returns the maximum input tokens of audio with a duration in seconds. */
export function secondsTokens(seconds: number): number {
  return Math.max(1, Math.ceil(seconds / WINDOW_SECONDS)) * WINDOW_SECONDS * TOKENS_PER_SECOND
}
