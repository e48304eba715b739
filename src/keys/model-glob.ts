/**
 * Whether a model's id fits a glob: `*` stands for any characters, `?` for one, everything else for itself.
 * People write these globs, and each is held against hundreds of ids while all callers wait: so it takes
 * a time that grows with their lengths, where an expression that backtracks could take forever.
 */
export function globMatcher(glob: string): (text: string) => boolean {
  const [first = "", ...rest] = glob.split("*")
  const last = rest.pop()
  if (last === undefined) return (text) => text.length === first.length && fits(first, text, 0)
  return (text) => {
    const end = text.length - last.length
    if (end < first.length || !fits(first, text, 0) || !fits(last, text, end)) return false
    // The leftmost place of each chunk leaves the most room for those after it.
    let from = first.length
    for (const chunk of rest) {
      const at = placeOf(chunk, text, from, end)
      if (at === -1) return false
      from = at + chunk.length
    }
    return true
  }
}

/** The first place of a chunk between two others; -1 when there is none. */
function placeOf(chunk: string, text: string, from: number, end: number): number {
  for (let at = from; at + chunk.length <= end; at++) if (fits(chunk, text, at)) return at
  return -1
}

/** Whether a chunk without `*` stands at a place. */
function fits(chunk: string, text: string, at: number): boolean {
  for (let index = 0; index < chunk.length; index++) {
    const wanted = chunk[index]
    if (wanted !== "?" && wanted !== text[at + index]) return false
  }
  return true
}
