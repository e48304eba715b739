import { checkEntries, GrowingMembers } from "../../../canon/response-limits.ts"
import type { ChatEvent } from "../../../canon/chat.ts"
import { extraOf } from "../../../canon/extra.ts"
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseJsonObject,
  textAt,
  unknownFields,
} from "../../../canon/json.ts"
import type { Citation } from "../../../canon/message.ts"
import type { OtherContent } from "../../../canon/other-content.ts"
import { decodeCitation, decodeCitations } from "../citations.ts"
import { checkToolCalls } from "../../shared/choices.ts"
import { startedTwice } from "../../shared/stream.ts"
import { DIALECT } from "../identifiers.ts"
import { SearchSteps } from "../search.ts"

/** A block that has started but not stopped, with data that can only be sent when the block stops. */
type OpenBlock =
  | { readonly kind: "text"; readonly citations: Citation[] }
  | { readonly kind: "thinking"; signature: string; sent: number }
  | { readonly kind: "call"; readonly call: number; readonly input: string; hasDelta: boolean }
  | { readonly kind: "other"; readonly block: JsonObject; input: string }

/** Members of a block's start. */
const BLOCK_HEAD: ReadonlySet<string> = new Set(["type", "id", "tool_use_id", "caller"])
const DELTA_HEAD: ReadonlySet<string> = new Set(["type"])

/** Maximum characters of all inputs that are parsed, because all blocks may stop in one turn of the event loop. */
const MAX_PARSED_CHARACTERS = 1_000_000

/** The blocks of one stream, by their index. */
export class OpenBlocks {
  readonly #open = new Map<number, OpenBlock>()
  readonly #other: OtherContent
  readonly #members = new GrowingMembers()
  #parsedCharacters = 0
  #searches: SearchSteps | undefined
  #calls = 0

  /** @param other collects content without an event, and content whose event follows when its block stops. */
  constructor(other: OtherContent) {
    this.#other = other
  }

  get hasCalls(): boolean {
    return this.#calls > 0
  }

  /**
   * Starts a block.
   * @throws GatewayError `upstream_error` if the block is already open, because a client would read two blocks.
   */
  start(event: JsonObject, events: ChatEvent[]): void {
    const { content_block: block } = event
    if (!isJsonObject(block)) return
    const index = indexOf(event)
    if (this.#open.has(index)) throw startedTwice("block")
    this.#open.set(index, this.#startBlock(block, events))
    checkEntries("parts", this.#open.size)
  }

  delta(event: JsonObject, events: ChatEvent[]): void {
    const { delta } = event
    if (!isJsonObject(delta)) return
    const open = this.#open.get(indexOf(event))
    switch (delta.type) {
      case "text_delta":
        pushText(delta, "text", events)
        break
      case "thinking_delta":
        if (open?.kind === "thinking") open.sent += textAt(delta, "thinking")?.length ?? 0
        pushThinking(delta, "thinking", events)
        break
      case "signature_delta":
        // A later signature replaces an earlier one (docs/contribute/wire/anthropic-messages.md#f8).
        if (open?.kind === "thinking") this.#onSignature(open, textAt(delta, "signature") ?? "")
        break
      case "citations_delta":
        if (open?.kind === "text" && isJsonObject(delta.citation)) {
          open.citations.push(decodeCitation(delta.citation))
          // The event of the citation is sent when the block stops, but the caller already has the citation.
          this.#other.json(delta.citation)
        }
        break
      case "input_json_delta":
        if (open !== undefined) onInput(open, textAt(delta, "partial_json"), events)
        if (open?.kind === "other") this.#other.text(textAt(delta, "partial_json") ?? "")
        break
      default:
        this.#other.json(unknownFields(delta, DELTA_HEAD))
        if (open?.kind === "other") this.#extend(open.block, delta)
    }
  }

  /** Handles a block that arrived without deltas. */
  whole(block: JsonObject, events: ChatEvent[]): void {
    this.#stopBlock(this.#startBlock(block, events), events)
  }

  stop(event: JsonObject, events: ChatEvent[]): void {
    const index = indexOf(event)
    const open = this.#open.get(index)
    this.#open.delete(index)
    if (open !== undefined) this.#stopBlock(open, events)
  }

  /** Stops all open blocks. A message that reached its limit may end without stopping its last block. */
  stopAll(events: ChatEvent[]): void {
    for (const open of this.#open.values()) this.#stopBlock(open, events)
    this.#open.clear()
  }

  #startBlock(block: JsonObject, events: ChatEvent[]): OpenBlock {
    switch (block.type) {
      case "text":
        pushText(block, "text", events)
        return { kind: "text", citations: decodeCitations(block.citations) }
      case "thinking":
        pushThinking(block, "thinking", events)
        return {
          kind: "thinking",
          signature: textAt(block, "signature") ?? "",
          sent: textAt(block, "thinking")?.length ?? 0,
        }
      case "redacted_thinking": {
        const signature = textAt(block, "data") ?? ""
        const isRedacted = true
        events.push({ ...SIGNED, signature, isRedacted })
        return { kind: "text", citations: [] }
      }
      case "tool_use":
        return this.#startCall(block, events)
      default:
        this.#other.json(unknownFields(block, BLOCK_HEAD))
        return { kind: "other", block: { ...block }, input: "" }
    }
  }

  /** Stores a signature. If thinking is hidden or summarized, the signature contains all of it. */
  #onSignature(open: Extract<OpenBlock, { kind: "thinking" }>, signature: string): void {
    this.#other.text(signature.slice(open.sent))
    open.signature = signature
  }

  #startCall(block: JsonObject, events: ChatEvent[]): OpenBlock {
    const name = textAt(block, "name") ?? ""
    const input = wholeInput(block)
    const call = this.#calls++
    checkToolCalls(this.#calls)
    const id = textAt(block, "id") ?? ""
    events.push({ type: "tool-call-start", choice: 0, call, id, name })
    return { kind: "call", call, input, hasDelta: false }
  }

  #stopBlock(open: OpenBlock, events: ChatEvent[]): void {
    switch (open.kind) {
      case "text":
        // Anthropic sends citations before the text that they support.
        for (const citation of open.citations)
          events.push({ type: "citation", choice: 0, citation })
        break
      case "thinking":
        if (open.signature !== "") events.push({ ...SIGNED, signature: open.signature })
        break
      case "call":
        if (!open.hasDelta && open.input !== "") pushInput(open, open.input, events)
        break
      case "other": {
        const { block, input } = open
        if (input !== "") block.input = this.#inputOf(input)
        const extra = extraOf(DIALECT, { content: [block] })
        events.push({ type: "choice-extra", choice: 0, extra })
        this.#readSearch(block, events)
        break
      }
    }
  }

