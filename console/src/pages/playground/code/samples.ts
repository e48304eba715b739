import type { JsonObject, JsonValue } from "../conversation.ts"
import { aiSdkCode } from "./ai-sdk.ts"
import { anthropicCode } from "./anthropic.ts"
import { curlCode } from "./curl.ts"
import { googleCode } from "./google.ts"
import { openaiJavascriptCode, openaiPythonCode } from "./openai.ts"

/** A program that sends the request. */
export interface CodeSample {
  readonly id: string
  readonly label: string
  readonly code: string
}

/**
 * Writes a chat request for each popular client. @param base the gateway's address, without `/v1`.
 */
export function chatSamples(base: string, body: JsonObject): CodeSample[] {
  const own = ownSamples(base, body)
  return isWithTools(body) ? own : [...own, ...translatedSamples(base, body)]
}

/**
 * Reports whether a request has tools. Their syntax differs by format, so only samples in the format that was sent are
 * shown.
 */
function isWithTools(body: JsonObject): boolean {
  const messages = Array.isArray(body["messages"]) ? body["messages"] : []
  return "tools" in body || messages.some((message: JsonObject) => message["role"] === "tool")
}

/** Returns the samples in the format that was sent. */
function ownSamples(base: string, body: JsonObject): CodeSample[] {
  return [
    { id: "curl", label: "curl", code: curlCode(base, "/v1/chat/completions", body) },
    { id: "openai-python", label: "OpenAI, Python", code: openaiPythonCode(base, body) },
    {
      id: "openai-javascript",
      label: "OpenAI, JavaScript",
      code: openaiJavascriptCode(base, body),
    },
  ]
}

/** Returns the samples in other formats and clients. */
function translatedSamples(base: string, body: JsonObject): CodeSample[] {
  return [
    { id: "anthropic", label: "Anthropic, Python", code: anthropicCode(base, body) },
    { id: "google", label: "Google, JavaScript", code: googleCode(base, body) },
    { id: "ai-sdk", label: "AI SDK", code: aiSdkCode(base, body) },
  ]
}

const MAX_SHOWN_DATA = 120

/** Shortens long data URLs for display. The copied code stays complete. */
export function shortened<Value extends JsonValue>(value: Value): Value {
  return shorten(value) as Value
}

function shorten(value: JsonValue): JsonValue {
  if (typeof value === "string") {
    const isLong = value.startsWith("data:") && value.length > MAX_SHOWN_DATA
    return isLong ? `${value.slice(0, 60)}… (${value.length} characters)` : value
  }
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map((item: JsonValue) => shorten(item))
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shorten(member)]))
}
