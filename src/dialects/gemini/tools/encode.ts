import type { ChatRequest } from "../../../canon/chat.ts"
import type { JsonObject } from "../../../canon/json.ts"
import type { Tool, ToolChoice } from "../../../canon/tool.ts"
import type { LossList } from "../../shared/losses.ts"
import type { Message, ToolResultPart } from "../../../canon/message.ts"
import { encodePart } from "../messages/encode-parts.ts"
import type { Encoding } from "../request/encoding.ts"
import { noteGrammar } from "../../shared/text-tool.ts"

/**
 * Encodes the functions of a request, and which of them the model may or must call (docs/contribute/wire/gemini.md#f2).
 */
export function encodeTools(request: ChatRequest, losses: LossList): JsonObject {
  const { tools, toolChoice, parallelToolCalls } = request
  if (tools === undefined || tools.length === 0) return {}
  // Gemini itself decides about parallel calls, so only a request to disable them is a loss.
  if (parallelToolCalls === false) losses.add("parallel_tool_calls")
  const fields: JsonObject = {
    tools: [{ functionDeclarations: tools.map((tool) => declare(tool, losses)) }],
  }
  if (toolChoice !== undefined) {
    fields.toolConfig = { functionCallingConfig: encodeChoice(toolChoice) }
  }
  return fields
}

/**
 * Declares a function. `parametersJsonSchema` accepts any JSON schema, but `parameters` only a subset of OpenAPI's
 * schema.
 */
function declare(tool: Tool, losses: LossList): JsonObject {
  noteGrammar(tool, losses)
  if (tool.strict === true) losses.add("tools.strict")
  if (tool.cache !== undefined) losses.add("cache_control")
  const declared: JsonObject = { name: tool.name }
  if (tool.description !== undefined) declared.description = tool.description
  if (tool.parameters !== undefined) declared.parametersJsonSchema = tool.parameters
  return { ...declared, ...losses.fieldsOf(tool.extra) }
}

function encodeChoice(choice: ToolChoice): JsonObject {
  switch (choice.type) {
    case "auto":
      return { mode: "AUTO" }
    case "none":
      return { mode: "NONE" }
    case "required":
      return { mode: "ANY" }
    case "tool":
      return { mode: "ANY", allowedFunctionNames: [choice.name] }
  }
}

/** An earlier call of the conversation, to which a result can be matched. */
export interface KnownCall {
  readonly name: string
  /** Position of the call among all calls of the conversation. */
  readonly position: number
}

/**
 * Encodes tool results, in the order of their calls and directly after them (docs/contribute/wire/gemini.md#f4). Images
 * and files of the results follow after the last result.
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
  // Calls in the legacy form have no id, so their name is used as the id.
  const functionResponse: JsonObject = {
    name: name ?? result.id,
    response: response(result, text, losses),
  }
  if (quirks.functionCallIds) functionResponse.id = result.id
  return { functionResponse, ...losses.fieldsOf(result.extra) }
}

/**
 * Returns the response as an object. Gemini has the member `output` for a result that is not an object, and `error` for
 * a failed result.
 */
function response(result: ToolResultPart, text: string, losses: LossList): JsonObject {
  return result.failed === true ? { error: text } : losses.objectIn(text, "output")
}

function encodeShown(result: ToolResultPart, { losses }: Encoding): JsonObject[] {
  const shown = result.content.filter((part) => part.type !== "text")
  if (shown.length > 0) losses.add("tool_result.media", "approximated")
  return shown.map((part) => encodePart(part, losses)).filter((part) => part !== undefined)
}
