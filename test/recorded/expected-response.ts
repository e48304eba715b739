import { expect } from "bun:test"
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/canon/json.ts"
import { eventsOf } from "./read-stream.ts"

/** Returns the id with the prefix that the specification requires. A missing id is replaced by any id. */
function expectedId(body: JsonObject): JsonValue {
  const id = String(body.id ?? "")
  if (id === "") return expect.stringMatching(/^chatcmpl-\w+$/) as unknown as string
  return id.startsWith("chatcmpl-") ? id : `chatcmpl-${id}`
}

/**
 * Returns the caller's response for a vendor's response that is not streamed. It is the same except for the named
 * patches.
 */
export function expectedResponse(recorded: JsonObject, model: string): JsonObject {
  const response = structuredClone(recorded)
  response.model = model
  response.id = expectedId(recorded)
  for (const name of COSTS) delete response[name]
  for (const choice of choicesOf(response)) {
    if (isJsonObject(choice.message)) {
      repair(choice.message, "message")
      giveContent(choice.message)
      choice.finish_reason ||= hasActed(choice.message) ? "tool_calls" : "stop"
    }
  }
  if (isJsonObject(response.usage)) response.usage = withoutCost(response.usage)
  return response
}

/** Adds missing text. The member is always present, and null only if the model called a tool or refused. */
function giveContent(message: JsonObject): void {
  message.content ??= hasActed(message) || message.refusal ? null : ""
}

function hasActed({ tool_calls: calls, function_call: called }: JsonObject): boolean {
  return Boolean(calls ?? (isJsonObject(called) && called.name))
}

/** A vendor's stream as the caller should receive it. */
export interface ExpectedStream {
  readonly chunks: readonly JsonObject[]
  /** The last usage that the vendor reported, wherever it is; undefined if there is none. */
  readonly usage: JsonObject | undefined
  /** The error with which the stream ended early. */
  readonly error: JsonObject | undefined
}

/**
 * Returns the caller's stream for a vendor's stream. It is the same except for the named patches: model and id are
 * replaced, usage is removed if it was not requested and otherwise moved to the common place, and empty frames are
 * omitted. The cost in the last usage must be added by the test.
 */
export function expectedStream(
  recorded: string,
  model: string,
  isUsageAsked: boolean,
): ExpectedStream {
  const chunks: JsonObject[] = []
  let usage: JsonObject | undefined
  const choicesSeen = new ExpectedChoices()
  for (const { data } of eventsOf(recorded)) {
    if (data === "[DONE]") break
    const chunk = JSON.parse(data) as JsonObject
    if (isJsonObject(chunk.error)) return { chunks, usage, error: chunk.error }
    const reported = usageOf(chunk)
    usage = reported ?? usage
    const choices = choicesOf(chunk)
    const isRemark = choices.length === 0 && reported === undefined && Boolean(chunk.id)
    if (choices.length === 0 && !isRemark && (reported === undefined || !isUsageAsked)) continue
    chunk.model = model
    chunk.id = expectedId(chunk)
    for (const name of COSTS) delete chunk[name]
    if (!isUsageAsked) delete chunk.usage
    else if (reported) chunk.usage = withoutCost(reported)
    for (const { delta } of choices) if (isJsonObject(delta)) repair(delta, "delta")
    choicesSeen.look(chunk, choices)
    // The usage is held back until the cost is known, so a later comment comes before it.
    const last = chunks.at(-1)
    const isOvertaking = isRemark && last?.usage !== undefined && choicesOf(last).length === 0
    chunks.splice(isOvertaking ? chunks.length - 1 : chunks.length, 0, chunk)
  }
  // The usage is held back until the cost is known, so it follows the ends of the choices.
  const isKept = isUsageAsked && chunks.at(-1)?.usage !== undefined
  chunks.splice(isKept ? chunks.length - 1 : chunks.length, 0, ...choicesSeen.missingEnds())
  return { chunks, usage, error: undefined }
}

/** Tracks choices. Each choice begins with its role and has an end, even if the vendor omits them. */
class ExpectedChoices {
  readonly #open = new Map<number, { isEnded: boolean; isCalling: boolean }>()
  #head: JsonObject = {}

  look(chunk: JsonObject, choices: readonly JsonObject[]): void {
    const { id, object, created, model } = chunk
    this.#head = { id, object, created, model } as JsonObject
    for (const choice of choices) {
      const index = Number(choice.index)
      const delta = isJsonObject(choice.delta) ? choice.delta : {}
      if (!this.#open.has(index)) delta.role = "assistant"
      const seen = this.#open.get(index) ?? { isEnded: false, isCalling: false }
      if (choice.finish_reason) seen.isEnded = true
      if (delta.tool_calls) seen.isCalling = true
      this.#open.set(index, seen)
    }
  }

  missingEnds(): JsonObject[] {
    const open = [...this.#open].filter(([, { isEnded }]) => !isEnded)
    return open.map(([index, { isCalling }]) => {
      const end = { index, delta: {}, finish_reason: isCalling ? "tool_calls" : "stop" }
      return { ...this.#head, choices: [end] }
    })
  }
}

/** Removes the vendor's price for the operator, which the caller must not see. */
function withoutCost(usage: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(usage).filter(([name]) => !COSTS.has(name)))
}

/** Members with prices in usage, responses and chunks of the recorded vendors. */
const COSTS: ReadonlySet<string> = new Set([
  "cost",
  "cost_details",
  "cost_in_usd_ticks",
  "estimated_cost",
  "is_byok",
])

/** Returns the usage of a chunk, which Groq sends in another place. */
function usageOf(chunk: JsonObject): JsonObject | undefined {
  if (isJsonObject(chunk.usage)) return chunk.usage
  const groq = isJsonObject(chunk.x_groq) ? chunk.x_groq : {}
  return isJsonObject(groq.usage) ? groq.usage : undefined
}

/** Repairs forms of Mistral that official clients of this dialect cannot read. */
function repair(message: JsonObject, kind: "message" | "delta"): void {
  flattenContent(message)
  if (!Array.isArray(message.tool_calls)) return
  for (const [index, call] of message.tool_calls.entries()) {
    if (!isJsonObject(call)) continue
    if (kind === "delta") call.index ??= index
    if (call.id !== undefined) call.type ??= "function"
  }
}

/** Converts content that is a list. Its text and its thinking become the two members that clients read. */
function flattenContent(message: JsonObject): void {
  const { content } = message
  // If the request contains a schema, Cloudflare's content is an object.
  if (isJsonObject(content)) message.content = JSON.stringify(content)
  if (!Array.isArray(content)) return
  const parts = content.filter(isJsonObject)
  const thinking = parts.filter(({ type }) => type === "thinking")
  message.content = joined(parts.filter(({ type }) => type === "text"))
  if (thinking.length > 0) {
    message.reasoning_content = joined(thinking.flatMap((part) => part.thinking as JsonObject[]))
  }
}

function joined(parts: readonly JsonObject[]): string {
  return parts.map(({ text }) => String(text)).join("")
}

function choicesOf(body: JsonObject): JsonObject[] {
  const choices: JsonValue | undefined = body.choices
  return Array.isArray(choices) ? choices.filter(isJsonObject) : []
}
