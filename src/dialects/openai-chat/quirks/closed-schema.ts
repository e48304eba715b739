import { isJsonObject, isDefined, type JsonObject, type JsonValue } from "../../../canon/json.ts"
import type { LossList } from "../../shared/losses.ts"

/**
 * The request format of a vendor that rejects every unknown member. The format is Mistral's: documents are sent as
 * `document_url`, audio only as base64, functions always with parameters, and refusals as text (docs.mistral.ai/api,
 * `additionalProperties: false`).
 */
export interface ClosedSchema {
  /** The members that a message may have, by role. */
  readonly messages: Readonly<Record<string, readonly string[]>>
  /** The nearest accepted value for each value of `reasoning_effort` that the vendor rejects. */
  readonly efforts: Readonly<Record<string, string>>
}

/** Makes a body fit the schema. Nested values are never modified in place. */
export function fitClosedSchema(body: JsonObject, schema: ClosedSchema, losses: LossList): void {
  fitEffort(body, schema, losses)
  if (Array.isArray(body.messages)) {
    body.messages = body.messages.map((message) =>
      isJsonObject(message) ? fitMessage(message, schema, losses) : message,
    )
  }
  fitToolChoice(body, losses)
  if (Array.isArray(body.tools)) body.tools = body.tools.map(withParameters)
}

function fitEffort(body: JsonObject, { efforts }: ClosedSchema, losses: LossList): void {
  const { reasoning_effort: effort } = body
  if (typeof effort !== "string" || !Object.hasOwn(efforts, effort)) return
  body.reasoning_effort = efforts[effort] ?? effort
  // The loss of a budget that was converted to this effort has already been reported.
  if (losses.losses.some(({ name }) => name === "reasoning_budget")) return
  losses.add("reasoning_effort", "approximated")
}

function fitMessage(message: JsonObject, schema: ClosedSchema, losses: LossList): JsonObject {
  const role = typeof message.role === "string" ? message.role : ""
  const known = Object.hasOwn(schema.messages, role) ? schema.messages[role] : undefined
  if (known === undefined) return message
  const { content, refusal, ...members } = message
  const fitted: JsonObject = { role }
  const said = fitContent(content, losses)
  if (said !== undefined) fitted.content = said
  if (typeof refusal === "string" && refusal !== "") {
    losses.add("refusal", "approximated")
    fitted.content = withText(said, refusal)
  }
  for (const [name, value] of Object.entries(members)) {
    if (name === "role") continue
    if (known.includes(name)) fitted[name] = value
    else if (isDefined(value) && !isEmptyList(value)) losses.add(name)
  }
  return fitted
}

/**
 * Whether a value is an empty list. Clients send back received messages, and a response without annotations has an
 * empty list of annotations.
 */
function isEmptyList(value: JsonValue): boolean {
  return Array.isArray(value) && value.length === 0
}

function withText(content: JsonValue | undefined, text: string): JsonValue {
  if (Array.isArray(content)) return [...content, { type: "text", text }]
  return typeof content === "string" ? content + text : text
}

function fitContent(content: JsonValue | undefined, losses: LossList): JsonValue | undefined {
  if (!Array.isArray(content)) return content
  return content.map((part) => (isJsonObject(part) ? fitPart(part, losses) : part))
}

function fitPart(part: JsonObject, losses: LossList): JsonObject {
  const { type, file, input_audio: sound } = part
  if (type === "refusal") {
    losses.add("refusal", "approximated")
    return { type: "text", text: part.refusal ?? "" }
  }
  const fitted = { ...part }
  if (part.cache_control !== undefined) {
    delete fitted.cache_control
    losses.add("cache_control")
  }
  if (type === "input_audio" && isJsonObject(sound)) fitted.input_audio = sound.data ?? ""
  return type === "file" && isJsonObject(file) ? documentOf(file) : fitted
}

function documentOf({ file_id: id, file_data: data, filename }: JsonObject): JsonObject {
  if (isDefined(id)) return { type: "file", file_id: id }
  const document: JsonObject = { type: "document_url", document_url: data ?? "" }
  if (isDefined(filename)) document.document_name = filename
  return document
}

/** Leaves out the tools that the tool choice does not allow, which has the same effect as the choice. */
function fitToolChoice(body: JsonObject, losses: LossList): void {
  const { tool_choice: choice, tools } = body
  if (!isJsonObject(choice) || choice.type !== "allowed_tools") return
  const { mode, tools: allowed } = isJsonObject(choice.allowed_tools)
    ? choice.allowed_tools
    : choice
  const names = new Set(Array.isArray(allowed) ? allowed.map(functionName) : [])
  losses.add("tool_choice", "approximated")
  body.tool_choice = mode === "required" ? "required" : "auto"
  if (Array.isArray(tools)) body.tools = tools.filter((tool) => names.has(functionName(tool)))
}

function functionName(tool: JsonValue): JsonValue | undefined {
  return isJsonObject(tool) && isJsonObject(tool.function) ? tool.function.name : undefined
}

function withParameters(tool: JsonValue): JsonValue {
  if (!isJsonObject(tool) || !isJsonObject(tool.function)) return tool
  if (isDefined(tool.function.parameters)) return tool
  return {
    ...tool,
    function: { ...tool.function, parameters: { type: "object", properties: {} } },
  }
}
