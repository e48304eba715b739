import { type FileHead, fileTooLarge, type FormFile } from "../canon/form-file.ts"

/** The bytes of a file, in memory or on disk. */
export interface FileBytes {
  /** Size in bytes. For a file that is still arriving, its expected size. */
  readonly size: number
  /** The open file, whose bytes start at offset 0; absent if the bytes are in memory. */
  readonly descriptor?: number
  /** Allows a file that is still arriving to end. Its last bytes are withheld until this function is called. */
  readonly letFinish?: () => void
  /** Reads the bytes from `start` up to but not including `end`, which is at most `size`. */
  read(start: number, end: number): Promise<Uint8Array<ArrayBuffer>>
}

/** Bytes per chunk of a file's stream. */
const CHUNK = 64 * 1024

/** A file of a form, in memory or on disk. */
export class StoredFile implements FormFile {
  readonly field: string
  readonly name: string
  readonly type: string
  readonly #bytes: FileBytes

  constructor(head: FileHead, bytes: FileBytes) {
    this.field = head.field
    this.name = head.name
    this.type = head.type
    this.#bytes = bytes
  }

  get size(): number {
    return this.#bytes.size
  }

  get descriptor(): number | undefined {
    return this.#bytes.descriptor
  }

  letFinish(): void {
    this.#bytes.letFinish?.()
  }

  open(): ReadableStream<Uint8Array> {
    return streamOf(this.#bytes, () => {})
  }

  lend(): ReadableStream<Uint8Array> {
    return streamOf(this.#bytes, ({ buffer }) => buffer.transfer(0))
  }

  bytes(limit: number): Promise<Uint8Array<ArrayBuffer>> {
    if (this.size > limit) throw fileTooLarge(this.field, limit)
    return this.#bytes.read(0, this.size)
  }

  head(count: number): Promise<Uint8Array<ArrayBuffer>> {
    return this.slice(0, count)
  }

  slice(start: number, end: number): Promise<Uint8Array<ArrayBuffer>> {
    const from = Math.min(start, this.size)
    return this.#bytes.read(from, Math.max(from, Math.min(end, this.size)))
  }
}

/**
 * Returns a stream of a file.
 * @param takeBack called with each chunk when the next chunk is requested.
 */
function streamOf(
  source: FileBytes,
  takeBack: (chunk: Uint8Array<ArrayBuffer>) => void,
): ReadableStream<Uint8Array> {
  let at = 0
  let lent: Uint8Array<ArrayBuffer> | undefined
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (lent) takeBack(lent)
        lent = undefined
        if (at < source.size) {
          const end = Math.min(source.size, at + CHUNK)
          lent = await source.read(at, end)
          controller.enqueue(lent)
          at = end
        }
        if (at >= source.size) controller.close()
      },
    },
    // Reads only when a chunk is requested.
    { highWaterMark: 0 },
  )
}
