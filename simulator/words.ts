/** The words of a text in lowercase; the text itself when it has none. */
export function wordsIn(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu)
  return words === null ? [text] : [...words]
}
