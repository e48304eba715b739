import { isUtf8 } from "node:buffer"
import type { ChatRequest, ChatResult } from "../../../canon/chat.ts"
import { invalidValue } from "../../../canon/invalid-request.ts"
import {
  isJsonObject,
  isDefined,
  type JsonObject,
  type JsonValue,
  listAt,
} from "../../../canon/json.ts"
import type { Message } from "../../../canon/message.ts"
import { NO_USAGE } from "../../../canon/usage.ts"
import { mintId, prefixedId } from "../../shared/identifiers.ts"
import { LossList } from "../../shared/losses.ts"
import { nowInSeconds } from "../../shared/time.ts"
import { DIALECT, ID_PREFIX } from "../identifiers.ts"
import { encodeInput } from "./encode.ts"
import { OPENAI_QUIRKS } from "../quirks.ts"
import { encodeUsage } from "../usage.ts"

/**
 * Returns the result of `POST /v1/responses/compact`, which contains only the generated text
 * (docs/use/endpoints.md#compaction).
 */
export function compactOf(result: ChatResult): { output: string } {
  const [choice] = result.choices
  const texts = choice?.parts.map((part) =>
    part.type === "text" || part.type === "refusal" ? part.text : "",
  )
  return { output: texts?.join("") ?? "" }
}

/** The prefix of the gateway's own compactions. Compactions of vendors start differently and are passed through. */
const PREFIX = "tgc1:"

const INSTRUCTION =
  "Write a summary of the conversation up to here, which will take its place. Keep all that is needed to " +
  "continue it: requests, decisions, completed work, facts, names, numbers and open questions. " +
  "Answer with the summary alone."

/** Bytes that `compactionBody` adds to a request. The number of added tokens is not larger. */
export const COMPACTION_BYTES = Buffer.byteLength(
  JSON.stringify({ role: "user", content: INSTRUCTION }),
)

const HEADING = "This is a summary of the conversation so far:\n\n"

/**
 * The fields of a request that a compaction keeps. All other fields affect a response, which a compaction does not
 * have.
 */
const KEPT_FIELDS: ReadonlySet<string> = new Set([
  "model",
  "input",
  "previous_response_id",
  "conversation",
  "instructions",
  "max_output_tokens",
  "metadata",
  "prompt_cache_key",
  "prompt_cache_options",
  "prompt_cache_retention",
  "reasoning",
  "safety_identifier",
  "service_tier",
  "temperature",
  "top_p",
  "truncation",
  "user",
])

/**
 * Types of tools that vendors require to be declared if a conversation contains calls of them. The declaration alone
 * has no effect.
 */
const CALLED_TOOLS: ReadonlySet<JsonValue | undefined> = new Set(["function", "custom"])

/** Returns a body that makes a model write a summary instead of a response. */
export function compactionBody(body: JsonObject): JsonObject {
  const kept = Object.entries(withSummaries(body)).filter(([name]) => KEPT_FIELDS.has(name))
  const request: JsonObject = Object.fromEntries(kept)
  const tools = listAt(body, "tools").filter(
    (tool) => isJsonObject(tool) && CALLED_TOOLS.has(tool.type),
  )
  if (tools.length > 0) Object.assign(request, { tools, tool_choice: "none" })
  const input = inputOf(request)
  if (input !== undefined) request.input = [...input, { role: "user", content: INSTRUCTION }]
  return request
}

/** Returns the input; undefined for input of a form that is rejected anyway. */
function inputOf(body: JsonObject): readonly JsonValue[] | undefined {
  const { input } = body
  const continues = isDefined(body.previous_response_id) || isDefined(body.conversation)
  if (!isDefined(input)) return continues ? [] : undefined
  if (typeof input === "string") return [{ role: "user", content: input }]
  if (!Array.isArray(input)) return undefined
  return input.length > 0 || continues ? input : undefined
}

/**
 * Encodes the response in OpenAI's form (openai 7.55, `CompactedResponse`): the user's messages, and one item that
 * replaces the entire conversation. The item contains the summary itself, so the gateway stores nothing for it.
 */
export function compactionOf(result: ChatResult, request: ChatRequest): JsonObject {
  const summary = Buffer.from(compactOf(result).output).toString("base64url")
  const compaction = {
    id: mintId("cmp_"),
    type: "compaction",
    encrypted_content: PREFIX + summary,
  }
  return {
    id: prefixedId(ID_PREFIX, result.id),
    object: "response.compaction",
    created_at: result.created ?? nowInSeconds(),
    output: [...userItems(request), compaction],
    usage: encodeUsage(result.usage ?? NO_USAGE),
  }
}

function userItems(request: ChatRequest): JsonObject[] {
  // The last message is the request for the summary.
  const messages = request.messages.slice(0, -1).filter(isUsers)
  const { input } = encodeInput({ ...request, messages }, OPENAI_QUIRKS, new LossList(DIALECT))
  return input
    .filter(({ type }) => type === "message")
    .map((item) => ({ ...item, id: mintId("msg_"), status: "completed", content: contentOf(item) }))
}

function isUsers({ role, parts }: Message): boolean {
  if (role !== "user") return false
  const [first] = parts
  return first?.type !== "text" || !first.text.startsWith(HEADING)
}

function contentOf({ content }: JsonObject): JsonValue {
  return typeof content === "string" ? [{ type: "input_text", text: content }] : (content ?? [])
}

/**
 * Returns the body with the gateway's own compactions expanded, because no vendor can read them.
 * @throws GatewayError `invalid_value` for an invalid compaction.
 */
export function withSummaries(body: JsonObject): JsonObject {
  const { input } = body
  if (!Array.isArray(input) || !input.some((item) => writtenIn(item) !== undefined)) return body
  const written = input.map((item, index): JsonValue => {
    const text = writtenIn(item)
    if (text === undefined) return item
    return { role: "user", content: HEADING + summaryOf(text, index) }
  })
  return { ...body, input: written }
}

/** Returns the encoded summary of a compaction by the gateway; undefined for other items. */
function writtenIn(item: JsonValue): string | undefined {
  if (!isJsonObject(item) || item.type !== "compaction") return undefined
  const { encrypted_content: content } = item
  if (typeof content !== "string" || !content.startsWith(PREFIX)) return undefined
  return content.slice(PREFIX.length)
}

/**
 * Decodes a summary. Invalid UTF-8 is rejected, because its replacement characters would make the summary longer than
 * the encoded text for which credits are held.
 */
function summaryOf(text: string, index: number): string {
  const bytes = Buffer.from(text, "base64url")
  if (isUtf8(bytes) && bytes.toString("base64url") === text) return bytes.toString()
  const path = `input[${index}].encrypted_content`
  throw invalidValue(path, `'${path}' is not an item of this gateway. Send the item unchanged.`)
}
