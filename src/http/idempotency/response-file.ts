import { createCipheriv, createDecipheriv } from "node:crypto"
import type { FileHandle } from "node:fs/promises"
import type { KeptFile } from "../../store/kept-files.ts"

/** Provides the bytes of a file. */
type ByteSource = Pick<KeptFile, "read">

/** Status and headers of a response, stored at the beginning of its file. */
export interface ResponseHead {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
}

/** Whether the recorded response is complete or was cut off. */
export type Ending = "whole" | "cut"

/** The kinds of parts in a file, with the first byte of each. */
const KINDS = { head: 0, chunk: 1, whole: 2, cut: 3 } as const satisfies Record<string, number> &
  Record<Ending, number>

type PartKind = keyof typeof KINDS

const CIPHER = "aes-256-gcm"
export const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
/** Bytes of the length before each part. */
const LENGTH_BYTES = 4
/** Maximum response bytes in one part, so that files are read in small steps. */
export const MAX_CHUNK_BYTES = 256 * 1024
const NOTHING = new Uint8Array()

/** Offset and sequence number of a part in a file. */
export interface PartPosition {
  readonly offset: number
  readonly sequence: number
}

/** A decrypted part of a file. */
export interface Part {
  readonly kind: PartKind
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly next: PartPosition
}

/** The position of the first part, which is the head. */
export const BEGINNING: PartPosition = { offset: 0, sequence: 0 }

/**
 * A file of encrypted parts. The nonce of each part contains its number, and the last part is marked, so that removed,
 * swapped or missing parts are detected.
 */
export class ResponseFile {
  readonly #handle: FileHandle
  readonly #key: Uint8Array
  #end: PartPosition = BEGINNING
  /** Encrypted parts that have not been written yet. */
  #pending: Buffer[] = []

  constructor(handle: FileHandle, key: Uint8Array) {
    this.#handle = handle
    this.#key = key
  }

  /** Size in bytes. */
  get size(): number {
    return this.#end.offset
  }

  /** Appends status and headers, which must come first. */
  appendHead(head: ResponseHead): void {
    this.#append("head", Buffer.from(JSON.stringify(head)))
  }

  /**
   * Appends bytes of the response.
   * @returns the position of the bytes, which can be read after `write`.
   */
  appendChunk(bytes: Uint8Array): PartPosition {
    return this.#append("chunk", bytes)
  }

  /** Writes all appended parts. */
  async write(): Promise<void> {
    const pending = Buffer.concat(this.#pending)
    this.#pending = []
    await this.#handle.appendFile(pending)
  }

  /**
   * Appends the ending and waits until the file is on disk. After a power failure, its directory entry may still be
   * missing. In that case, the response is lost, but no money is lost.
   */
  async finish(ending: Ending): Promise<void> {
    this.#append(ending, NOTHING)
    await this.write()
    await this.#handle.datasync()
  }

  #append(kind: PartKind, bytes: Uint8Array): PartPosition {
    const position = this.#end
    const cipher = createCipheriv(CIPHER, this.#key, nonceOf(position))
    const encrypted = [
      cipher.update(Uint8Array.of(KINDS[kind])),
      cipher.update(bytes),
      cipher.final(),
    ]
    const content = Buffer.concat([Buffer.alloc(LENGTH_BYTES), ...encrypted, cipher.getAuthTag()])
    content.writeUInt32BE(content.byteLength - LENGTH_BYTES)
    this.#pending.push(content)
    this.#end = { offset: position.offset + content.byteLength, sequence: position.sequence + 1 }
    return position
  }

  /**
   * Reads the part at a position.
   * @throws Error if the part is incomplete or was modified.
   */
  read(position: PartPosition): Promise<Part> {
    const read: ByteSource["read"] = async (start, length) => {
      const { buffer, bytesRead } = await this.#handle.read(Buffer.alloc(length), 0, length, start)
      return buffer.subarray(0, bytesRead)
    }
    return readPart({ read }, this.#key, position)
  }

  async close(): Promise<void> {
    await this.#handle.close()
  }
}

/**
 * Decrypts a part.
 * @throws Error if the part is incomplete or was modified.
 */
export async function readPart(
  source: ByteSource,
  key: Uint8Array,
  position: PartPosition,
): Promise<Part> {
  const length = Buffer.from(await bytesOf(source, position.offset, LENGTH_BYTES)).readUInt32BE()
  if (length > MAX_CHUNK_BYTES + TAG_BYTES + 1) throw new Error("a stored response is damaged")
  const encrypted = await bytesOf(source, position.offset + LENGTH_BYTES, length)
  const decipher = createDecipheriv(CIPHER, key, nonceOf(position))
  decipher.setAuthTag(encrypted.subarray(-TAG_BYTES))
  const opened = decipher.update(encrypted.subarray(0, -TAG_BYTES))
  decipher.final()
  return {
    kind: kindOf(opened[0]),
    bytes: new Uint8Array(opened.subarray(1)),
    next: { offset: position.offset + LENGTH_BYTES + length, sequence: position.sequence + 1 },
  }
}

async function bytesOf(source: ByteSource, start: number, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length)
  for (let filled = 0; filled < length;) {
    const some = await source.read(start + filled, length - filled)
    if (some.byteLength === 0) throw new Error("a stored response is truncated")
    bytes.set(some, filled)
    filled += some.byteLength
  }
  return bytes
}

/**
 * Returns the kind of a part.
 * @throws Error for an unknown kind.
 */
function kindOf(byte: number | undefined): PartKind {
  switch (byte) {
    case KINDS.head:
      return "head"
    case KINDS.chunk:
      return "chunk"
    case KINDS.whole:
      return "whole"
    case KINDS.cut:
      return "cut"
    default:
      throw new Error("a stored response is damaged")
  }
}

function nonceOf({ sequence }: PartPosition): Uint8Array {
  const nonce = Buffer.alloc(NONCE_BYTES)
  nonce.writeUInt32BE(sequence, NONCE_BYTES - 4)
  return nonce
}
