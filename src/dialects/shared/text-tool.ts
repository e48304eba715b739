import { type JsonObject, textAt } from "../../canon/json.ts"
import type { Tool, ToolOrigin } from "../../canon/tool.ts"
import type { LossList } from "./losses.ts"

/** The only parameter of the function that replaces a custom tool. */
export const PARAMETER = "input"

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
