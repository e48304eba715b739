import type { ChatEvent } from "../../canon/chat.ts"
import { errorEnvelope, type GatewayError } from "../../canon/errors.ts"
import type { JsonObject, JsonValue } from "../../canon/json.ts"
import { defined } from "./fields.ts"

/** The longest code or type of a vendor's error that is passed on. */
const LONGEST_CODE = 100

/** An error in the envelope that OpenAI's dialects share. */
export function encodeError(
  error: GatewayError,
  requestId: string,
): { status: number; body: JsonObject } {
  return { status: error.status, body: errorEnvelope(error, requestId) }
}

/** An error that a vendor reports inside a stream that started with 200. */
export function errorEvent(
  message: string | undefined,
  code: string | undefined,
): Extract<ChatEvent, { type: "error" }> {
  const words = message ?? "The provider broke off the stream."
  return defined({ type: "error", message: words, code })
}

/** Whether a text is an HTML page of a proxy, which is not passed on. */
export function isPage(text: string): boolean {
  return text.trimStart().startsWith("<")
}

/** A code or type of an error, which some vendors write as a number. */
export function codeOf(value: JsonValue | undefined): string | undefined {
  if (typeof value === "number") return String(value)
  return typeof value === "string" && value !== "" ? value.slice(0, LONGEST_CODE) : undefined
}
