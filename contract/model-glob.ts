/**
 * Returns a function that matches a model's id against a glob: `*` matches any number of characters, `?` matches one,
 * and all other characters match themselves. Users write these globs, and each is matched against hundreds of ids on
 * the event loop. Matching therefore takes linear time, while a backtracking expression could take exponential time.
 */
export function globMatcher(glob: string): (text: string) => boolean {
  const [first = "", ...rest] = glob.split("*")
  const last = rest.pop()
  if (last === undefined) return (text) => text.length === first.length && fits(first, text, 0)
  return (text) => {
    const end = text.length - last.length
    if (end < first.length || !fits(first, text, 0) || !fits(last, text, end)) return false
    // Choosing the leftmost match of each chunk leaves the most room for later chunks.
    let from = first.length
    for (const chunk of rest) {
      const at = placeOf(chunk, text, from, end)
      if (at === -1) return false
      from = at + chunk.length
    }
    return true
  }
}

/** Returns the position of the first match of a chunk in a range; -1 if there is none. */
function placeOf(chunk: string, text: string, from: number, end: number): number {
  for (let at = from; at + chunk.length <= end; at++) if (fits(chunk, text, at)) return at
  return -1
}

/** Whether a chunk without `*` matches at a position. */
function fits(chunk: string, text: string, at: number): boolean {
  for (let index = 0; index < chunk.length; index++) {
    const wanted = chunk[index]
    if (wanted !== "?" && wanted !== text[at + index]) return false
  }
  return true
}

/** Longer than any glob, so that a part of it can only be matched by `*`. */
const LONG_TEXT = "\u0001".repeat(1_000)
const ANY_CHARACTER = "\u0002"

/**
 * Whether a glob matches every text that another glob matches. The inner glob is tried with the shortest and with a
 * very long text for each `*`. These texts consist of characters that no glob contains.
 */
export function globIncludes(outer: string, inner: string): boolean {
  const matches = globMatcher(outer)
  const characters = inner.replaceAll("?", ANY_CHARACTER)
  return ["", LONG_TEXT].every((text) => matches(characters.replaceAll("*", text)))
}
