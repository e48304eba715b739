/** Points for a matched letter: at the start of a word, right after the previous match, or anywhere else. */
const WORD_START = 8
const NEXT = 5
const ANYWHERE = 1

/**
 * Scores how well a text matches the typed words. The words may be in any order and omit letters: "clsn" finds
 * "claude-sonnet". Returns undefined if the text does not match.
 */
export function fit(typed: string, text: string): number | undefined {
  const target = text.toLowerCase()
  let sum = 0
  for (const word of typed.toLowerCase().split(/\s+/)) {
    const points = fitOfWord(word, target)
    if (points === undefined) return undefined
    sum += points
  }
  // If two matches are otherwise equal, the shorter text wins.
  return sum - target.length / 1_000
}

function fitOfWord(word: string, target: string): number | undefined {
  const whole = target.indexOf(word)
  if (whole !== -1) {
    const ends = [whole, whole + word.length].filter((index) => isBoundary(target, index))
    return word.length * NEXT + ends.length * WORD_START
  }
  let points = 0
  let last = -1
  for (const letter of word) {
    const found = target.indexOf(letter, last + 1)
    if (found === -1) return undefined
    if (isBoundary(target, found)) points += WORD_START
    else points += found === last + 1 ? NEXT : ANYWHERE
    last = found
  }
  // Letters that are far apart do not count as a match.
  return points >= word.length * 2 ? points - word.length : undefined
}

/** Reports whether a word starts or ends between this letter and the previous letter. */
function isBoundary(target: string, index: number): boolean {
  return isLetter(target.charAt(index - 1)) !== isLetter(target.charAt(index))
}

function isLetter(character: string): boolean {
  return /[\p{L}\p{N}]/u.test(character)
}
