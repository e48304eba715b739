/** Emphasis that `Style` adds to text, as parameters of the escape sequence. */
const EMPHASIS = { strong: 1, alarm: 31, end: 0 } as const

/** Returns the escape sequence that begins or ends an emphasis. */
export function emphasis(kind: keyof typeof EMPHASIS): string {
  return `\u001b[${EMPHASIS[kind]}m`
}

/**
 * Replaces control characters and line breaks. Names come from callers and vendors, and must not control the terminal.
 */
export function printable(text: string): string {
  return text.replace(/\p{C}/gu, (character) => (character === JOINER ? character : REPLACEMENT))
}

/** Replaces control characters in whole output. Keeps line breaks, and emphasis if the terminal supports it. */
export function printableLines(text: string, isColored: boolean): string {
  const parts = isColored ? text.split(EMPHASIS_PATTERN) : [text]
  const lines = parts.map((part, index) =>
    index % 2 === 1 ? part : part.split("\n").map(printable).join("\n"),
  )
  return lines.join("")
}

/** Escapes control characters that `JSON.stringify` does not escape. The value of the document does not change. */
export function printableJson(json: string): string {
  return json.replace(/\p{C}/gu, (character) =>
    character === "\n" || character === JOINER ? character : escaped(character),
  )
}

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("")
}

/** Emoji of several parts contain this character. */
const JOINER = "\u200d"
const REPLACEMENT = "\ufffd"
/** The group keeps the sequences in the result of `split`. */
const EMPHASIS_PATTERN = new RegExp(`(\\u001b\\[(?:${Object.values(EMPHASIS).join("|")})m)`)
