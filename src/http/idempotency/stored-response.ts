import type { KeptFile } from "../../store/kept-files.ts"
import {
  type ResponseHead,
  BEGINNING,
  type Ending,
  type PartPosition,
  readPart,
} from "./response-file.ts"

type Facts = Pick<StoredResponse, "head" | "ending" | "size" | "length"> & {
  readonly first: PartPosition
}

/** A stored response, which is read from beginning to end. */
export class StoredResponse implements AsyncDisposable {
  readonly head: ResponseHead
  readonly ending: Ending
  /** Stored size in bytes. */
  readonly size: number
  /** Length of the body in bytes. */
  readonly length: number
  readonly #file: KeptFile
  readonly #key: Uint8Array
  #next: PartPosition

  private constructor(file: KeptFile, key: Uint8Array, facts: Facts) {
    this.#file = file
    this.#key = key
    this.head = facts.head
    this.ending = facts.ending
    this.size = facts.size
    this.length = facts.length
    this.#next = facts.first
  }

  /**
   * Opens a stored response; undefined if its end is missing.
   * @throws Error if the file is damaged.
   */
  static async read(file: KeptFile, key: Uint8Array): Promise<StoredResponse | undefined> {
    const { bytes, next: first } = await readPart(file, key, BEGINNING)
    const head = JSON.parse(Buffer.from(bytes).toString()) as ResponseHead
    let length = 0
    for (let position = first; ;) {
      const part = await readPart(file, key, position)
      const { kind } = part
      position = part.next
      if (kind === "whole" || kind === "cut") {
        return new StoredResponse(file, key, {
          head,
          ending: kind,
          size: position.offset,
          length,
          first,
        })
      }
      length += part.bytes.byteLength
    }
  }

  /** Returns the next bytes of the body; undefined at the end. */
  async next(): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const { kind, bytes, next } = await readPart(this.#file, this.#key, this.#next)
    if (kind !== "chunk") return undefined
    this.#next = next
    return bytes
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file[Symbol.asyncDispose]()
  }
}
