/**
 * Whether a model's id fits a glob: `*` stands for any characters, `?` for one, everything else for itself.
 * People write these globs, and each is held against hundreds of ids while all callers wait: so it takes
 * a time that grows with their lengths, where an expression that backtracks could take for ever.
 */
export function globMatcher(glob: string): (text: string) => boolean {
  const [first = "", ...rest] = glob.split("*")
  const last = rest.pop()
  if (last === undefined) return (text) => text.length === first.length && fits(first, text, 0)
  return (text) => {
    const end = text.length - last.length
    if (end < first.length || !fits(first, text, 0) || !fits(last, text, end)) return false
    // The leftmost place of each piece leaves the most room for those after it.
    let from = first.length
    for (const piece of rest) {
      const at = placeOf(piece, text, from, end)
      if (at === -1) return false
      from = at + piece.length
    }
    return true
  }
}

/** The first place of a piece between two others; -1 when there is none. */
function placeOf(piece: string, text: string, from: number, end: number): number {
  for (let at = from; at + piece.length <= end; at++) if (fits(piece, text, at)) return at
  return -1
}

/** Whether a piece without `*` stands at a place. */
function fits(piece: string, text: string, at: number): boolean {
  for (let index = 0; index < piece.length; index++) {
    const wanted = piece[index]
    if (wanted !== "?" && wanted !== text[at + index]) return false
  }
  return true
}
