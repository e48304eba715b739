/** Returns the words of a text in lowercase. If the text has no words, returns the text itself. */
export function wordsIn(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu)
  return words === null ? [text] : [...words]
}
