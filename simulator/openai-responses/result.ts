import type { PlannedCall, PlannedChoice } from "../response.ts"
import { base62, hexadecimal } from "../identifiers.ts"
import { arrayOf, objectOf, type Json, type JsonObject } from "../json.ts"
import { logprobsOf, type LogprobsOptions } from "../openai-chat/logprobs.ts"
import { searchesOf, servedTier } from "../searches.ts"
import { thinkingText } from "../thinking-text.ts"
import type { CountedUsage } from "../usage.ts"
import { conversationOf } from "./conversation.ts"
import { type DeclaredTool, declaredTools, textOfCall } from "./declared-tools.ts"
import { encrypt, encryptUnfinished } from "./signer.ts"

/** One item of a response's output. */
export type OutputItem =
  | {
      readonly type: "reasoning"
      readonly id: string
      readonly thought: string
      /** Whether the response contains a summary of the reasoning. */
      readonly isTold: boolean
      readonly isEncrypted: boolean
    }
  | { readonly type: "web_search_call"; readonly id: string; readonly query: string }
  | { readonly type: "message"; readonly id: string; readonly text: string }
  | { readonly type: "code_interpreter_call"; readonly id: string; readonly container: string }
  | {
      readonly type: "function_call"
      readonly id: string
      readonly callId: string
      readonly name: string
      readonly namespace?: string
      readonly argumentsText: string
    }
  | {
      readonly type: "custom_tool_call"
      readonly id: string
      readonly callId: string
      readonly name: string
      readonly input: string
    }

/** The code that the simulated code interpreter runs. */
export const CODE = "print(1 + 1)"

/** The content of a response. */
export interface ResponsesResponse {
  readonly id: string
  readonly created: number
  /** The model's dated name. */
  readonly model: string
  /** The body of the request, whose members the response repeats. */
  readonly body: JsonObject
  readonly items: readonly OutputItem[]
  /** Whether the response was cut off at the token limit. */
  readonly isIncomplete: boolean
  /** The usage; undefined if usage is not reported. */
  readonly usage: CountedUsage | undefined
  readonly logprobs: LogprobsOptions
}

/** The status of a response or of one of its items. */
export type ItemStatus = "in_progress" | "completed" | "incomplete"

/** The error of a response that fails after it has begun. */
export const FAILURE = {
  code: "server_error",
  message:
    "An error occurred while processing your request. You can retry your request, or contact us " +
    "through our help center at help.openai.com if the error persists.",
}

/** Returns a new `resp_` id. */
export function responseId(): string {
  return `resp_${hexadecimal(50)}`
}

/** Returns the items of a planned response. Reasoning comes first, then text or calls. */
export function outputItems(choice: PlannedChoice, echo: string, body: JsonObject): OutputItem[] {
  const items: OutputItem[] = []
  if (choice.reasoningTokens > 0) {
    const summary = objectOf(body.reasoning).summary
    items.push({
      type: "reasoning",
      id: `rs_${hexadecimal(50)}`,
      thought: thinkingText(echo, choice.reasoningTokens),
      isTold: summary !== undefined && summary !== null,
      isEncrypted: arrayOf(body.include).includes("reasoning.encrypted_content"),
    })
  }
  for (const query of searchesOf(body.tools, echo)) {
    items.push({ type: "web_search_call", id: `ws_${hexadecimal(50)}`, query })
  }
  const isCutBefore = choice.text === "" && choice.ending === "length"
  if (choice.text !== null && !isCutBefore) {
    items.push({ type: "message", id: `msg_${hexadecimal(50)}`, text: choice.text })
  }
  const declared = declaredTools(body)
  for (const call of choice.calls) {
    items.push(
      callItem(
        call,
        declared.find(({ name }) => name === call.name),
      ),
    )
  }
  return items
}

function callItem(call: PlannedCall, tool: DeclaredTool | undefined): OutputItem {
  const { name, argumentsText } = call
  const callId = `call_${base62(24)}`
  if (tool?.isText === true) {
    const id = `ctc_${hexadecimal(50)}`
    return { type: "custom_tool_call", id, callId, name: tool.ownName, input: textOfCall(call) }
  }
  const id = `fc_${hexadecimal(50)}`
  if (tool?.namespace === undefined) {
    return { type: "function_call", id, callId, name, argumentsText }
  }
  const { ownName, namespace } = tool
  return { type: "function_call", id, callId, name: ownName, namespace, argumentsText }
}

/** Returns the text part of a message, as recorded. */
export function textPart(text: string, logprobs: LogprobsOptions) {
  return { type: "output_text", annotations: [], logprobs: textLogprobs(text, logprobs), text }
}

/** Returns the log probabilities of a text's tokens; empty if they were not requested. */
export function textLogprobs(text: string, options: LogprobsOptions): Json {
  return objectOf(logprobsOf(text, options)).content ?? []
}

