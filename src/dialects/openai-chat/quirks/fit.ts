import type { ModelRules } from "#contract/model-rules.ts"
import { isJsonObject, isDefined, type JsonObject, type JsonValue } from "../../../canon/json.ts"
import { budgetOf } from "../../../canon/separate-reasoning.ts"
import { asksForNothing, type LossList } from "../../shared/losses.ts"
import { decodeReasoning, reasoningText } from "../reasoning/details.ts"
import { fitClosedSchema } from "./closed-schema.ts"
import type { OpenAiChatQuirks } from "./index.ts"

const NINE_CHARACTERS = /^[A-Za-z0-9]{9}$/

/**
 * Changes a body of OpenAI's dialect to the form that the vendor accepts. The body is modified, so it must be a copy of
 * the caller's body.
 */
export function fitBody(
  body: JsonObject,
  quirks: OpenAiChatQuirks,
  losses: LossList,
  rules: ModelRules = {},
): void {
  fitStreamOptions(body, quirks)
  // Usage is always returned, because the gateway requests it.
  if (!quirks.usageOption && isJsonObject(body.usage)) delete body.usage
  if (quirks.maxTokensFieldOnly) fitMaxTokens(body, quirks)
  if (rules.reasoning !== "unsupported") limitReasoning(body, quirks, losses)
  const { maxTemperature, defaultFields } = quirks
  for (const name in defaultFields) {
    if (!isDefined(body[name])) body[name] = defaultFields[name]
  }
  const { temperature } = body
  if (maxTemperature !== undefined && typeof temperature === "number") {
    if (temperature > maxTemperature) {
      body.temperature = maxTemperature
      losses.add("temperature", "approximated")
    }
  }
  if (quirks.seedField !== "seed" && body.seed !== undefined) {
    body[quirks.seedField] = body.seed
    delete body.seed
  }
  for (const name of quirks.dropFields) {
    if (body[name] === undefined) continue
    if (!asksForNothing(name, body[name])) losses.add(name)
    delete body[name]
  }
  if (Array.isArray(body.messages)) {
    body.messages = fitMessages(body.messages, quirks, losses)
    if (rules.reasoning_history === true) {
      body.messages = withReasoning(body.messages, quirks)
    }
  }
  if (quirks.closedSchema !== undefined) fitClosedSchema(body, quirks.closedSchema, losses)
}

/**
 * Adjusts a vendor's quirks to the model: some models have another field for the output limit, and some require earlier
 * reasoning.
 */
export function quirksFor(
  quirks: OpenAiChatQuirks,
  { max_tokens_field: field, reasoning_history: needsReasoning }: ModelRules,
): OpenAiChatQuirks {
  let own = quirks
  if (field === "any") own = { ...own, maxTokensFieldOnly: false }
  else if (field !== undefined) {
    own = { ...own, maxTokensField: field, maxTokensFieldOnly: true }
  }
  if (needsReasoning !== true || own.reasoningHistory !== "drop") return own
  return { ...own, reasoningHistory: "text", reasoningField: "reasoning_content" }
}

/** Requests usage in the stream, because usage is billed (docs/contribute/wire/openai-chat.md#f7). */
function fitStreamOptions(body: JsonObject, quirks: OpenAiChatQuirks): void {
  if (body.stream !== true) return
  if (quirks.usageInStream === "always") {
    delete body.stream_options
    return
  }
  const options = isJsonObject(body.stream_options) ? body.stream_options : {}
  body.stream_options = { ...options, include_usage: true }
}

function fitMaxTokens(body: JsonObject, quirks: OpenAiChatQuirks): void {
  const known = quirks.maxTokensField
  const other = known === "max_tokens" ? "max_completion_tokens" : "max_tokens"
  if (body[other] === undefined) return
  if (isDefined(body[other])) body[known] = body[other]
  delete body[other]
}

