import { type JsonObject, parseJsonObject } from "../../../canon/json.ts"
import type { Message, ToolResultPart } from "../../../canon/message.ts"
import { encodePart } from "../messages/encode-parts.ts"
import type { Encoding } from "../request/encoding.ts"

/** A call of the conversation so far, for the results that answer it. */
export interface KnownCall {
  readonly name: string
  /** Counts all calls of the conversation. */
  readonly position: number
}

/**
 * What tools answered, in the order of their calls and directly behind them (docs/wire/gemini.md#f4).
 * Images and files that they answered follow after all the results.
 */
export function encodeToolResults(
  messages: readonly Message[],
  calls: ReadonlyMap<string, KnownCall>,
  encoding: Encoding,
): JsonObject[] {
  const results = messages.flatMap(({ parts }) =>
    parts.filter((part) => part.type === "tool-result"),
  )
  const positionOf = ({ id }: ToolResultPart): number => calls.get(id)?.position ?? Infinity
  const ordered = results.toSorted((left, right) => {
    const [first, second] = [positionOf(left), positionOf(right)]
    return first === second ? 0 : first - second
  })
  return [
    ...ordered.map((result) => encodeResult(result, calls.get(result.id)?.name, encoding)),
    ...ordered.flatMap((result) => encodeShown(result, encoding)),
  ]
}

function encodeResult(
  result: ToolResultPart,
  name: string | undefined,
  { quirks, losses }: Encoding,
): JsonObject {
  if (result.cache !== undefined) losses.add("cache_control")
  const texts = result.content.filter((part) => part.type === "text")
  for (const text of texts) {
    losses.fieldsOf(text.extra)
    if (text.cache !== undefined) losses.add("cache_control")
  }
  const text = texts.map((part) => part.text).join("\n")
  // A caller of the oldest form of tools has no id but the name itself.
  const functionResponse: JsonObject = { name: name ?? result.id, response: response(result, text) }
  if (quirks.functionCallIds) functionResponse.id = result.id
  return { functionResponse, ...losses.fieldsOf(result.extra) }
}

/** An object always: `output` and `error` are the names Gemini has for what is none. */
function response(result: ToolResultPart, text: string): JsonObject {
  if (result.failed === true) return { error: text }
  return parseJsonObject(text) ?? { output: text }
}

function encodeShown(result: ToolResultPart, { losses }: Encoding): JsonObject[] {
  const shown = result.content.filter((part) => part.type !== "text")
  if (shown.length > 0) losses.add("tool_result.media", "approximated")
  return shown.map((part) => encodePart(part, losses)).filter((part) => part !== undefined)
}
