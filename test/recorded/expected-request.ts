import { isJsonObject, type JsonObject, type JsonValue } from "../../src/canon/json.ts"

/** Vendors that send usage in a stream by default, and refuse the option. */
const NEVER_ASKED = new Set(["mistral", "perplexity"])

/** Vendors that support `max_completion_tokens`; the others get `max_tokens`. */
const KNOW_BOTH_LIMITS = new Set(["openai", "openai-compatible", "groq", "openrouter", "cerebras"])

/** Vendors that support the role `developer`; the others get `system`. */
const KNOW_DEVELOPERS = new Set(["openai", "openai-compatible", "openrouter"])

/** Vendors whose default temperature is not 1. */
const TOLD_TEMPERATURE = new Set(["mistral", "perplexity", "zai"])

/** The vendor's body for a caller's body: the same, except for the named patches. */
export function expectedRequest(sent: JsonObject, vendor: string, model: string): JsonObject {
  const body: JsonObject = { ...structuredClone(sent), model }
  if (body.stream === true) {
    if (NEVER_ASKED.has(vendor)) delete body.stream_options
    else body.stream_options = { ...objectOf(body.stream_options), include_usage: true }
  }
  if (!KNOW_BOTH_LIMITS.has(vendor) && body.max_completion_tokens !== undefined) {
    body.max_tokens = body.max_completion_tokens
    delete body.max_completion_tokens
  }
  if (!KNOW_DEVELOPERS.has(vendor)) {
    for (const message of messagesOf(body)) {
      if (message.role === "developer") message.role = "system"
    }
  }
  if (TOLD_TEMPERATURE.has(vendor)) body.temperature ??= 1
  if (vendor === "ollama") foldReasoning(body)
  return body
}

/** Ollama reads reasoning of earlier turns in `reasoning`; a client that sent both names sent it twice. */
function foldReasoning(body: JsonObject): void {
  for (const message of messagesOf(body)) {
    if (message.reasoning_content === undefined) continue
    message.reasoning = message.reasoning_content
    delete message.reasoning_content
  }
}

function messagesOf(body: JsonObject): JsonObject[] {
  return Array.isArray(body.messages) ? body.messages.filter(isJsonObject) : []
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {}
}
