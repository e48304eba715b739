const SPACE = 32
const MAX_WORD_CHUNK = 4
const MAX_NUMBER_CHUNK = 3

function isLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90)
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}

function isSpace(code: number): boolean {
  return code === SPACE || (code >= 9 && code <= 13)
}

function isSurrogatePair(text: string, position: number): boolean {
  return (
    (text.charCodeAt(position) & 0xfc00) === 0xd800 &&
    (text.charCodeAt(position + 1) & 0xfc00) === 0xdc00
  )
}

/**
 * Returns the end of the token that begins at `start`. Only the following text is read, so a prefix that ends between
 * two tokens has the same tokens as within the whole text. NaN past the end does not count as a letter.
 */
function tokenEnd(text: string, start: number): number {
  let position = start
  let code = text.charCodeAt(position)
  if (code === SPACE) {
    const next = text.charCodeAt(position + 1)
    if (isLetter(next) || isDigit(next)) {
      position++
      code = next
    }
  }
  if (isLetter(code)) {
    const limit = position + MAX_WORD_CHUNK
    while (position < limit && isLetter(text.charCodeAt(position))) position++
    return position
  }
  if (isDigit(code)) {
    const limit = position + MAX_NUMBER_CHUNK
    while (position < limit && isDigit(text.charCodeAt(position))) position++
    return position
  }
  if (isSpace(code)) {
    while (isSpace(text.charCodeAt(position))) position++
    return position
  }
  return position + (isSurrogatePair(text, position) ? 2 : 1)
}

/** Yields the tokens of {@link tokenize} one by one, for texts with too many tokens for one array. */
export function* eachToken(text: string): Generator<string> {
  let position = 0
  while (position < text.length) {
    const end = tokenEnd(text, position)
    yield text.slice(position, end)
    position = end
  }
}

/**
 * Splits a text into the simulator's tokens: parts of words of up to 4 letters with the preceding space, numbers of up
 * to 3 digits, runs of white space, and single other characters. Joined together, the tokens are the text. There are
 * never more tokens than the text has UTF-8 bytes.
 */
export function tokenize(text: string): string[] {
  return [...eachToken(text)]
}

/** Returns the number of tokens of {@link tokenize} without creating them. */
export function countTokens(text: string): number {
  let count = 0
  let position = 0
  while (position < text.length) {
    position = tokenEnd(text, position)
    count++
  }
  return count
}

/** Returns the first `limit` tokens of the text, their number, and whether any tokens were cut off. */
export function cutTokens(
  text: string,
  limit: number,
): { text: string; tokens: number; cut: boolean } {
  let count = 0
  let position = 0
  while (position < text.length && count < limit) {
    position = tokenEnd(text, position)
    count++
  }
  const cut = position < text.length
  return { text: cut ? text.slice(0, position) : text, tokens: count, cut }
}

// Words that are one token each, with or without a preceding space.
const WORDS =
  "time road hand west rain fire moon salt bell lamp wolf tree gate coin rope tide".split(" ")
const MAX_REMEMBERED_TOKENS = 100_000
const MAX_REMEMBERED = 32
const remembered = new Map<number, string>()

/** Returns a text of exactly `count` tokens. The same count always gives the same text. */
export function wordsOf(count: number): string {
  const known = remembered.get(count)
  if (known !== undefined) return known
  const words: string[] = []
  // Knuth's multiplicative hash gives varied words without a random source.
  for (let index = 0; index < count; index++) {
    words.push(WORDS[(Math.imul(index, 2_654_435_761) >>> 16) % WORDS.length] ?? "time")
  }
  const text = words.join(" ")
  if (count <= MAX_REMEMBERED_TOKENS) {
    if (remembered.size >= MAX_REMEMBERED) remembered.clear()
    remembered.set(count, text)
  }
  return text
}
