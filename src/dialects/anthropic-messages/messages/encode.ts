import { isJsonObject, type JsonObject, type JsonValue } from "../../../canon/json.ts"
import type { Message, Part } from "../../../canon/message.ts"
import { shownByUser } from "../../shared/assistant-media.ts"
import type { LossList } from "../../shared/losses.ts"
import { DIALECT } from "../identifiers.ts"
import { encodeBlock, encodeText, plainContent } from "./encode-blocks.ts"

/** Text of the user turn that is inserted if Anthropic requires one and the caller did not send one. */
const PLACEHOLDER = "."

interface Turn {
  readonly role: "user" | "assistant" | "system"
  /** Tool results, which precede all other content of a user turn (docs/contribute/wire/anthropic-messages.md#f3). */
  readonly results: JsonObject[]
  readonly blocks: JsonObject[]
  /** Further members of the message. */
  readonly fields?: JsonObject
}

/** A conversation in this dialect, with separate leading instructions. */
export interface EncodedMessages {
  /** All instructions, except instructions within the conversation that came in this dialect. */
  readonly system: readonly JsonObject[]
  readonly messages: readonly JsonObject[]
}

/**
 * Returns the messages of a request as alternating turns: consecutive messages of one role are joined, and empty turns
 * are left out. The first turn is always the user's. If the last message is an empty user message, the last turn is
 * also the user's, because the model would otherwise continue the assistant's turn before it.
 */
export function encodeMessages(messages: readonly Message[], losses: LossList): EncodedMessages {
  const system: JsonObject[] = []
  const turns: Turn[] = []
  let isUserLast = true
  for (const message of shownByUser(messages, DIALECT, losses)) {
    const own = losses.fieldsOf(message.extra)
    if (message.name !== undefined) losses.add("name")
    if (message.role === "system" && own !== undefined && turns.length > 0) {
      turns.push(systemTurn(message, own, losses))
      continue
    }
    if (message.role === "system" || message.role === "developer") {
      if (turns.length > 0) losses.add("system.position", "approximated")
      system.push(...encodeInstructions(message.parts, losses))
      continue
    }
    pushTurn(message, turns, losses)
    isUserLast = message.role !== "assistant"
  }
  if (turns[0]?.role === "assistant") turns.unshift(placeholder(losses))
  const last = turns.findLast(({ role }) => role !== "system")
  if (last === undefined || (isUserLast && last.role !== "user")) turns.push(placeholder(losses))
  trimPrefill(turns)
  return { system, messages: turns.map(encodeTurn) }
}

/** Encodes blocks as `system` or as content. A list is not needed for text alone. */
export function encodeContent(blocks: readonly JsonObject[]): JsonValue {
  return plainContent(blocks) ?? []
}

function encodeInstructions(parts: readonly Part[], losses: LossList): JsonObject[] {
  const blocks: JsonObject[] = []
  for (const part of parts) {
    if (part.type !== "text") {
      losses.add("system", "approximated")
      continue
    }
    const block = encodeText(part, losses)
    if (block !== undefined) blocks.push(block)
  }
  return blocks
}

function systemTurn(message: Message, fields: JsonObject, losses: LossList): Turn {
  const blocks = message.parts
    .map((part) => encodeBlock(part, losses))
    .filter((block) => block !== undefined)
  return { role: "system", results: [], blocks, fields }
}

function pushTurn(message: Message, turns: Turn[], losses: LossList): void {
  const role = message.role === "assistant" ? "assistant" : "user"
  const results: JsonObject[] = []
  const blocks: JsonObject[] = []
  for (const part of message.parts) {
    const block = encodeBlock(part, losses)
    if (block === undefined) continue
    if (part.type === "tool-result") results.push(block)
    else blocks.push(block)
  }
  if (results.length + blocks.length === 0) return
  const last = turns.at(-1)
  if (last?.role === role) {
    last.results.push(...results)
    last.blocks.push(...blocks)
  } else turns.push({ role, results, blocks })
}

function placeholder(losses: LossList): Turn {
  losses.add("messages", "approximated")
  return { role: "user", results: [], blocks: [{ type: "text", text: PLACEHOLDER }] }
}

/** Removes white space from the end of a prefilled response, because Anthropic rejects it. */
function trimPrefill(turns: Turn[]): void {
  const last = turns.at(-1)
  const block = last?.blocks.at(-1)
  if (last?.role !== "assistant" || block?.type !== "text") return
  block.text = String(block.text).trimEnd()
}

function encodeTurn({ role, results, blocks, fields }: Turn): JsonObject {
  // A message with instructions may contain settings only.
  if (role === "system" && blocks.length === 0) return { role, ...fields }
  return { role, content: encodeContent([...results, ...blocks]), ...fields }
}

/**
 * Whether a thinking budget may be sent. Anthropic rejects a budget during tool calls and in a prefilled response if
 * the assistant's turn did not start with thinking. A turn includes the results of its calls, and has thinking only at
 * its start.
 */
export function mayThink(all: readonly JsonObject[]): boolean {
  const messages = all.filter(({ role }) => role !== "system")
  let index = messages.length - 1
  if (startsWith(messages[index], RESULT_BLOCKS)) index--
  if (messages[index]?.role !== "assistant") return true
  while (
    startsWith(messages[index - 1], RESULT_BLOCKS) &&
    messages[index - 2]?.role === "assistant"
  ) {
    index -= 2
  }
  return startsWith(messages[index], THINKING_BLOCKS)
}

const THINKING_BLOCKS: readonly string[] = ["thinking", "redacted_thinking"]
const RESULT_BLOCKS: readonly string[] = ["tool_result"]

function startsWith(message: JsonObject | undefined, types: readonly string[]): boolean {
  const content = message?.content
  const first = Array.isArray(content) ? content[0] : undefined
  return isJsonObject(first) && typeof first.type === "string" && types.includes(first.type)
}
