import type { SseFrame } from "../../../canon/dialect.ts"
import type { JsonObject } from "../../../canon/json.ts"
import type { Citation } from "../../../canon/message.ts"
import type { WebSearchPart } from "../../../canon/web-search.ts"
import { encodeCitation } from "../citations.ts"
import { DIRECT_CALLER } from "../tools.ts"
import { encodeSearch } from "../search.ts"
import { ObjectProgress } from "./object-progress.ts"

interface Call {
  readonly id: string
  readonly name: string
  readonly progress: ObjectProgress
  /** The arguments of the call that have not been sent. */
  unsent: string
  hasSent: boolean
  isStopped: boolean
}

interface WordsBlock {
  readonly kind: "text" | "thinking"
  isCited: boolean
}

type Write = (frames: SseFrame[]) => void

type OpenBlock = WordsBlock | { readonly kind: "call"; readonly call: Call }

const EMPTY_TEXT: JsonObject = { type: "text", text: "" }
const EMPTY_THINKING: JsonObject = { type: "thinking", thinking: "", signature: "" }

/**
 * Writes the blocks of one stream. Only one block is open at a time, as clients expect, and the indexes have no gaps.
 * Blocks that start while a call is incomplete wait for the call to end, because some vendors send text in the middle
 * of arguments.
 */
export class WrittenBlocks {
  readonly #calls = new Map<number, Call>()
  readonly #waiting = new Set<Call>()
  #index = -1
  #open: OpenBlock | undefined
  /** A signature that followed text. It is sent once another block follows. */
  #heldSignature: string | undefined
  /** Blocks that arrived while the open call was incomplete. */
  #deferred: Write[] = []

