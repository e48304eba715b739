import { JsonScanner } from "../../canon/json-structure.ts"
import type { JsonObject } from "../../canon/json.ts"
import { ChunkList } from "../../wire/chunk-list.ts"
import { UsageMembers } from "./usage-members.ts"

/** Events with fewer bytes are not scanned, because their memory is never rejected. */
const MAX_UNSCANNED_BYTES = 256 * 1024
/** The header with the type of a binary event. Its length byte never occurs in JSON. */
const BINARY_HEADER = "\x0b:event-type"
/** Bytes before an event: blank lines of server-sent events, and the header of a binary event. */
const STARTS = ["\n\n", "\r\n\r\n", "\r\r", BINARY_HEADER]

/** Scans an event that arrives in several chunks for its usage, in case the event is too long to be parsed. */
export class OpenEvent {
  readonly #chunks = new ChunkList()
  #bytes = 0
  #scanner: JsonScanner | undefined
  #usage = new UsageMembers()
  /** The members of the events before the current one. */
  #earlier: JsonObject = {}
  #isBinary = false
  /** Whether the payload of the current binary event has not begun. */
  #isInHeader = false
  /** The end of the last chunk, in which a header may have begun. */
  #tail: Uint8Array = new Uint8Array()

  /** @param first the chunk that completed the event before. This event may start in the same chunk. */
  constructor(first: Uint8Array) {
    this.push(first)
  }

  push(chunk: Uint8Array): void {
    if (this.#scanner !== undefined) return this.#read(chunk)
    this.#chunks.push(chunk)
    this.#bytes += chunk.byteLength
    if (this.#bytes > MAX_UNSCANNED_BYTES) this.#scan()
  }

  /** The members with the last usage in the event and in the events that were pushed after it. */
  get usageMembers(): JsonObject {
    if (this.#scanner === undefined) this.#scan()
    return { ...this.#earlier, ...this.#usage.members }
  }

  #scan(): void {
    const bytes = Buffer.concat(this.#chunks.chunks)
    this.#chunks.clear()
    this.#scanner = new JsonScanner({ observer: this.#usage })
    this.#isBinary = bytes.includes(BINARY_HEADER)
    const before = Math.max(0, ...STARTS.map((text) => bytes.lastIndexOf(text)))
    const start = bytes.indexOf("{", before)
    if (start !== -1) this.#read(bytes.subarray(start))
  }

  #read(chunk: Uint8Array): void {
    if (!this.#isBinary) return this.#scanner?.push(chunk)
    const bytes = Buffer.concat([this.#tail, chunk])
    let scanned = this.#tail.byteLength
    let searched = 0
    let header = bytes.indexOf(BINARY_HEADER)
    while (header !== -1) {
      if (header > scanned) this.#readPayload(bytes.subarray(scanned, header))
      this.#startEvent()
      scanned = searched = header + BINARY_HEADER.length
      header = bytes.indexOf(BINARY_HEADER, searched)
    }
    this.#readPayload(bytes.subarray(scanned))
    this.#tail = bytes.subarray(Math.max(searched, bytes.length - BINARY_HEADER.length + 1))
  }

  /**
   * Starts another scan. The checksums between two binary events can contain quotes, which would begin a string that
   * contains the next event.
   */
  #startEvent(): void {
    this.#earlier = { ...this.#earlier, ...this.#usage.members }
    this.#usage = new UsageMembers()
    this.#scanner = new JsonScanner({ observer: this.#usage })
    this.#isInHeader = true
  }

  #readPayload(bytes: Uint8Array): void {
    const start = this.#isInHeader ? bytes.indexOf(0x7b) : 0
    if (start === -1) return
    this.#isInHeader = false
    this.#scanner?.push(bytes.subarray(start))
  }
}
