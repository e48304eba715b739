import type { JsonObject } from "../../../canon/json.ts"
import type { Message, Part } from "../../../canon/message.ts"
import { shownByUser } from "../../shared/assistant-media.ts"
import type { LossList } from "../../shared/losses.ts"
import { CachePoints } from "../cache.ts"
import { DIALECT } from "../identifiers.ts"
import { PartEncoder } from "./encode-parts.ts"
import type { ModelFamily } from "../quirks.ts"

/** Text that is inserted if Converse requires some and the caller did not send any. */
const PLACEHOLDER = "."

interface Turn {
  readonly role: "user" | "assistant"
  /** Tool results, which must come first in a turn. */
  readonly results: JsonObject[]
  readonly content: JsonObject[]
}

/** Parts that Converse accepts only from the user. */
const USER_PARTS: ReadonlySet<Part["type"]> = new Set(["image", "audio", "file"])

/** A conversation in Converse's form. */
export interface EncodedMessages {
  readonly messages: JsonObject[]
  readonly system: JsonObject[]
}

/**
 * Returns the conversation as alternating turns that start with the user. The results of all calls are in the turn
 * right after the calls, before its text. The instructions are separate (docs/contribute/wire/bedrock-converse.md#f3).
 */
export function encodeMessages(
  messages: readonly Message[],
  family: ModelFamily,
  losses: LossList,
): EncodedMessages {
  const writer = new ConversationWriter(family, losses)
  for (const message of shownByUser(messages, DIALECT, losses)) writer.add(message)
  return { messages: writer.messages(), system: writer.system }
}

class ConversationWriter {
  readonly system: JsonObject[] = []
  readonly #turns: Turn[] = []
  readonly #losses: LossList
  readonly #parts: PartEncoder
  readonly #points: CachePoints
  /**
   * Whether the last message is from the user, even if it is empty. The model then does not continue an earlier
   * response.
   */
  #isUserLast = false

  constructor(family: ModelFamily, losses: LossList) {
    this.#losses = losses
    this.#parts = new PartEncoder(family, losses)
    this.#points = new CachePoints(family, losses)
  }

  add(message: Message): void {
    this.#losses.fieldsOf(message.extra)
    if (message.name !== undefined) this.#losses.add("name")
    const { role, parts } = message
    if (role === "system" || role === "developer") {
      this.#addSystem(message)
      return
    }
    for (const part of parts) this.#addPart(part, role)
    this.#isUserLast = role !== "assistant"
  }

  messages(): JsonObject[] {
    const last = this.#turns.at(-1)
    if (this.#isUserLast && last?.role === "assistant") {
      this.#losses.add("messages", "approximated")
      this.#turns.push({ role: "user", results: [], content: [{ text: PLACEHOLDER }] })
    }
    for (const turn of this.#turns) this.#complete(turn)
    trimPrefill(this.#turns.at(-1))
    const messages: JsonObject[] = this.#turns.map(({ role, results, content }) => ({
      role,
      content: [...results, ...content],
    }))
    if (messages[0]?.role === "user") return messages
    this.#losses.add("messages", "approximated")
    return [{ role: "user", content: [{ text: PLACEHOLDER }] }, ...messages]
  }

  #addSystem(message: Message): void {
    if (this.#turns.length > 0) this.#losses.add("system.position", "approximated")
    for (const part of message.parts) {
      if (part.type !== "text") {
        this.#losses.add(`system.${part.type}`)
        continue
      }
      const block = this.#parts.encode(part)
      if (block === undefined) continue
      this.system.push(block)
      this.#points.mark(this.system, part.cache)
    }
  }

  #addPart(part: Part, role: "user" | "assistant" | "tool"): void {
    if (role === "assistant" && USER_PARTS.has(part.type)) {
      this.#losses.add(`assistant.${part.type}`)
      return
    }
    const block = this.#parts.encode(part)
    if (block === undefined) return
    const turn = this.#turnOf(role === "assistant" ? "assistant" : "user")
    const blocks = part.type === "tool-result" ? turn.results : turn.content
    blocks.push(block)
    if ("cache" in part) this.#points.mark(blocks, part.cache)
  }

  /**
   * Returns the turn to write to. Consecutive messages of one side form one turn, which is created with its first
   * block.
   */
  #turnOf(role: Turn["role"]): Turn {
    const last = this.#turns.at(-1)
    if (last?.role === role) return last
    const turn: Turn = { role, results: [], content: [] }
    this.#turns.push(turn)
    return turn
  }

  #complete({ role, content }: Turn): void {
    if (role === "assistant") this.#dropLastThoughts(content)
    const isSilent = role === "assistant" ? content.length === 0 : lacksText(content)
    if (!isSilent) return
    this.#losses.add("messages", "approximated")
    content.push({ text: PLACEHOLDER })
  }

  /**
   * Drops reasoning from the end of a response that was cut off while the model was thinking. Reasoning must not be the
   * last block.
   */
  #dropLastThoughts(content: JsonObject[]): void {
    while (content.at(-1)?.reasoningContent !== undefined) {
      this.#losses.add("reasoning.signature")
      content.pop()
    }
  }
}

/** Removes white space from the end of a prefilled response, because Claude rejects it. */
function trimPrefill(turn: Turn | undefined): void {
  const block = turn?.role === "assistant" ? turn.content.at(-1) : undefined
  if (typeof block?.text === "string") block.text = block.text.trimEnd()
}

/** Whether the content has a document but no text, which Converse rejects. */
function lacksText(content: readonly JsonObject[]): boolean {
  const hasDocument = content.some(({ document }) => document !== undefined)
  return hasDocument && content.every(({ text }) => text === undefined)
}