  /** Extends the members that a delta of an unknown kind names. */
  #extend(block: JsonObject, delta: JsonObject): void {
    const { type: _, ...members } = delta
    for (const [name, value] of Object.entries(members)) {
      const earlier = block[name]
      const isMore = typeof earlier === "string" && typeof value === "string"
      this.#members.set(block, name, isMore ? earlier + value : value)
    }
  }

  /**
   * Returns the input of a call. It is returned as text if it is not an object, or if the inputs of the response are
   * long.
   */
  #inputOf(text: string): JsonValue {
    this.#parsedCharacters += text.length
    if (this.#parsedCharacters > MAX_PARSED_CHARACTERS) return text
    return parseJsonObject(text) ?? text
  }

  #readSearch(block: JsonObject, events: ChatEvent[]): void {
    this.#searches ??= new SearchSteps()
    const search = this.#searches.read(block)
    if (search !== undefined) events.push({ type: "web-search", choice: 0, search })
  }
}

const SIGNED = { type: "reasoning-signature", choice: 0, signedBy: DIALECT } as const

function indexOf({ index }: JsonObject): number {
  return typeof index === "number" ? index : 0
}

/**
 * Returns the input of a call that arrived as a whole with its start. Anthropic's own calls start with an empty input.
 */
function wholeInput({ input }: JsonObject): string {
  return isJsonObject(input) && Object.keys(input).length > 0 ? JSON.stringify(input) : ""
}

function pushText(from: JsonObject, key: string, events: ChatEvent[]): void {
  const text = textAt(from, key)
  if (text !== undefined) events.push({ type: "text-delta", choice: 0, text })
}

function pushThinking(from: JsonObject, key: string, events: ChatEvent[]): void {
  const text = textAt(from, key)
  if (text !== undefined) events.push({ type: "reasoning-delta", choice: 0, text })
}

function onInput(open: OpenBlock, written: string | undefined, events: ChatEvent[]): void {
  if (written === undefined) return
  if (open.kind === "other") open.input += written
  if (open.kind !== "call") return
  open.hasDelta = true
  pushInput(open, written, events)
}

function pushInput(
  { call }: Extract<OpenBlock, { kind: "call" }>,
  written: string,
  events: ChatEvent[],
): void {
  events.push({ type: "tool-call-delta", choice: 0, call, arguments: written })
}
