import type { Writable } from "../../../canon/writable.ts"
import { extraOf } from "../../../canon/extra.ts"
import {
  invalidType,
  invalidValue,
  missingParameter,
  unsupportedValue,
} from "../../../canon/invalid-request.ts"
import {
  isJsonObject,
  isDefined,
  type JsonObject,
  type JsonValue,
  listAt,
  objectAt,
  textAt,
  unknownFields,
} from "../../../canon/json.ts"
import type { Tool, ToolChoice } from "../../../canon/tool.ts"
import type { DecodedTools } from "../../shared/tools.ts"
import { optionalText } from "../../shared/validation.ts"
import { DIALECT } from "../identifiers.ts"
import type { GenerationParameters } from "../request/parameters.ts"
import { jsonSchemaOf, withLowercaseTypes } from "../schema.ts"
import type { TextPart, ToolResultPart } from "../../../canon/message.ts"
import { decodeMediaPart, type MediaPart } from "../messages/decode-request-parts.ts"

const MODES = ["AUTO", "ANY", "NONE"] as const

const DECLARATION_FIELDS = new Set(["name", "description", "parameters", "parametersJsonSchema"])
const FUNCTIONS = new Set(["functionDeclarations"])

/**
 * Returns the tools of a request; undefined if it has no tools. `others` are tools that Google runs itself, such as
 * `googleSearch`.
 */
export function decodeTools(
  parameters: GenerationParameters,
): DecodedTools<JsonObject> | undefined {
  if (!isDefined(parameters.tools)) return undefined
  const tools: Tool[] = []
  const others: JsonObject[] = []
  for (const [index, tool] of (parameters.tools as JsonObject[]).entries()) {
    const declared = listAt(tool, "functionDeclarations")
    for (const [position, declaration] of declared.entries()) {
      const name = `tools[${index}].functionDeclarations[${position}]`
      tools.push(decodeDeclaration(declaration, name))
    }
    const other = unknownFields(tool, FUNCTIONS)
    if (other !== undefined) others.push(other)
  }
  return { tools, others }
}

function decodeDeclaration(declaration: JsonValue, place: string): Tool {
  if (!isJsonObject(declaration)) throw invalidType(place, "an object", declaration)
  const name = textAt(declaration, "name")
  if (name === undefined) throw missingParameter(`${place}.name`)
  const tool: Writable<Tool> = { name }
  const description = optionalText(declaration, "description", place)
  if (description !== undefined) tool.description = description
  const schema = objectAt(declaration, "parametersJsonSchema")
  const parameters = objectAt(declaration, "parameters")
  if (schema !== undefined) tool.parameters = withLowercaseTypes(schema)
  else if (parameters !== undefined) tool.parameters = jsonSchemaOf(parameters)
  const extra = unknownFields(declaration, DECLARATION_FIELDS)
  if (extra !== undefined) tool.extra = extraOf(DIALECT, extra)
  return tool
}

/** The tool choice of a request, and whether the canon can represent all of it. */
export interface DecodedChoice {
  readonly toolChoice?: ToolChoice
  /** Whether the choice contains more than the canon can represent. */
  readonly isMore?: boolean
}

/** Decodes which functions the model may call, and whether it must call one. */
export function decodeToolChoice({ toolConfig }: GenerationParameters): DecodedChoice {
  const config = toolConfig?.functionCallingConfig
  if (!isDefined(config)) return {}
  const allowed = config.allowedFunctionNames ?? []
  switch (config.mode) {
    case undefined:
    case null:
    case "MODE_UNSPECIFIED":
      return {}
    case "AUTO":
      return { toolChoice: { type: "auto" } }
    case "NONE":
      return { toolChoice: { type: "none" } }
    // The model answers with calls or with text, and calls follow their schemas. Other dialects call this strict
    // functions.
    case "VALIDATED":
      return { toolChoice: { type: "auto" }, isMore: true }
    case "ANY":
      return allowed.length === 1
        ? { toolChoice: { type: "tool", name: allowed[0] ?? "" } }
        : { toolChoice: { type: "required" }, isMore: allowed.length > 1 }
    default:
      throw unsupportedValue("toolConfig.functionCallingConfig.mode", config.mode, MODES)
  }
}

/** Checks that a function which must be called is declared. */
export function checkChoice({ toolChoice }: DecodedChoice, functions: readonly Tool[]): void {
  if (toolChoice?.type !== "tool") return
  const { name } = toolChoice
  if (functions.some((tool) => tool.name === name)) return
  throw invalidValue(
    "toolConfig.functionCallingConfig.allowedFunctionNames",
    `'${name.slice(0, 100)}' is not among the functions that 'tools' declares.`,
  )
}

const RESPONSE_FIELDS = new Set(["id", "name", "response", "parts"])

/**
 * Decodes the result of a function. If `output` or `error` is the only member, the result is not an object, by Google's
 * convention.
 * @param id the id of the call that the result answers.
 */
export function decodeFunctionResponse(
  answered: JsonObject,
  id: string,
  place: string,
): ToolResultPart {
  const name = `${place}.functionResponse`
  if (id === "") throw missingParameter(`${name}.name`)
  const { response } = answered
  if (isDefined(response) && !isJsonObject(response)) {
    throw invalidType(`${name}.response`, "an object", response)
  }
  const { text, failed } = textOf(isJsonObject(response) ? response : {})
  const shown = listAt(answered, "parts")
    .filter(isJsonObject)
    .map((part, index) => decodeMediaPart(part, `${name}.parts[${index}]`))
    .filter((part): part is MediaPart => part !== undefined)
  const words: TextPart = { type: "text", text }
  const result: Writable<ToolResultPart> = { type: "tool-result", id, content: [words, ...shown] }
  if (failed) result.failed = true
  const extra = unknownFields(answered, RESPONSE_FIELDS)
  if (extra !== undefined) result.extra = extraOf(DIALECT, { functionResponse: answered })
  return result
}

function textOf(response: JsonObject): { readonly text: string; readonly failed: boolean } {
  const { output, error } = response
  const isAlone = Object.keys(response).length === 1
  if (isAlone && typeof error === "string") return { text: error, failed: true }
  if (isAlone && typeof output === "string") return { text: output, failed: false }
  return { text: JSON.stringify(response), failed: false }
}
