import { randomUUID } from "node:crypto"
import type { CallPlan, Endpoint, ReportedUsage } from "./calls.ts"

const PATHS: Readonly<Record<Endpoint, string>> = {
  chat: "/v1/chat/completions",
  messages: "/v1/messages",
  responses: "/v1/responses",
  embeddings: "/v1/embeddings",
}

/** Returns a unique marker. */
export function newMarker(): string {
  return `call-${randomUUID().replaceAll("-", "")}`
}

/** Returns the HTTP request of a plan. */
export function requestOf(plan: CallPlan): { path: string; init: RequestInit } {
  const headers: Record<string, string> = {
    authorization: `Bearer ${plan.key.secret}`,
    "content-type": "application/json",
  }
  if (plan.idempotencyKey !== undefined) headers["idempotency-key"] = plan.idempotencyKey
  const init = {
    method: "POST",
    headers,
    body: JSON.stringify(bodyOf(plan)),
    keepalive: false,
  }
  return { path: PATHS[plan.endpoint], init }
}

function bodyOf(plan: CallPlan): object {
  const model = plan.model.id
  const text = `/tokens ${plan.responseWords} ${plan.marker}${" word".repeat(plan.words)}`
  const messages = [{ role: "user", content: text }]
  const stream = plan.isStreamed
  switch (plan.endpoint) {
    case "chat":
      return { model, messages, stream, ...(stream && { stream_options: { include_usage: true } }) }
    case "messages":
      return { model, messages, stream, max_tokens: 200 }
    case "responses":
      return { model, input: text, stream, store: false }
    case "embeddings":
      return { model, input: text }
  }
}

/** Whether the text of a response with status 200 is complete. */
export function isWhole(plan: CallPlan, text: string): boolean {
  if (!plan.isStreamed) return isJson(text)
  switch (plan.endpoint) {
    case "chat":
      return text.endsWith("data: [DONE]\n\n") && !text.includes('data: {"error"')
    case "messages":
      return text.includes("event: message_stop") && !text.includes("event: error")
    case "responses":
      return /"type":"response\.(completed|incomplete)"/.test(text)
    case "embeddings":
      return false
  }
}

/** Whether a streamed response contains content. */
export function hasContent(text: string): boolean {
  return /"content":"[^"]|"type":"text_delta"|"type":"response\.output_text\.delta"/.test(text)
}

/** Returns the usage in a response; null if the response has no usage. */
export function usageOf(text: string): ReportedUsage | null {
  let input: number | undefined
  let output: number | undefined
  for (const document of documentsOf(text)) {
    for (const usage of usagesIn(document)) {
      input = numberOf(usage, "prompt_tokens", "input_tokens") ?? input
      output = numberOf(usage, "completion_tokens", "output_tokens") ?? output
    }
  }
  return input === undefined ? null : { input, output: output ?? 0 }
}

function documentsOf(text: string): object[] {
  if (text.startsWith("{")) return parsed(text)
  return text
    .split("\n")
    .filter((line) => line.startsWith("data: {"))
    .flatMap((line) => parsed(line.slice("data: ".length)))
}

/**
 * Returns the usage objects in a document. Depending on the dialect, they are at the top level, in `message` or in
 * `response`.
 */
function usagesIn(document: object): object[] {
  const places = [document, Reflect.get(document, "message"), Reflect.get(document, "response")]
  return places.flatMap((place: unknown) => {
    const usage: unknown = Object(place) === place ? Reflect.get(Object(place), "usage") : undefined
    return typeof usage === "object" && usage !== null ? [usage] : []
  })
}

function numberOf(usage: object, ...names: readonly string[]): number | undefined {
  for (const name of names) {
    const value: unknown = Reflect.get(usage, name)
    if (typeof value === "number") return value
  }
  return undefined
}

function parsed(text: string): object[] {
  try {
    return [Object(JSON.parse(text)) as object]
  } catch {
    return []
  }
}

function isJson(text: string): boolean {
  return parsed(text).length > 0
}