/** Returns an item as recorded. The item is empty while it is in progress, and complete afterwards. */
export function itemObject(item: OutputItem, status: ItemStatus, logprobs: LogprobsOptions) {
  const isBegun = status === "in_progress"
  const { id, type } = item
  switch (item.type) {
    case "reasoning": {
      const { thought, isTold, isEncrypted } = item
      const content = isBegun ? encryptUnfinished() : encrypt(thought)
      const encrypted = isEncrypted ? { encrypted_content: content } : {}
      const summary = isTold && !isBegun ? [{ type: "summary_text", text: thought }] : []
      return { id, type, content: [], ...encrypted, summary }
    }
    case "web_search_call": {
      const action = { type: "search", query: item.query }
      return { id, type, status, ...(isBegun ? {} : { action }) }
    }
    case "message": {
      const content = isBegun ? [] : [textPart(item.text, logprobs)]
      return { id, type, status, content, phase: "final_answer", role: "assistant" }
    }
    case "code_interpreter_call": {
      const { container: container_id } = item
      return { id, type, status, code: isBegun ? "" : CODE, container_id, outputs: null }
    }
    case "function_call": {
      const { argumentsText, callId: call_id, name, namespace } = item
      const text = isBegun ? "" : argumentsText
      return { id, type, status, arguments: text, call_id, name, ...(namespace && { namespace }) }
    }
    case "custom_tool_call": {
      const { input, callId: call_id, name } = item
      return { id, type, status, call_id, input: isBegun ? "" : input, name }
    }
  }
}

/** Returns the final status of the item at an index. If the response was cut off, its last item is incomplete. */
export function endStatus(response: ResponsesResponse, index: number): ItemStatus {
  const isLast = index === response.items.length - 1
  return isLast && response.isIncomplete ? "incomplete" : "completed"
}

/** Returns the items of a finished response. */
export function finishedItems(response: ResponsesResponse) {
  return response.items.map((item, index) =>
    itemObject(item, endStatus(response, index), response.logprobs),
  )
}

/**
 * Returns the `usage` object (docs/contribute/wire/openai-responses.md#f5). Input tokens include cached tokens, and
 * output tokens include reasoning tokens.
 */
function usageObject(usage: CountedUsage) {
  return {
    input_tokens: usage.prompt,
    input_tokens_details: { cache_write_tokens: 0, cached_tokens: usage.cached },
    output_tokens: usage.completion,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: usage.prompt + usage.completion,
  }
}

const NO_IMAGES = {
  input_tokens: 0,
  input_tokens_details: { image_tokens: 0, text_tokens: 0 },
  output_tokens: 0,
  output_tokens_details: { image_tokens: 0, text_tokens: 0 },
  total_tokens: 0,
}

/** Returns the usage of the vendor's own tools, which is reported separately from the tokens. */
function toolUsage(items: readonly OutputItem[]) {
  const searches = items.filter(({ type }) => type === "web_search_call")
  return { image_gen: NO_IMAGES, web_search: { num_requests: searches.length } }
}

function toolObject(tool: Json) {
  const { type, name, description, parameters, strict, ...rest } = objectOf(tool)
  if (type !== "function") return tool
  return {
    type,
    description: description ?? null,
    name,
    output_schema: null,
    parameters: parameters ?? null,
    strict: strict ?? true,
    ...rest,
  }
}

function formatObject(format: JsonObject) {
  if (format.type !== "json_schema") return { type: format.type ?? "text" }
  const { type, description, name, schema, strict } = format
  return { type, description: description ?? null, name, schema, strict: strict ?? true }
}

/** Returns the complete Response object in one of its states, with every member that was recorded. */
export function responseObject(
  response: ResponsesResponse,
  status: ItemStatus | "failed",
  output: readonly object[],
) {
  const { body, usage } = response
  const isBegun = status === "in_progress"
  const reasoning = objectOf(body.reasoning)
  const text = objectOf(body.text)
  return {
    id: response.id,
    object: "response",
    created_at: response.created,
    status,
    background: false,
    completed_at: status === "completed" ? response.created : null,
    error: status === "failed" ? FAILURE : null,
    frequency_penalty: 0,
    incomplete_details: status === "incomplete" ? { reason: "max_output_tokens" } : null,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    max_tool_calls: body.max_tool_calls ?? null,
    model: response.model,
    moderation: null,
    output,
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    presence_penalty: 0,
    previous_response_id: body.previous_response_id ?? null,
    prompt_cache_key: body.prompt_cache_key ?? null,
    prompt_cache_retention: body.prompt_cache_retention ?? "in_memory",
    reasoning: {
      context: "current_turn",
      effort: reasoning.effort ?? null,
      mode: "standard",
      summary: reasoning.summary ?? null,
    },
    safety_identifier: body.safety_identifier ?? null,
    service_tier: isBegun ? "auto" : servedTier(body.service_tier),
    store: body.store ?? true,
    ...(conversationOf(body) === "" ? {} : { conversation: { id: conversationOf(body) } }),
    temperature: body.temperature ?? 1,
    text: { format: formatObject(objectOf(text.format)), verbosity: text.verbosity ?? "medium" },
    tool_choice: body.tool_choice ?? "auto",
    tool_usage: toolUsage(isBegun ? [] : response.items),
    tools: arrayOf(body.tools).map(toolObject),
    top_logprobs: body.top_logprobs ?? 0,
    top_p: body.top_p ?? 1,
    truncation: body.truncation ?? "disabled",
    usage: usage === undefined || isBegun || status === "failed" ? null : usageObject(usage),
    user: body.user ?? null,
    metadata: body.metadata ?? {},
  }
}

/** Returns the JSON text of a response that is not streamed (docs/contribute/wire/openai-responses.md#f3). */
export function resultText(response: ResponsesResponse, output: readonly object[]): string {
  const status = response.isIncomplete ? "incomplete" : "completed"
  return wholeText(responseObject(response, status, output))
}

/** Returns the JSON text of a response that has failed. */
export function failedText(response: ResponsesResponse): string {
  return wholeText(responseObject(response, "failed", []))
}

function wholeText(response: object): string {
  return JSON.stringify({ ...response, billing: { payer: "developer" } })
}
