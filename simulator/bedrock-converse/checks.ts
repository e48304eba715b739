import { checkThinking } from "../claude-thinking.ts"
import { arrayOf, isObject, objectOf, stringOf, type Json, type JsonObject } from "../json.ts"
import { invalid, invalidForModel, unknownMember, type VendorError } from "./errors.ts"
import { checkMessages } from "./message-checks.ts"
import { thinkingConfig } from "./thinking-config.ts"

// The members of a Converse request according to the SDK's types. AWS silently drops other members. The simulator
// rejects them, so that no loss goes unnoticed.
const MEMBERS = new Set([
  "messages",
  "system",
  "inferenceConfig",
  "toolConfig",
  "guardrailConfig",
  "additionalModelRequestFields",
  "promptVariables",
  "additionalModelResponseFieldPaths",
  "requestMetadata",
  "performanceConfig",
  "serviceTier",
])
const INFERENCE_MEMBERS = new Set(["maxTokens", "temperature", "topP", "stopSequences"])
/** Models with structured output (docs.aws.amazon.com/bedrock/latest/userguide/structured-output). */
const STRUCTURED =
  /claude-(?:(?:haiku|sonnet|opus)-4-[56]|\w+-5)|gpt-oss|mistral-large-3|ministral|magistral|voxtral|qwen3|deepseek|gemma-3|minimax|kimi|nemotron|devstral|glm/
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/

/** Returns Bedrock's error for the request; undefined if the request is valid. */
export function checkRequest(body: JsonObject, model = ""): VendorError | undefined {
  const wrong =
    checkMembers(body, model) ??
    checkInference(objectOf(body.inferenceConfig)) ??
    checkSystem(body.system) ??
    checkTools(body.toolConfig)
  return wrong === undefined ? (checkMessages(body) ?? checkModelFields(body)) : invalid(wrong)
}

function checkMembers(body: JsonObject, model: string): string | undefined {
  for (const name in body) {
    if (name === "outputConfig") {
      if (STRUCTURED.test(model)) continue
      return "This model doesn't support the outputConfig field. Remove outputConfig and try again."
    }
    if (!MEMBERS.has(name)) return unknownMember(name)
  }
  for (const name of ["inferenceConfig", "toolConfig", "additionalModelRequestFields"]) {
    const value = body[name]
    if (value !== undefined && !isObject(value)) return `${name} must be an object`
  }
  return undefined
}

function constraint(place: string, value: Json, rule: string): string {
  return `1 validation error detected: Value '${String(value)}' at '${place}' failed to satisfy constraint: Member must ${rule}`
}

function checkInference(config: JsonObject): string | undefined {
  for (const name in config) {
    if (!INFERENCE_MEMBERS.has(name)) return unknownMember(`inferenceConfig.${name}`)
  }
  const { maxTokens, temperature, topP, stopSequences } = config
  if (maxTokens !== undefined && !(Number.isInteger(maxTokens) && Number(maxTokens) >= 1)) {
    const rule = "have value greater than or equal to 1"
    return constraint("inferenceConfig.maxTokens", maxTokens, rule)
  }
  for (const [name, value] of Object.entries({ temperature, topP })) {
    if (value === undefined || (typeof value === "number" && value >= 0 && value <= 1)) continue
    const rule = "have value less than or equal to 1"
    return constraint(`inferenceConfig.${name}`, value, rule)
  }
  const stop = arrayOf(stopSequences)
  if (stop.length > 4) {
    const rule = "have length less than or equal to 4"
    return constraint("inferenceConfig.stopSequences", JSON.stringify(stop), rule)
  }
  const blank = stop.find((sequence) => stringOf(sequence) === "")
  if (blank === undefined) return undefined
  const rule = "have length greater than or equal to 1"
  return constraint("inferenceConfig.stopSequences", blank, rule)
}

function checkSystem(system: Json | undefined): string | undefined {
  for (const [index, block] of arrayOf(system).entries()) {
    const { text, cachePoint, guardContent } = objectOf(block)
    if (cachePoint !== undefined || guardContent !== undefined) continue
    const place = `system.${index}`
    if (typeof text !== "string" || text.trim() === "") {
      return `The text field in the SystemContentBlock object at ${place} is blank. Add text to the text field, and try again.`
    }
  }
  return undefined
}

function checkTools(config: Json | undefined): string | undefined {
  if (config === undefined) return undefined
  const { tools, toolChoice } = objectOf(config)
  const list = arrayOf(tools)
  if (list.length === 0) {
    return constraint("toolConfig.tools", "[]", "have length greater than or equal to 1")
  }
  const names = new Set<string>()
  for (const [index, tool] of list.entries()) {
    const { toolSpec, systemTool, cachePoint } = objectOf(tool)
    if (systemTool !== undefined || cachePoint !== undefined) continue
    const place = `toolConfig.tools.${index}`
    const error = checkSpecification(objectOf(toolSpec), `${place}.toolSpec`)
    if (error !== undefined) return error
    const name = stringOf(objectOf(toolSpec).name)
    if (names.has(name)) return `The tool name ${name} is already used. Use another name.`
    names.add(name)
  }
  return toolChoice === undefined ? undefined : checkToolChoice(objectOf(toolChoice), names)
}

function checkSpecification(specification: JsonObject, place: string): string | undefined {
  const { name, description, inputSchema, strict: _, ...rest } = specification
  for (const member in rest) return unknownMember(`${place}.${member}`)
  if (typeof name !== "string" || !TOOL_NAME.test(name)) {
    const rule = "satisfy regular expression pattern: [a-zA-Z0-9_-]+"
    return constraint(`${place}.name`, name ?? null, rule)
  }
  if (description === "") {
    return constraint(`${place}.description`, "", "have length greater than or equal to 1")
  }
  const schema = objectOf(inputSchema).json
  if (!isObject(schema)) return constraint(`${place}.inputSchema.json`, null, "not be null")
  return schema.type === "object"
    ? undefined
    : `The value at ${place}.inputSchema.json.type must be one of the following: object.`
}

function checkToolChoice(choice: JsonObject, names: Set<string>): string | undefined {
  const kinds = Object.keys(choice)
  const [kind = ""] = kinds
  if (kinds.length !== 1 || !["auto", "any", "tool"].includes(kind)) {
    return "The toolChoice must set one of the following keys: auto, any, tool."
  }
  const name = stringOf(objectOf(choice.tool).name)
  if (kind !== "tool" || names.has(name)) return undefined
  return `The toolChoice names the tool ${name}, which is not in toolConfig.tools.`
}

/** Returns the model's own error for the fields that Bedrock passes on to the model. */
function checkModelFields(body: JsonObject): VendorError | undefined {
  const fields = objectOf(body.additionalModelRequestFields)
  const inference = objectOf(body.inferenceConfig)
  const number = (value: Json | undefined) => (typeof value === "number" ? value : undefined)
  const choice = objectOf(objectOf(body.toolConfig).toolChoice)
  const wrong = checkThinking(thinkingConfig(body), {
    limit: number(inference.maxTokens),
    temperature: number(inference.temperature),
    topP: number(inference.topP),
    topK: number(fields.top_k),
    isToolForced: choice.any !== undefined || choice.tool !== undefined,
  })
  return wrong === undefined ? undefined : invalidForModel(wrong)
}
