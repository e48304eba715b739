/** Returns the words of a text in lowercase; the text itself if it has no words. */
export function wordsIn(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu)
  return words === null ? [text] : [...words]
}
