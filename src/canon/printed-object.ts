import type { JsonObject, JsonValue } from "./json.ts"

const MAX_DEPTH = 32
/** Matches a value other than a string, a list or an object. */
const WORD = /[\w.+-]{1,40}/y
const WORDS: ReadonlyMap<string, JsonValue> = new Map([
  ["true", true],
  ["True", true],
  ["false", false],
  ["False", false],
  ["null", null],
  ["None", null],
])
const NOT_QUOTE = /[^"\\]*/y
const NOT_APOSTROPHE = /[^'\\]*/y
const SPACE = /\s*/y
/** Matches the text that can follow a string. */
const STRING_END = /\s*(?:[,:}\])]|$)/y
const ESCAPE = /\\(x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}|.)/gs
const CONTROLS: ReadonlyMap<string, string> = new Map([
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["b", "\b"],
  ["f", "\f"],
])

/** An object or a list that was found in a text. */
export interface PrintedObject {
  /** The value; absent if it has no member. */
  readonly value?: JsonObject | JsonValue[]
  /** The index after the last character that was read. */
  readonly end: number
}

/**
 * Reads the object or list at an index of a text, in linear time. It may be JSON or Python's printed form (`{'code':
 * None}`). It may be truncated, or followed by other text.
 */
export function readPrintedObject(text: string, start: number): PrintedObject {
  return new PrintedObjectReader(text, start).read()
}

/** Replaces the escape sequences of JSON and Python. */
export function withoutEscapes(text: string): string {
  if (!text.includes("\\")) return text
  return text.replace(ESCAPE, (whole: string, escaped: string) => {
    if (escaped.length === 1) return CONTROLS.get(escaped) ?? escaped
    const code = Number.parseInt(escaped.slice(1), 16)
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}

class PrintedObjectReader {
  readonly #text: string
  #index: number
  /** Whether the rest of the text cannot be read. */
  #isBroken = false

  constructor(text: string, start: number) {
    this.#text = text
    this.#index = start
  }

  read(): PrintedObject {
    const value = this.#value(0)
    const end = Math.min(this.#index, this.#text.length)
    const hasMembers = typeof value === "object" && value !== null && Object.keys(value).length > 0
    return hasMembers ? { value, end } : { end }
  }

  #value(depth: number): JsonValue | undefined {
    if (depth > MAX_DEPTH) return this.#break()
    switch (this.#next()) {
      case "{":
        return this.#object(depth)
      case "[":
      case "(":
        return this.#list(depth)
      case '"':
      case "'":
        return this.#string()
      case "b":
        if (!/["']/.test(this.#text.charAt(this.#index + 1))) return this.#break()
        this.#index++
        return this.#string()
    }
    const word = this.#match(WORD)
    const value = WORDS.get(word)
    if (value !== undefined) return value
    return word === "" || Number.isNaN(Number(word)) ? this.#break() : Number(word)
  }

  #object(depth: number): JsonObject {
    const members: [string, JsonValue][] = []
    this.#index++
    while (!this.#isAtEnd("}")) {
      if (!/["']/.test(this.#next())) this.#break()
      const name = this.#isBroken ? "" : this.#string()
      if (this.#next() !== ":") this.#break()
      this.#index++
      const value = this.#isBroken ? undefined : this.#value(depth + 1)
      if (value !== undefined) members.push([name, value])
      this.#separator("}")
    }
    return Object.fromEntries(members)
  }

  #list(depth: number): JsonValue[] {
    const close = this.#text.charAt(this.#index++) === "[" ? "]" : ")"
    const items: JsonValue[] = []
    while (!this.#isAtEnd(close)) {
      const value = this.#value(depth + 1)
      if (value !== undefined) items.push(value)
      this.#separator(close)
    }
    return items
  }

  /** Reads a string. An apostrophe within a string in apostrophes is text unless a separator follows. */
  #string(): string {
    const quote = this.#text.charAt(this.#index++)
    const start = this.#index
    const plain = quote === '"' ? NOT_QUOTE : NOT_APOSTROPHE
    for (; this.#index < this.#text.length; this.#index++) {
      this.#match(plain)
      if (this.#text.charAt(this.#index) === "\\") this.#index++
      else if (quote === '"' || this.#endsString()) break
    }
    return withoutEscapes(this.#text.slice(start, this.#index++))
  }

  #endsString(): boolean {
    STRING_END.lastIndex = this.#index + 1
    return STRING_END.test(this.#text)
  }

  /** Reports whether the object or list has ended, and moves past its closing bracket. */
  #isAtEnd(close: string): boolean {
    if (this.#isBroken) return true
    const next = this.#next()
    if (next !== close) return next === ""
    this.#index++
    return true
  }

  #separator(close: string): void {
    const next = this.#next()
    if (next === ",") this.#index++
    else if (next !== close && next !== "") this.#break()
  }

  #next(): string {
    this.#match(SPACE)
    return this.#text.charAt(this.#index)
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#index
    const [matched] = pattern.exec(this.#text) ?? [""]
    this.#index += matched.length
    return matched
  }

  #break(): undefined {
    this.#isBroken = true
  }
}
