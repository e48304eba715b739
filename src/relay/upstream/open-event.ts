import { JsonScanner } from "../../canon/json-structure.ts"
import type { JsonObject } from "../../canon/json.ts"
import { ChunkList } from "../../wire/chunk-list.ts"
import { UsageMembers } from "./usage-members.ts"

/** Events with fewer bytes are not scanned, because their memory is never refused. */
const MAX_UNSCANNED_BYTES = 256 * 1024
/**
 * Bytes before an event: blank lines of server-sent events, and the header with the type of a binary event. Its length
 * byte never occurs in JSON.
 */
const STARTS = ["\n\n", "\r\n\r\n", "\r\r", "\x0b:event-type"]

/** Scans an event that arrives in several chunks for its usage, in case the event is too long to be parsed. */
export class OpenEvent {
  readonly #usage = new UsageMembers()
  readonly #chunks = new ChunkList()
  #bytes = 0
  #scanner: JsonScanner | undefined

  /** @param first the chunk that completed the event before. This event may start in the same chunk. */
  constructor(first: Uint8Array) {
    this.push(first)
  }

  push(chunk: Uint8Array): void {
    if (this.#scanner !== undefined) return this.#scanner.push(chunk)
    this.#chunks.push(chunk)
    this.#bytes += chunk.byteLength
    if (this.#bytes > MAX_UNSCANNED_BYTES) this.#scan()
  }

  /** The members with the last usage in the event and in the events that were pushed after it. */
  get usageMembers(): JsonObject {
    if (this.#scanner === undefined) this.#scan()
    return this.#usage.members
  }

  #scan(): void {
    const bytes = Buffer.concat(this.#chunks.chunks)
    this.#chunks.clear()
    this.#scanner = new JsonScanner({ observer: this.#usage })
    const before = Math.max(0, ...STARTS.map((text) => bytes.lastIndexOf(text)))
    const start = bytes.indexOf("{", before)
    if (start !== -1) this.#scanner.push(bytes.subarray(start))
  }
}
