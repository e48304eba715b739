import { GatewayError } from "./errors.ts"

/** What a form says of a file. None of it is to be trusted. */
export interface FileHead {
  /** Without the brackets that arrays have. */
  readonly field: string
  /** Empty when the sender gave none. */
  readonly name: string
  /** The content type as the sender has it; empty when they gave none (docs/wire/README.md#f6). */
  readonly type: string
}

/** A file that came in a form. It can be read as long as its request lasts. */
export interface FormFile extends FileHead {
  /** Bytes. Of a file that is still arriving, what it is expected to come to. */
  readonly size: number
  /** The file from its beginning, again each time: one stream for each attempt. */
  open(): ReadableStream<Uint8Array>
  /**
   * The same in chunks that are only lent: each is gone when the next one is asked for. For those who
   * have copied it by then, as the client that sends a request has; garbage of the size of an upload is spared.
   */
  lend(): ReadableStream<Uint8Array>
  /**
   * The file whole.
   * @param limit bytes that the caller of this can hold.
   * @throws GatewayError `file_too_large`.
   */
  bytes(limit: number): Promise<Uint8Array<ArrayBuffer>>
  /** The first bytes, fewer when the file is shorter. */
  head(count: number): Promise<Uint8Array<ArrayBuffer>>
  /** A part of the file; what lies behind its end is left out. */
  slice(start: number, end: number): Promise<Uint8Array<ArrayBuffer>>
  /** Lets it be read to its end. Until then no one gets the whole of a file that is still arriving. */
  letFinish(): void
}

/** A file is larger than the endpoint takes. @param limit bytes. */
export function fileTooLarge(field: string, limit: number): GatewayError {
  const megabytes = limit / 1024 / 1024
  const shown = Number.isInteger(megabytes) ? `${megabytes} MB` : `${limit} bytes`
  return new GatewayError("file_too_large", `The file in '${field}' is larger than ${shown}.`, {
    parameter: field,
  })
}
