import {
  type ConversationRecord,
  type ConversationRoom,
  type ConversationParts,
  type ConversationWrite,
  type FindOptions,
  type FoundParts,
  type KeptPart,
} from "./conversations.ts"

/** Maximum bytes that wait to be written. When the limit is reached, further responses are not stored. */
const MAX_PENDING_BYTES = 64 * 1024 * 1024

/**
 * Stores conversations. Responses that arrive during a write are written together after it. Until then, this process
 * finds them in memory.
 */
export class ConversationStore implements AsyncDisposable {
  readonly #parts: ConversationParts
  readonly #pending = new Map<string, Uint8Array>()
  #pendingBytes = 0
  #next: ConversationWrite[] = []
  /** The current transaction, and the next one. */
  #writing: Promise<void> = Promise.resolve()
  #following: Promise<void> | undefined

  constructor(parts: ConversationParts) {
    this.#parts = parts
  }

  /**
   * Stores a response. This process finds it immediately.
   * @returns a promise that resolves when the response is written. From then on, other processes find it.
   */
  keep(record: ConversationRecord, room: ConversationRoom): Promise<void> {
    const bytes = sizeOf(record.parts)
    if (this.#pendingBytes + bytes > MAX_PENDING_BYTES) {
      return Promise.reject(
        new Error("too many bytes are waiting to be written to conversations.db"),
      )
    }
    this.#pendingBytes += bytes
    for (const { hash, encrypted } of record.parts) this.#pending.set(hash, encrypted)
    this.#next.push({ record, room })
    this.#following ??= this.#writing.then(() => this.#write())
    return this.#following
  }

  async find(hashes: readonly string[], options: FindOptions): Promise<FoundParts> {
    const inMemory: KeptPart[] = []
    const elsewhere: string[] = []
    for (const hash of hashes) {
      const encrypted = this.#pending.get(hash)
      if (encrypted === undefined) elsewhere.push(hash)
      else inMemory.push({ hash, encrypted })
    }
    const bytes = sizeOf(inMemory)
    if (elsewhere.length === 0) return bytes > options.max ? bytes : inMemory
    const max = options.max - bytes
    const found = await this.#parts.find(elsewhere, { ...options, max })
    if (typeof found === "number") return found + bytes
    return bytes > options.max ? bytes : [...found, ...inMemory]
  }

  /**
   * Deletes a response.
   * @returns whether it existed.
   */
  async delete(hash: string): Promise<boolean> {
    await (this.#following ?? this.#writing).catch(() => undefined)
    return this.#parts.delete(hash)
  }

  /**
   * Deletes expired responses.
   * @param keep retention as in `FindOptions`.
   */
  async sweep(now: number, keep: number): Promise<void> {
    await this.#parts.sweep(now, keep)
  }

  #write(): Promise<void> {
    const writes = this.#next
    this.#next = []
    this.#following = undefined
    const written = this.#parts.keep(writes)
    this.#writing = written
      .catch(() => undefined)
      .then(() => {
        for (const { record } of writes) this.#forget(record.parts)
      })
    return written
  }

  #forget(parts: readonly KeptPart[]): void {
    this.#pendingBytes -= sizeOf(parts)
    for (const { hash, encrypted } of parts) {
      if (this.#pending.get(hash) === encrypted) this.#pending.delete(hash)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#following?.catch(() => undefined)
    await this.#writing
  }
}

function sizeOf(parts: readonly KeptPart[]): number {
  return parts.reduce((sum, { encrypted }) => sum + encrypted.byteLength, 0)
}
