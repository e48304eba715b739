import type { ChatRequest, Loss, ResponseFormat, Tool, ToolChoice } from "../../canon/chat.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "../../canon/json.ts"
import { encodeMessages } from "./encode-messages.ts"
import { fitBody } from "./fit.ts"
import type { OpenAiChatQuirks } from "./quirks.ts"
import { LossList } from "./wire.ts"

/** A chat completion request as the vendor takes it (WIRE.md 2). */
export function encodeRequest(
  request: ChatRequest,
  quirks: OpenAiChatQuirks,
): { body: JsonObject; losses: Loss[] } {
  const losses = new LossList()
  const body: JsonObject = {
    model: request.model,
    messages: encodeMessages(request.messages, losses),
  }
  if (request.stream) body.stream = true
  if (request.stream && request.streamUsage) body.stream_options = { include_usage: true }
  if (request.choices > 1) body.n = request.choices
  encodeSampling(body, request, quirks, losses)
  encodeTools(body, request, losses)
  mergeExtra(body, losses.fieldsOf(request.extra))
  fitBody(body, quirks, losses)
  return { body, losses: losses.losses }
}

function encodeSampling(
  body: JsonObject,
  request: ChatRequest,
  quirks: OpenAiChatQuirks,
  losses: LossList,
): void {
  set(body, quirks.maxTokensField, request.maxTokens)
  set(body, "temperature", request.temperature)
  set(body, "top_p", request.topP)
  if (quirks.topK) set(body, "top_k", request.topK)
  else if (request.topK !== undefined) losses.add("top_k")
  set(body, "stop", request.stop === undefined ? undefined : [...request.stop])
  set(body, "seed", request.seed)
  set(body, "presence_penalty", request.presencePenalty)
  set(body, "frequency_penalty", request.frequencyPenalty)
  set(body, "logprobs", request.logprobs)
  set(body, "top_logprobs", request.topLogprobs)
  set(body, "reasoning_effort", request.reasoningEffort)
  set(body, "user", request.user)
  const { responseFormat } = request
  if (responseFormat !== undefined) body.response_format = encodeFormat(responseFormat)
}

function encodeTools(body: JsonObject, request: ChatRequest, losses: LossList): void {
  if (request.tools !== undefined) {
    body.tools = request.tools.map((tool) => encodeTool(tool, losses))
  }
  const { toolChoice } = request
  if (toolChoice !== undefined) body.tool_choice = encodeToolChoice(toolChoice)
  set(body, "parallel_tool_calls", request.parallelToolCalls)
}

function encodeTool(tool: Tool, losses: LossList): JsonObject {
  const declared: JsonObject = { name: tool.name }
  set(declared, "description", tool.description)
  set(declared, "parameters", tool.parameters)
  set(declared, "strict", tool.strict)
  const extra = losses.fieldsOf(tool.extra)
  const inside = extra?.function
  return {
    type: "function",
    ...extra,
    function: isJsonObject(inside) ? { ...declared, ...inside } : declared,
  }
}

function encodeToolChoice(choice: ToolChoice): JsonValue {
  return choice.type === "tool"
    ? { type: "function", function: { name: choice.name } }
    : choice.type
}

function encodeFormat(format: ResponseFormat): JsonObject {
  switch (format.type) {
    case "text":
      return { type: "text" }
    case "json-object":
      return { type: "json_object" }
    case "json-schema": {
      const declared: JsonObject = { name: format.name }
      set(declared, "description", format.description)
      set(declared, "schema", format.schema)
      set(declared, "strict", format.strict)
      return { type: "json_schema", json_schema: declared }
    }
  }
}

/** Fields that the canon has no name for; two of them join what it does have a name for. */
function mergeExtra(body: JsonObject, extra: JsonObject | undefined): void {
  if (extra === undefined) return
  const { tools, stream_options: options, ...rest } = extra
  Object.assign(body, rest)
  if (Array.isArray(tools)) {
    body.tools = Array.isArray(body.tools) ? [...body.tools, ...tools] : tools
  }
  if (isJsonObject(options)) {
    const own = isJsonObject(body.stream_options) ? body.stream_options : {}
    body.stream_options = { ...own, ...options }
  }
}

function set(object: JsonObject, name: string, value: JsonValue | undefined): void {
  if (value !== undefined) object[name] = value
}
