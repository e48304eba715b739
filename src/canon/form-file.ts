import { GatewayError } from "./errors.ts"

/** What a form says about a file. None of it can be trusted. */
export interface FileHead {
  /** Without the brackets that arrays have. */
  readonly field: string
  /** Empty when the sender gave none. */
  readonly name: string
  /** The content type that the sender gave; empty for none (docs/wire/README.md#f6). */
  readonly type: string
}

/** A file from a form. It can be read until its request ends. */
export interface FormFile extends FileHead {
  /** Bytes. For a file that is still arriving, its expected size. */
  readonly size: number
  /** The open file that has its bytes, from its start; undefined if they are in memory. */
  readonly descriptor: number | undefined
  /** The file from its start; each call returns a new stream, one for each attempt. */
  open(): ReadableStream<Uint8Array>
  /**
   * The same in chunks that are only valid until the next one is requested, for callers that have copied them
   * by then, as the client that sends a request has. It avoids garbage of the size of the upload.
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
  /** A part of the file; what is after its end is left out. */
  slice(start: number, end: number): Promise<Uint8Array<ArrayBuffer>>
  /** Lets it be read to its end. Until then a file that is still arriving cannot be read completely. */
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
