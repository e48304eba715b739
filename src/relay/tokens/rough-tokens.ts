/** How long a token of common text is, in bytes. */
const BYTES_OF_TOKEN = 4

/** About how many tokens a text of so many bytes is, where no one has counted them. */
export function roughTokens(bytes: number): number {
  return Math.ceil(bytes / BYTES_OF_TOKEN)
}
