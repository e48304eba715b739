import { JsonScanner } from "../../canon/json-structure.ts"
import { isJsonObject, parseJson, type JsonObject, textAt } from "../../canon/json.ts"
import type { Tool, ToolOrigin } from "../../canon/tool.ts"
import type { LossList } from "./losses.ts"

/** Returns the text in the arguments of a function that replaces a custom tool. */
export function textOf(written: string): string {
  const text = onlyText(written)
  if (text !== undefined) return text
  const reader = new TextReader()
  return reader.push(written) + reader.end()
}

const HEAD = /^\s*\{\s*"input"\s*:\s*"/
const TAIL = /^"\s*\}\s*$/
/**
 * Maximum characters before the text that are read for each chunk. A longer beginning is only read at the end, because
 * otherwise each chunk would read it again.
 */
const MAX_HEAD = 1024
/** Length of the longest escape in characters. */
const MAX_ESCAPE_LENGTH = 6
/** Matches an escape whose end may still arrive. */
const INCOMPLETE_ESCAPE = /^\\(?:u[0-9a-f]{0,3})?$/i

/** Extracts the text from streamed arguments. Everything after an invalid escape is kept unchanged. */
export class TextReader {
  /** Received arguments that have not been returned yet. */
  #rest = ""
  /**
   * The state of reading. Arguments of another form, and invalid arguments, are only collected, because otherwise each
   * chunk would read them again.
   */
  #state: "head" | "text" | "other" | "invalid" | "over" = "head"

  /**
   * Reads a chunk of arguments.
   * @returns the text that has become known and was not returned before.
   */
  push(chunk: string): string {
    if (this.#state === "over") return ""
    this.#rest += chunk
    if (this.#state === "head") this.#readHead()
    if (this.#state !== "text") return ""
    const { text, end } = unescaped(this.#rest)
    this.#rest = this.#rest.slice(end)
    if (this.#rest.startsWith('"')) this.#state = "over"
    else if (this.#rest !== "" && !isIncompleteEscape(this.#rest)) this.#state = "invalid"
    return text
  }

  /**
   * Ends the arguments.
   * @returns the text of arguments in another form, or the rest of invalid JSON.
   */
  end(): string {
    const state = this.#state
    this.#state = "over"
    if (state === "head" || state === "other") return looseText(this.#rest)
    return state === "invalid" ? this.#rest : ""
  }

  #readHead(): void {
    const head = HEAD.exec(this.#rest.slice(0, MAX_HEAD))
    if (head !== null) {
      this.#state = "text"
      this.#rest = this.#rest.slice(head[0].length)
    } else if (this.#rest.length >= MAX_HEAD) this.#state = "other"
  }
}

/** Returns the text if it is the only member of valid arguments. Parsing is faster than reading characters. */
function onlyText(written: string): string | undefined {
  const head = HEAD.exec(written.slice(0, MAX_HEAD))
  const end = written.lastIndexOf('"')
  if (head === null || written.length - end > MAX_HEAD || !TAIL.test(written.slice(end))) {
    return undefined
  }
  try {
    // The part starts with a quote, so it is a single string or invalid. The limits on parsed JSON are not needed.
    return JSON.parse(written.slice(head[0].length - 1, end + 1)) as string
  } catch {
    return undefined
  }
}

function isIncompleteEscape(rest: string): boolean {
  return rest.length < MAX_ESCAPE_LENGTH && INCOMPLETE_ESCAPE.test(rest)
}

const BACKSLASH = 0x5c
const QUOTE = 0x22
const LETTER_U = 0x75
/** The characters of short escapes, by the code of the letter in the escape. */
const ESCAPED: ReadonlyMap<number | undefined, number> = new Map(
  Object.entries({ n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" }).map(([letter, character]) => [
    letter.charCodeAt(0),
    character.charCodeAt(0),
  ]),
)

/**
 * Reads the complete characters of JSON text: plain characters and entire escapes. A text may have millions of escapes.
 * @returns the text, and the position at which reading stopped: a quote, an invalid or incomplete escape, or the end.
 */
function unescaped(written: string): { readonly text: string; readonly end: number } {
  const plain = plainLength(written)
  if (written.charCodeAt(plain) !== BACKSLASH) return { text: written.slice(0, plain), end: plain }
  const units = new Uint16Array(written.length)
  let length = 0
  let at = 0
  while (at < written.length) {
    let unit = written.charCodeAt(at)
    if (unit === QUOTE) break
    let size = 1
    if (unit === BACKSLASH) {
      const letter = written.charCodeAt(at + 1)
      size = letter === LETTER_U ? MAX_ESCAPE_LENGTH : 2
      unit = letter === LETTER_U ? hexValue(written, at + 2) : (ESCAPED.get(letter) ?? letter)
      if (Number.isNaN(unit)) break
    }
    units[length++] = unit
    at += size
  }
  return { text: Buffer.from(units.buffer, 0, 2 * length).toString("utf16le"), end: at }
}

/** Returns the number of characters before the first quote or escape. */
function plainLength(written: string): number {
  const ends = [written.indexOf('"'), written.indexOf("\\")].filter((end) => end !== -1)
  return Math.min(written.length, ...ends)
}

const NO_DIGIT = 0xff
/** The value of each hexadecimal digit by character code. All other characters have `NO_DIGIT`. */
const DIGIT_VALUES = new Uint8Array(256).fill(NO_DIGIT)
const DIGITS = "0123456789abcdef"
for (let value = 0; value < DIGITS.length; value++) {
  DIGIT_VALUES[DIGITS.charCodeAt(value)] = value
  DIGIT_VALUES[DIGITS.toUpperCase().charCodeAt(value)] = value
}

/** Returns the value of the four hexadecimal digits at a position; NaN if the characters are not digits. */
function hexValue(written: string, start: number): number {
  let value = 0
  for (let at = start; at < start + 4; at++) {
    const digit = DIGIT_VALUES[written.charCodeAt(at)] ?? NO_DIGIT
    if (digit === NO_DIGIT) return Number.NaN
    value = 16 * value + digit
  }
  return value
}

/**
 * Maximum values of arguments in another form that are parsed. A model that renames the member writes only one value.
 */
const MAX_LOOSE_VALUES = 16
const SCANNED_CHARACTERS = 4 * 1024

/** Returns the text of arguments in another form. Models may omit the member or give it another name. */
function looseText(written: string): string {
  const parsed = hasFewValues(written) ? parseJson(written) : undefined
  if (typeof parsed === "string") return parsed
  if (!isJsonObject(parsed)) return written
  const values = Object.values(parsed)
  const text = parsed[PARAMETER] ?? (values.length === 1 ? values[0] : undefined)
  if (typeof text === "string") return text
  return values.length === 0 ? "" : written
}

/**
 * Whether arguments have few values. Scanning stops at the maximum, because all calls of a response are read in one
 * turn of the event loop.
 */
function hasFewValues(written: string): boolean {
  const scanner = new JsonScanner()
  for (let at = 0; at < written.length && scanner.count <= MAX_LOOSE_VALUES;) {
    const end = at + SCANNED_CHARACTERS
    scanner.push(Buffer.from(written.slice(at, end)))
    at = end
  }
  return scanner.count <= MAX_LOOSE_VALUES
}

/** The only parameter of the function that replaces a custom tool. */
const PARAMETER = "input"

const PARAMETERS: JsonObject = Object.freeze({
  type: "object",
  properties: Object.freeze({
    [PARAMETER]: Object.freeze({ type: "string", description: "The text for the tool, as it is." }),
  }),
  required: Object.freeze([PARAMETER]) as unknown as string[],
  additionalProperties: false,
})

/** The characters before the text in the arguments. */
export const TEXT_OPENING = `{"${PARAMETER}":"`
/** The characters after the text in the arguments. */
export const TEXT_CLOSING = '"}'

/** Escapes a chunk of the text, which is written between `TEXT_OPENING` and `TEXT_CLOSING`. */
export function writeText(chunk: string): string {
  return JSON.stringify(chunk).slice(1, -1)
}

/** Returns the text for a custom tool as arguments of the function that replaces it. */
export function textArguments(text: string): string {
  return TEXT_OPENING + writeText(text) + TEXT_CLOSING
}

/** Returns the function that replaces a custom tool. A grammar becomes part of the description. */
export function textTool(name: string, origin: ToolOrigin): Tool {
  const { description, format } = origin
  const parts = [description, format === undefined ? undefined : grammarInWords(format)]
  const words = parts.filter((each) => each !== undefined && each !== "").join("\n\n")
  return { name, ...(words === "" ? {} : { description: words }), parameters: PARAMETERS, origin }
}

function grammarInWords(format: JsonObject): string | undefined {
  const definition = textAt(format, "definition")
  if (format.type !== "grammar" || definition === undefined) return undefined
  const syntax = textAt(format, "syntax") ?? "given"
  return `\`${PARAMETER}\` has to follow this ${syntax} grammar:\n${definition}`
}

/** Reports a loss for grammars, which a dialect without custom tools can only describe. */
export function noteGrammar({ origin }: Tool, losses: LossList): void {
  if (origin?.format?.type === "grammar") losses.add("tools.grammar", "approximated")
}