  text(text: string, frames: SseFrame[]): void {
    if (text === "" || this.#defers((later) => this.text(text, later))) return
    // Text after a citation becomes a separate block.
    if (this.#open?.kind === "text" && this.#open.isCited) this.#stop(frames)
    this.#openAs("text", EMPTY_TEXT, frames)
    this.#delta(`{"type":"text_delta","text":${JSON.stringify(text)}}`, frames)
  }

  citation(citation: Citation, frames: SseFrame[]): void {
    if (this.#defers((later) => this.citation(citation, later))) return
    const encoded = encodeCitation(citation)
    if (encoded === undefined) return
    this.#openAs("text", EMPTY_TEXT, frames).isCited = true
    const text = JSON.stringify(encoded)
    this.#delta(`{"type":"citations_delta","citation":${text}}`, frames)
  }

  thinking(text: string, frames: SseFrame[]): void {
    if (text === "" || this.#defers((later) => this.thinking(text, later))) return
    this.#openAs("thinking", EMPTY_THINKING, frames)
    this.#delta(`{"type":"thinking_delta","thinking":${JSON.stringify(text)}}`, frames)
  }

  /**
   * Ends a thinking block, so that later thinking becomes another block. Gemini signs after its text and does not need
   * that signature back. A signature after the text is sent only if another block follows. If the signature were the
   * last block, its empty thinking would hide the text from clients that read the last block (Claude Code).
   */
  signature(signature: string, frames: SseFrame[]): void {
    if (this.#defers((later) => this.signature(signature, later))) return
    if (this.#open?.kind === "text" || this.#heldSignature !== undefined) {
      this.#stop(frames)
      this.#heldSignature = signature
    } else this.#sign(signature, frames)
  }

  #sign(signature: string, frames: SseFrame[]): void {
    this.#openAs("thinking", EMPTY_THINKING, frames)
    const text = JSON.stringify(signature)
    this.#delta(`{"type":"signature_delta","signature":${text}}`, frames)
    this.#stop(frames)
  }

  redacted(data: string, frames: SseFrame[]): void {
    this.whole({ type: "redacted_thinking", data }, frames)
  }

  /** Writes a block that has no deltas. */
  whole(block: JsonObject, frames: SseFrame[]): void {
    if (this.#defers((later) => this.whole(block, later))) return
    this.#stop(frames)
    this.#start(block, frames)
    this.#stopFrame(frames)
  }

  /** Writes another vendor's search: the query, which is streamed like arguments, and the results. */
  search(search: WebSearchPart, frames: SseFrame[]): void {
    if (this.#defers((later) => this.search(search, later))) return
    const { use, input, result } = encodeSearch(search)
    const written = JSON.stringify(JSON.stringify(input))
    this.#stop(frames)
    this.#start(use, frames)
    this.#delta(`{"type":"input_json_delta","partial_json":${written}}`, frames)
    this.#stopFrame(frames)
    this.whole(result, frames)
  }

  callStart(index: number, id: string, name: string, frames: SseFrame[]): void {
    const progress = new ObjectProgress()
    const call: Call = { id, name, progress, unsent: "", hasSent: false, isStopped: false }
    this.#calls.set(index, call)
    this.#write(call, frames)
  }

  callDelta(index: number, written: string, frames: SseFrame[]): void {
    const call = this.#calls.get(index)
    if (call === undefined || call.isStopped || written === "") return
    call.progress.add(written)
    call.unsent += written
    this.#write(call, frames)
  }

  /** Ends the stream. Sends the waiting calls and the blocks that waited for them. */
  stopAll(frames: SseFrame[]): void {
    this.#stop(frames)
    for (const call of this.#waiting) {
      this.#openCall(call, frames)
      this.#stop(frames)
    }
    this.#writeDeferred(frames)
    this.#stop(frames)
  }

  #defers(write: Write): boolean {
    if (this.#open?.kind !== "call") return false
    if (this.#deferred.length === 0 && this.#open.call.progress.isComplete) return false
    this.#deferred.push(write)
    return true
  }

  #writeDeferred(frames: SseFrame[]): void {
    const deferred = this.#deferred
    if (deferred.length === 0) return
    this.#deferred = []
    this.#stop(frames)
    for (const write of deferred) write(frames)
  }

  #write(call: Call, frames: SseFrame[]): void {
    if (this.#open?.kind === "call" && this.#open.call === call) {
      this.#send(call, frames)
      if (this.#deferred.length > 0 && call.progress.isComplete) this.#writeDeferred(frames)
      return
    }
    this.#waiting.add(call)
    this.#advance(frames)
  }

  /** Opens each waiting call, in order, as soon as the previous call is complete. */
  #advance(frames: SseFrame[]): void {
    for (const call of this.#waiting) {
      if (this.#open?.kind === "call" && !this.#open.call.progress.isComplete) return
      this.#stop(frames)
      this.#openCall(call, frames)
    }
  }

  #openCall(call: Call, frames: SseFrame[]): void {
    this.#waiting.delete(call)
    const { id, name } = call
    this.#start({ type: "tool_use", id, name, input: {}, caller: DIRECT_CALLER }, frames)
    this.#open = { kind: "call", call }
    if (call.unsent !== "") this.#send(call, frames)
  }

  #send(call: Call, frames: SseFrame[]): void {
    const text = JSON.stringify(call.unsent)
    call.unsent = ""
    call.hasSent = true
    this.#delta(`{"type":"input_json_delta","partial_json":${text}}`, frames)
  }

  #openAs(kind: "text" | "thinking", block: JsonObject, frames: SseFrame[]): WordsBlock {
    if (this.#open?.kind === kind) return this.#open
    this.#stop(frames)
    this.#start(block, frames)
    const open = { kind, isCited: false }
    this.#open = open
    return open
  }

  #start(block: JsonObject, frames: SseFrame[]): void {
    const held = this.#heldSignature
    if (held !== undefined) {
      this.#heldSignature = undefined
      this.#sign(held, frames)
    }
    this.#index++
    const text = `"index":${this.#index},"content_block":${JSON.stringify(block)}`
    const data = `{"type":"content_block_start",${text}}`
    frames.push({ event: "content_block_start", data })
  }

  #delta(delta: string, frames: SseFrame[]): void {
    const data = `{"type":"content_block_delta","index":${this.#index},"delta":${delta}}`
    frames.push({ event: "content_block_delta", data })
  }

  #stop(frames: SseFrame[]): void {
    const open = this.#open
    if (open === undefined) return
    this.#open = undefined
    if (open.kind === "call") {
      open.call.isStopped = true
      // A tool without arguments gets one empty chunk (docs/contribute/wire/anthropic-messages.md#f7).
      if (!open.call.hasSent) this.#send(open.call, frames)
    }
    this.#stopFrame(frames)
  }

  #stopFrame(frames: SseFrame[]): void {
    const data = `{"type":"content_block_stop","index":${this.#index}}`
    frames.push({ event: "content_block_stop", data })
  }
}
