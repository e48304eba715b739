import { isJsonObject, type JsonObject, parseJson, textAt } from "../../canon/json.ts"
import type { Tool, ToolOrigin } from "../../canon/tool.ts"
import type { LossList } from "./losses.ts"

/** The one parameter of the function that replaces a text tool. */
const PARAMETER = "input"

const PARAMETERS: JsonObject = Object.freeze({
  type: "object",
  properties: Object.freeze({
    [PARAMETER]: Object.freeze({ type: "string", description: "The text for the tool, as it is." }),
  }),
  required: Object.freeze([PARAMETER]) as unknown as string[],
  additionalProperties: false,
})

/** What precedes the text in the arguments. */
export const TEXT_OPENING = `{"${PARAMETER}":"`
/** What follows the text in the arguments. */
export const TEXT_CLOSING = '"}'

/** Escapes a part of the text, between opening and closing. */
export function writeText(chunk: string): string {
  return JSON.stringify(chunk).slice(1, -1)
}

/** The text for a text tool as arguments of the function that replaces it. */
export function textArguments(text: string): string {
  return TEXT_OPENING + writeText(text) + TEXT_CLOSING
}

/** The function that replaces a text tool; a grammar goes in its description. */
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

/** Reports grammars that a dialect without text tools can only describe. */
export function noteGrammar({ origin }: Tool, losses: LossList): void {
  if (origin?.format?.type === "grammar") losses.add("tools.grammar", "approximated")
}

/** The text in the arguments of a function that replaces a text tool. */
export function textOf(written: string): string {
  const reader = new TextReader()
  return reader.push(written) + reader.end()
}

const HEAD = /^\s*\{\s*"input"\s*:\s*"/
/** Complete characters of JSON text: plain ones, and entire escapes. */
const WHOLE = /^(?:[^"\\]|\\u[0-9a-fA-F]{4}|\\[^u])*/
const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|(.))/gs
/** Characters; a shorter rest is an incomplete escape. */
const LONGEST_ESCAPE = 6
const ESCAPED: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" }

/** Extracts the text from streamed arguments; invalid escapes are kept as they are. */
export class TextReader {
  /** What has arrived and is not returned yet. */
  #rest = ""
  #state: "head" | "text" | "over" = "head"

  /** @returns the text that is known by now and was not returned before. */
  push(chunk: string): string {
    if (this.#state === "over") return ""
    this.#rest += chunk
    if (this.#state === "head") {
      const head = HEAD.exec(this.#rest)
      if (head === null) return ""
      this.#state = "text"
      this.#rest = this.#rest.slice(head[0].length)
    }
    const whole = WHOLE.exec(this.#rest)?.[0] ?? ""
    this.#rest = this.#rest.slice(whole.length)
    if (this.#rest.startsWith('"')) this.#state = "over"
    return whole.includes("\\") ? whole.replaceAll(ESCAPE, unescape) : whole
  }

  /** @returns the text of arguments in any other form, or the rest of invalid JSON. */
  end(): string {
    const state = this.#state
    this.#state = "over"
    if (state === "head") return looseText(this.#rest)
    return state === "text" && this.#rest.length > LONGEST_ESCAPE ? this.#rest : ""
  }
}

function unescape(_: string, code: string | undefined, character: string | undefined): string {
  if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16))
  return ESCAPED[character ?? ""] ?? character ?? ""
}

/** Models omit the member, or give it another name. */
function looseText(written: string): string {
  const parsed = parseJson(written)
  if (typeof parsed === "string") return parsed
  if (!isJsonObject(parsed)) return written
  const values = Object.values(parsed)
  const text = parsed[PARAMETER] ?? (values.length === 1 ? values[0] : undefined)
  if (typeof text === "string") return text
  return values.length === 0 ? "" : written
}
