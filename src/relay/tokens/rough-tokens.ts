/** How long a token of common text is, in bytes. */
const BYTES_OF_TOKEN = 4

/** About how many tokens a text of so many bytes is, when they were not counted. */
export function roughTokens(bytes: number): number {
  return Math.ceil(bytes / BYTES_OF_TOKEN)
}
