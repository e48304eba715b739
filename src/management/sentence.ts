/** Returns a fragment such as an error of the store as a sentence, with a capital letter and a full stop. */
export function toSentence(text: string): string {
  const capital = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.?!]$/.test(capital) ? capital : `${capital}.`
}
