/** The current time in Unix seconds, as in OpenAI's responses. */
export function nowInSeconds(): number {
  return Math.floor(Date.now() / 1000)
}
