/** This moment in whole seconds since 1970, as OpenAI's answers have it. */
export function nowInSeconds(): number {
  return Math.floor(Date.now() / 1000)
}
