import { isJsonObject, type JsonObject, type JsonValue } from "../../src/canon/json.ts"

/** Vendors that always send usage in a stream, and reject the option for it. */
const NEVER_ASKED = new Set(["mistral", "perplexity"])

/** Vendors that support `max_completion_tokens`. The other vendors receive `max_tokens`. */
const KNOW_BOTH_LIMITS = new Set(["openai", "openai-compatible", "groq", "openrouter", "cerebras"])

/** Vendors that support the role `developer`. The other vendors receive `system`. */
const KNOW_DEVELOPERS = new Set(["openai", "openai-compatible", "openrouter"])

/** Vendors whose default temperature is not 1. The temperature is always sent to them. */
const TOLD_TEMPERATURE = new Set(["mistral", "perplexity", "zai"])

/** Returns the body that the vendor should receive for a caller's body. It is the same except for the named patches. */
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
  // The gateway asks for the cheapest server of a model.
  if (vendor === "openrouter") body.provider = { ...objectOf(body.provider), sort: "price" }
  return body
}

/** Moves reasoning of earlier turns to `reasoning`, which Ollama reads. A client may have sent it under both names. */
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
