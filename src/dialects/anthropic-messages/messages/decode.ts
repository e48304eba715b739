import type { Writable } from "../../../canon/writable.ts"
import { emptyArray, invalidType, unsupportedValue } from "../../../canon/invalid-request.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "../../../canon/json.ts"
import type { Message, Part } from "../../../canon/message.ts"
import { decodeAssistantBlock, decodeUserBlock } from "./decode-blocks.ts"
import { decodeSystemMessage, isCleared } from "./decode-system.ts"
import { nameOf, type BlockPosition, wrongMember, rejection } from "./block-position.ts"

const ROLES = ["user", "assistant", "system"] as const

/**
 * Decodes and validates the messages of a request. Tool results become separate messages at their position. Messages of
 * the same role may follow each other, since Anthropic's API joins them.
 * @param continues whether the vendor stores the earlier turns.
 */
export function decodeMessages(value: JsonValue | undefined, continues: boolean): Message[] {
  if (!Array.isArray(value)) throw wrongMember(value, "messages", "an array of objects")
  if (value.length === 0) throw emptyArray("messages")
  const messages: Message[] = []
  const turns = new ToolTurns(continues)
  for (let index = 0; index < value.length; index++) {
    const message = value[index]
    if (!isJsonObject(message)) throw invalidType(`messages[${index}]`, "an object", message)
    if (message.role !== "system") decodeMessage(message, index, turns, messages)
    else if (!isCleared(value, index)) messages.push(decodeSystemMessage(message, index))
  }
  turns.close()
  return messages
}

function decodeMessage(
  message: JsonObject,
  index: number,
  turns: ToolTurns,
  messages: Message[],
): void {
  const { role } = message
  const name = `messages[${index}].role`
  switch (role) {
    case "user":
      turns.onUser()
      pushUser(decodeContent(message.content, index, decodeUserBlock), index, turns, messages)
      return
    case "assistant":
      turns.onAssistant()
      messages.push(decodeAssistant(message.content, index, turns))
      return
    default:
  }
  if (typeof role !== "string") throw wrongMember(role, name, "a string")
  throw unsupportedValue(name, role, ROLES)
}

function decodeAssistant(content: JsonValue | undefined, index: number, turns: ToolTurns): Message {
  const parts = decodeContent(content, index, decodeAssistantBlock)
  for (const [block, part] of parts.entries()) {
    if (part.type === "tool-call") turns.onCall(part.id, { message: index, block })
  }
  return { role: "assistant", parts }
}

function pushUser(
  parts: readonly Part[],
  index: number,
  turns: ToolTurns,
  messages: Message[],
): void {
  let open: { role: "user" | "tool"; parts: Part[] } | undefined
  for (const [block, part] of parts.entries()) {
    if (part.type === "tool-result") turns.onResult(part.id, { message: index, block })
    const role = part.type === "tool-result" ? "tool" : "user"
    if (open?.role !== role) {
      open = { role, parts: [] }
      messages.push(open)
    }
    open.parts.push(part)
  }
  if (open === undefined) messages.push({ role: "user", parts: [] })
}

/** Decodes content, which is a string or a list of blocks. An empty string becomes no part. */
function decodeContent(
  content: JsonValue | undefined,
  message: number,
  decodeBlock: (block: JsonObject, position: BlockPosition) => Part,
): Writable<Part>[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }]
  if (!Array.isArray(content)) {
    const expected = "one of a string or array of objects"
    throw wrongMember(content, nameOf({ message }), expected)
  }
  return content.map((block, index) => {
    const position = { message, block: index }
    if (!isJsonObject(block)) throw invalidType(nameOf(position), "an object", block)
    return decodeBlock(block, position)
  })
}

/**
 * Checks that calls and results match, and reports errors with the messages of Anthropic's API. Each call must have
 * exactly one result, in the user turn right after it. Consecutive messages of one role are one turn.
 */
class ToolTurns {
  readonly #continues: boolean
  readonly #ids = new Set<string>()
  /** Calls of the assistant's latest turn. The value is whether the call has its result. */
  readonly #calls = new Map<string, boolean>()
  #asker = 0
  #isAnswering = false

  /** @param continues whether the vendor stores the earlier turns with their calls. */
  constructor(continues: boolean) {
    this.#continues = continues
  }

  onAssistant(): void {
    if (!this.#isAnswering) return
    this.close()
    this.#calls.clear()
    this.#isAnswering = false
  }

  onUser(): void {
    this.#isAnswering = true
  }

  onCall(id: string, position: BlockPosition): void {
    if (this.#ids.has(id)) throw rejection(position, "`tool_use` ids must be unique")
    this.#ids.add(id)
    this.#calls.set(id, false)
    this.#asker = position.message
  }

  onResult(id: string, position: BlockPosition): void {
    const isAnswered = this.#calls.get(id)
    if (isAnswered === undefined && !(this.#continues && this.#ids.size === 0)) {
      throw rejection(
        position,
        `unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` ` +
          "block must have a corresponding `tool_use` block in the previous message.",
      )
    }
    if (isAnswered) {
      throw rejection(
        position,
        "each tool_use must have a single result. " +
          `Found multiple \`tool_result\` blocks with id: ${id}`,
      )
    }
    this.#calls.set(id, true)
  }

  /** Ends the check. Calls of the last turn may still lack their results. */
  close(): void {
    if (!this.#isAnswering) return
    const open = [...this.#calls].filter(([, isAnswered]) => !isAnswered).map(([id]) => id)
    if (open.length === 0) return
    throw rejection(
      { message: this.#asker },
      "`tool_use` ids were found without `tool_result` blocks immediately after: " +
        `${open.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` ` +
        "block in the next message.",
    )
  }
}
