import type { ChatEvent, ChatRequest } from "../../../canon/chat.ts"
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  objectAt,
  textAt,
  unknownFields,
} from "../../../canon/json.ts"
import type { Citation } from "../../../canon/message.ts"
import { OtherContent } from "../../../canon/other-content.ts"
import { defined } from "../../shared/fields.ts"
import { finishEvent } from "../../shared/finish.ts"
import { checkToolCalls } from "../../shared/choices.ts"
import { decodeCitation } from "../citations.ts"
import { decodeFinish } from "../finish.ts"
import { DIALECT } from "../identifiers.ts"

/** The members of a chunk that are read. */
const DELTAS: ReadonlySet<string> = new Set(["text", "toolUse", "reasoningContent", "citation"])

/** One open block of a response. */
interface OpenBlock {
  /** A call, or vendor-specific content (`unknown`); absent for text. */
  readonly tool?: { readonly call: number } | "unknown"
  /** Position in the text part at which the block starts. */
  readonly start: number
  signature: string
  readonly redacted: string[]
  readonly citations: JsonObject[]
}

/**
 * Converts the blocks of one response to events, for whole responses and streams. The signature of reasoning and the
 * citations of text are sent at the end of their block, because they are complete only then.
 */
export class ResponseBlocks {
  /** Content that no event contains. */
  readonly other = new OtherContent()
  readonly #blocks = new Map<number, OpenBlock>()
  /** The stop sequence of the request, if it has exactly one. */
  readonly #onlyStop: string | undefined
  #events: ChatEvent[] = []
  #calls = 0
  /** Characters of the current text part. */
  #textLength = 0

  constructor(request: ChatRequest | undefined) {
    if (request?.stop?.length === 1) this.#onlyStop = request.stop[0]
  }

  /** Returns the events since the last call to this method. */
  take(): ChatEvent[] {
    const events = this.#events
    this.#events = []
    return events
  }

  /** Starts a block that is not text. Unknown blocks are skipped. */
  start(index: number, start: JsonObject): void {
    const call = objectAt(start, "toolUse")
    if (call === undefined) {
      if (Object.keys(start).length > 0) this.#open(index, "unknown")
      this.other.json(start)
      return
    }
    // The vendor has already run a server tool.
    if (call.type === "server_tool_use") {
      this.other.json(call.name)
      this.#open(index, "unknown")
      return
    }
    const name = textAt(call, "name") ?? ""
    this.#textLength = 0
    const id = textAt(call, "toolUseId") ?? ""
    const number = this.#calls++
    checkToolCalls(this.#calls)
    this.#open(index, { call: number })
    this.#events.push({
      type: "tool-call-start",
      choice: 0,
      call: number,
      id,
      name,
    })
  }

  /** Handles a chunk of a block. */
  delta(index: number, delta: JsonObject): void {
    const block = this.#blocks.get(index) ?? this.#open(index)
    if (typeof delta.text === "string") this.#emitText(delta.text)
    const call = objectAt(delta, "toolUse")
    if (call !== undefined) this.#onInput(call.input, block)
    const reasoning = objectAt(delta, "reasoningContent")
    if (reasoning !== undefined) this.#onReasoning(reasoning, block)
    const citation = objectAt(delta, "citation")
    if (citation !== undefined) {
      block.citations.push(citation)
      this.other.json(citation)
    }
    this.other.json(unknownFields(delta, DELTAS))
  }

  /** Ends a block, and emits the content collected for it. */
  stop(index: number): void {
    const block = this.#blocks.get(index)
    if (block === undefined) return
    this.#blocks.delete(index)
    if (block.signature !== "") this.#sign(block.signature)
    if (block.redacted.length > 0) this.#sign(joinBase64(block.redacted), true)
    for (const citation of block.citations) this.#cite(decodeCitation(citation), block)
  }

  /** Ends all open blocks, because the response has ended. */
  stopAll(): void {
    for (const index of this.#blocks.keys()) this.stop(index)
  }

  /**
   * Finishes the response.
   * @param additional the fields of the model's maker, including the stop sequence if it was requested.
   */
  finish(word: string, additional: JsonObject | undefined): void {
    this.stopAll()
    const finish = decodeFinish(word, this.#calls > 0)
    const fields = (additional && objectAt(additional, "delta")) ?? additional
    const reported = fields === undefined ? undefined : textAt(fields, "stop_sequence")
    const stopSequence = reported ?? (word === "stop_sequence" ? this.#onlyStop : undefined)
    this.#events.push(finishEvent(0, defined({ ...finish, stopSequence })))
  }

  #open(index: number, tool?: OpenBlock["tool"]): OpenBlock {
    const block: OpenBlock = {
      ...(tool === undefined ? {} : { tool }),
      start: this.#textLength,
      signature: "",
      redacted: [],
      citations: [],
    }
    this.#blocks.set(index, block)
    return block
  }

  #emitText(text: string): void {
    if (text === "") return
    this.#textLength += text.length
    this.#events.push({ type: "text-delta", choice: 0, text })
  }

  #onInput(input: JsonValue | undefined, block: OpenBlock): void {
    const text = isJsonObject(input) ? JSON.stringify(input) : input
    const { tool } = block
    if (typeof text !== "string" || text === "" || tool === undefined) return
    if (tool === "unknown") return this.other.text(text)
    this.#events.push({ type: "tool-call-delta", choice: 0, call: tool.call, arguments: text })
  }

  #onReasoning(reasoning: JsonObject, block: OpenBlock): void {
    this.#textLength = 0
    const text = textAt(reasoning, "text")
    if (text !== undefined) this.#events.push({ type: "reasoning-delta", choice: 0, text })
    block.signature += textAt(reasoning, "signature") ?? ""
    const redacted = textAt(reasoning, "redactedContent")
    if (redacted !== undefined) block.redacted.push(redacted)
  }

  #sign(signature: string, isRedacted?: boolean): void {
    this.#events.push({
      type: "reasoning-signature",
      choice: 0,
      signature,
      signedBy: DIALECT,
      ...(isRedacted ? { isRedacted } : {}),
    })
  }

  #cite(citation: Citation, { start }: OpenBlock): void {
    const cited = { ...citation, start, end: this.#textLength }
    this.#events.push({ type: "citation", choice: 0, citation: cited })
  }
}

/** Joins chunks of bytes that were each encoded as base64. */
function joinBase64(chunks: readonly string[]): string {
  const [only] = chunks
  if (only !== undefined && chunks.length === 1) return only
  return Buffer.concat(chunks.map((chunk) => Buffer.from(chunk, "base64"))).toString("base64")
}