/** Sends the output limit as the reasoning budget too. */
function limitReasoning(body: JsonObject, quirks: OpenAiChatQuirks, losses: LossList): void {
  const { separateReasoning, maxTokensField } = quirks
  const limit = body[maxTokensField]
  if (separateReasoning === undefined || typeof limit !== "number") return
  const budget = body.enable_thinking === false ? undefined : budgetOf(separateReasoning, limit)
  const own = body.thinking_budget
  if (budget === undefined || (typeof own === "number" && own <= budget)) return
  if (isDefined(own)) losses.add("thinking_budget", "approximated")
  body.thinking_budget = budget
}

/**
 * Fits the messages of a request to the vendor.
 * @returns the same list if the vendor accepts it unchanged.
 */
function fitMessages(
  messages: JsonValue[],
  quirks: OpenAiChatQuirks,
  losses: LossList,
): JsonValue[] {
  let fitted: JsonValue[] | undefined
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index]
    if (!isJsonObject(message)) continue
    const changed = fitMessage(message, quirks, losses)
    if (changed === message) continue
    fitted ??= [...messages]
    fitted[index] = changed
  }
  return fitted ?? messages
}

function fitMessage(message: JsonObject, quirks: OpenAiChatQuirks, losses: LossList): JsonObject {
  switch (message.role) {
    case "developer":
      return quirks.developerRole === "developer" ? message : { ...message, role: "system" }
    case "assistant":
      return fitToolCalls(fitReasoning(message, quirks, losses), quirks)
    case "tool":
      return fitToolAnswer(message, quirks)
    default:
      return message
  }
}

function fitReasoning(message: JsonObject, quirks: OpenAiChatQuirks, losses: LossList): JsonObject {
  const { reasoning_content: content, reasoning, reasoning_details: details } = message
  if (content === undefined && reasoning === undefined && details === undefined) return message
  if (quirks.reasoningHistory === "details") return message
  const { reasoning_content: _, reasoning: _1, reasoning_details: _2, ...rest } = message
  const parts = decodeReasoning(message).map(({ part }) => part)
  if (parts.some(({ signature }) => signature !== undefined)) losses.add("reasoning.signature")
  if (quirks.reasoningHistory === "drop") {
    if (parts.some(({ text }) => text !== "")) losses.add("reasoning")
    return rest
  }
  const text = reasoningText(message) ?? parts.map((part) => part.text).join("")
  // DeepSeek requires the member even if it is empty.
  if (text !== "" || content === "") rest[quirks.reasoningField] = text
  return rest
}

/**
 * Adds reasoning to every assistant turn with tool calls, even if another model wrote the turn without reasoning. The
 * vendor rejects the turn otherwise.
 */
function withReasoning(messages: JsonValue[], { reasoningField }: OpenAiChatQuirks): JsonValue[] {
  return messages.map((message) => {
    if (!isJsonObject(message) || !Array.isArray(message.tool_calls)) return message
    return isDefined(message[reasoningField]) ? message : { ...message, [reasoningField]: "" }
  })
}

function fitToolCalls(message: JsonObject, quirks: OpenAiChatQuirks): JsonObject {
  if (quirks.toolCallIds === "any" || !Array.isArray(message.tool_calls)) return message
  return {
    ...message,
    tool_calls: message.tool_calls.map((call) =>
      isJsonObject(call) && typeof call.id === "string"
        ? { ...call, id: nineCharacters(call.id) }
        : call,
    ),
  }
}

function fitToolAnswer(message: JsonObject, quirks: OpenAiChatQuirks): JsonObject {
  if (quirks.toolCallIds === "any" || typeof message.tool_call_id !== "string") return message
  return { ...message, tool_call_id: nineCharacters(message.tool_call_id) }
}

/**
 * Converts an id to nine characters. The same id is always converted to the same characters, so that call and result
 * still match.
 */
function nineCharacters(id: string): string {
  if (NINE_CHARACTERS.test(id)) return id
  return BigInt(Bun.hash(id)).toString(36).padStart(9, "0").slice(-9)
}
