import { GatewayError } from "./errors.ts"

/** Where the bytes of a file are: in memory, or on a disk. */
export interface FileBytes {
  /** Of a file that is still arriving, what it is expected to come to. */
  readonly size: number
  /** Present of a file that is still arriving, whose last bytes are withheld until this is called. */
  readonly letFinish?: () => void
  /** The bytes from `start` up to but not including `end`, which is at most `size`. */
  read(start: number, end: number): Promise<Uint8Array<ArrayBuffer>>
}

/** Bytes that a stream of a file gives at a time. */
const PIECE = 64 * 1024

/** What a form says of a file. None of it is to be trusted. */
export interface FileHead {
  /** Without the brackets that arrays have. */
  readonly field: string
  /** Empty when the sender gave none. */
  readonly name: string
  /** The content type as the sender has it; empty when they gave none (WIRE.md trap 10). */
  readonly type: string
}

/** A file that came in a form. It can be read until its form is disposed of. */
export class FormFile implements FileHead {
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

  /** Bytes. */
  get size(): number {
    return this.#bytes.size
  }

  /** Lets it be read to its end. Until then nobody gets the whole of a file that is still arriving. */
  letFinish(): void {
    this.#bytes.letFinish?.()
  }

  /** The file from its beginning, again each time: one stream for each attempt. */
  open(): ReadableStream<Uint8Array> {
    return streamOf(this.#bytes, () => {})
  }

  /**
   * The same in pieces that are only lent: each is gone when the next one is asked for. For those who
   * have copied it by then, as whoever sends a request has; garbage of the size of an upload is spared.
   */
  lend(): ReadableStream<Uint8Array> {
    return streamOf(this.#bytes, ({ buffer }) => buffer.transfer(0))
  }

  /**
   * The file whole.
   * @param limit bytes that the caller of this can hold.
   * @throws GatewayError `file_too_large`.
   */
  bytes(limit: number): Promise<Uint8Array<ArrayBuffer>> {
    if (this.size > limit) throw fileTooLarge(this.field, limit)
    return this.#bytes.read(0, this.size)
  }

  /** The first bytes, fewer when the file is shorter. */
  head(count: number): Promise<Uint8Array<ArrayBuffer>> {
    return this.slice(0, count)
  }

  /** A part of the file; what lies behind its end is left out. */
  slice(start: number, end: number): Promise<Uint8Array<ArrayBuffer>> {
    const from = Math.min(start, this.size)
    return this.#bytes.read(from, Math.max(from, Math.min(end, this.size)))
  }
}

/** What was to be read of a file has not arrived. */
export class IncompleteFile extends Error {
  override readonly name = "IncompleteFile"
}

/** A file is larger than the endpoint takes. @param limit bytes. */
export function fileTooLarge(field: string, limit: number): GatewayError {
  const megabytes = limit / 1024 / 1024
  const shown = Number.isInteger(megabytes) ? `${megabytes} MB` : `${limit} bytes`
  return new GatewayError("file_too_large", `The file in '${field}' is larger than ${shown}.`, {
    parameter: field,
  })
}

/** @param takeBack called with each piece when the next one is asked for. */
function streamOf(
  source: FileBytes,
  takeBack: (piece: Uint8Array<ArrayBuffer>) => void,
): ReadableStream<Uint8Array> {
  let at = 0
  let lent: Uint8Array<ArrayBuffer> | undefined
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (lent) takeBack(lent)
        lent = undefined
        if (at < source.size) {
          const end = Math.min(source.size, at + PIECE)
          lent = await source.read(at, end)
          controller.enqueue(lent)
          at = end
        }
        if (at >= source.size) controller.close()
      },
    },
    // Nothing is read before it is asked for.
    { highWaterMark: 0 },
  )
}
