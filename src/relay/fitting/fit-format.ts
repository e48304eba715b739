import type { AnswerFormat, ModelRules } from "#contract/model-rules.ts"
import type { ChatRequest } from "../../canon/chat.ts"
import type { Loss } from "../../canon/extra.ts"
import type { JsonObject } from "../../canon/json.ts"
import type { Message } from "../../canon/message.ts"
import type { Tool } from "../../canon/tool.ts"
import type { Writable } from "../../canon/writable.ts"
import {
  describedSchema,
  type SchemaFormat,
  unusedAnswerTool,
} from "../../dialects/shared/schema.ts"
import { requiresCall } from "../../dialects/shared/tools.ts"
import {
  fittedSchema,
  hasObjectRoot,
  isStrictForm,
  type SchemaBudget,
  wrappedSchema,
} from "./fit-schema.ts"
import type { Restoration } from "./restored-response.ts"

const ANSWER_PURPOSE = "Gives the answer. Call it once, with the whole answer."
const INSTRUCTION =
  "Answer with one JSON object and nothing else: no words around it and no code fence."

/**
 * Fits the format of the response to the model. Returns how the response is converted back to the format that the
 * caller requested.
 */
export function fitFormat(
  request: Writable<ChatRequest>,
  rules: ModelRules,
  losses: Loss[],
): Restoration {
  const { responseFormat: format } = request
  if (format?.type === "json-schema") {
    return accepts(rules, "json_schema")
      ? fitSchemaFormat(request, format, rules, losses)
      : replaceFormat(request, format, rules, losses)
  }
  if (format?.type !== "json-object") return {}
  if (accepts(rules, "json_object")) {
    const isMissing = rules.json_word_required === true && !request.messages.some(hasWord)
    if (isMissing) instruct(request, INSTRUCTION)
    return {}
  }
  losses.push({ name: "json_object", effect: "approximated" })
  delete request.responseFormat
  instruct(request, INSTRUCTION)
  return {}
}

function hasWord({ parts }: Message): boolean {
  return parts.some((part) => part.type === "text" && /json/i.test(part.text))
}

/**
 * Fits the schema of a strict tool.
 * @param budget the schema budget that all tools share.
 */
export function fitStrictTool(
  tool: Tool,
  rules: ModelRules,
  budget: SchemaBudget,
  losses: Loss[],
): Tool {
  const { parameters } = tool
  if (tool.strict !== true || parameters === undefined) return tool
  const declared = parameters.type === undefined ? { type: "object", ...parameters } : parameters
  const fitted = fittedSchema(declared, rules, budget)
  const isLoose = rules.strict_requires_all === true && fitted && !isStrictForm(declared)
  if (fitted === undefined || isLoose) {
    losses.push({ name: "tools.strict", effect: "dropped" })
    return { ...tool, strict: false }
  }
  if (fitted === declared) return tool
  losses.push({ name: "tools.strict", effect: "approximated" })
  return { ...tool, parameters: fitted }
}

function accepts({ answer_formats: formats }: ModelRules, format: AnswerFormat): boolean {
  return formats?.includes(format) ?? true
}

function fitSchemaFormat(
  request: Writable<ChatRequest>,
  format: SchemaFormat,
  rules: ModelRules,
  losses: Loss[],
): Restoration {
  if (format.schema === undefined) return {}
  const isWrapped = rules.schema_root_object === true && !hasObjectRoot(format.schema)
  const rooted = isWrapped ? wrappedSchema(format.schema) : format.schema
  const schema = rooted && fittedSchema(rooted, rules)
  if (schema === undefined) return replaceFormat(request, format, rules, losses)
  const isStrict = rules.strict_requires_all !== true || isStrictForm(schema)
  const isLoosened = format.strict === true && !isStrict
  if (schema === format.schema && !isLoosened) return {}
  request.responseFormat = { ...format, schema, ...(isLoosened && { strict: false }) }
  const isApproximated = isLoosened || schema !== rooted
  losses.push({ name: "json_schema", effect: isApproximated ? "approximated" : "emulated" })
  return isWrapped ? { isWrapped } : {}
}

/** Replaces a response format that the model does not support with a tool or an instruction. */
function replaceFormat(
  request: Writable<ChatRequest>,
  format: SchemaFormat,
  rules: ModelRules,
  losses: Loss[],
): Restoration {
  losses.push({ name: "json_schema", effect: "approximated" })
  const asked = describedSchema(format)
  const wrapped = asked === undefined || hasObjectRoot(asked) ? undefined : wrappedSchema(asked)
  const schema = wrapped ?? asked
  const restoration: Restoration = wrapped === undefined ? {} : { isWrapped: true }
  const isObject = schema !== undefined && hasObjectRoot(schema)
  if (isObject && takesAnswerTool(request, rules)) {
    return { ...restoration, answerTool: addAnswerTool(request, schema) }
  }
  if (accepts(rules, "json_object") && isObject) request.responseFormat = { type: "json-object" }
  else delete request.responseFormat
  instruct(request, instructionFor(schema, isObject))
  return restoration
}

function instructionFor(schema: JsonObject | undefined, isObject: boolean): string {
  if (schema === undefined) return INSTRUCTION
  const only = isObject ? INSTRUCTION : INSTRUCTION.replace("object", "value")
  return `${only} It has to follow this JSON schema: ${JSON.stringify(schema)}`
}

function takesAnswerTool({ tools = [], toolChoice }: ChatRequest, rules: ModelRules): boolean {
  if (rules.schema_as_tool !== true || rules.tools === false || rules.tool_choice === false) {
    return false
  }
  return !requiresCall(toolChoice) && tools.length < (rules.max_tools ?? Infinity)
}

/**
 * Adds a tool whose arguments are the response.
 * @returns the name of the tool.
 */
function addAnswerTool(request: Writable<ChatRequest>, schema: JsonObject): string {
  const { tools = [], toolChoice } = request
  const name = unusedAnswerTool(tools)
  request.tools = [...tools, { name, description: ANSWER_PURPOSE, parameters: schema }]
  const isOnly = tools.length === 0 || toolChoice?.type === "none"
  request.toolChoice = isOnly ? { type: "tool", name } : { type: "required" }
  request.parallelToolCalls = false
  delete request.responseFormat
  return name
}

/** Adds an instruction after those at the start of the conversation. */
function instruct(request: Writable<ChatRequest>, text: string): void {
  const { messages } = request
  const start = messages.findIndex(({ role }) => role !== "system" && role !== "developer")
  const instruction: Message = { role: "system", parts: [{ type: "text", text }] }
  request.messages = messages.toSpliced(start === -1 ? messages.length : start, 0, instruction)
}
