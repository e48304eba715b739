/** Bytes per token of common text. */
const BYTES_OF_TOKEN = 4

/** Estimates the tokens of a text from its size in bytes. */
export function roughTokens(bytes: number): number {
  return Math.ceil(bytes / BYTES_OF_TOKEN)
}
