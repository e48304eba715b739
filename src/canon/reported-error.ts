import { isJsonObject, type JsonObject, objectAt } from "./json.ts"

/** Members that identify a response, in all operations and formats. */
const RESPONSE_MEMBERS = ["choices", "content", "candidates", "output", "data", "results", "text"]

/**
 * Returns an error that a provider sends with a success status, in the form of an error response;
 * undefined for a response. Known forms are those of error responses, `{object: "error"}` (vLLM),
 * `{message}` with or without a code (SiliconFlow, Cohere) and
 * `{base_resp: {status_code, status_msg}}` (MiniMax).
 */
export function reportedErrorIn(body: unknown): JsonObject | undefined {
  const whole: unknown = Array.isArray(body) ? body[0] : body
  if (!isJsonObject(whole)) return undefined
  const { error, type, object, message } = whole
  if (type === "error" || object === "error") return whole
  if (typeof error === "string" ? error !== "" : isJsonObject(error)) return whole
  const base = objectAt(whole, "base_resp")
  if (base?.status_code) {
    return { error: { code: base.status_code, message: base.status_msg ?? null } }
  }
  const isResponse = RESPONSE_MEMBERS.some((name) => whole[name] !== undefined)
  return !isResponse && typeof message === "string" ? whole : undefined
}
