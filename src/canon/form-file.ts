import { GatewayError } from "./errors.ts"

/** A form's description of a file. Its sender may have written anything. */
export interface FileHead {
  /** The field name without array brackets. */
  readonly field: string
  /** Empty if the sender did not name the file. */
  readonly name: string
  /** The content type that the sender gave; empty without one (docs/contribute/wire/README.md#f6). */
  readonly type: string
}

/** A file from a form. It can be read until its request ends. */
export interface FormFile extends FileHead {
  /** Bytes. For a file that is still arriving, its expected size. */
  readonly size: number
  /** The open file with its bytes from the start; undefined if they are in memory. */
  readonly descriptor: number | undefined
  /** Returns the file from its start. Each call returns a new stream, one for each attempt. */
  open(): ReadableStream<Uint8Array>
  /**
   * Like `open`, but each chunk is only valid until the next one is requested. The HTTP client has
   * copied a chunk by then. This avoids garbage of the size of the upload.
   */
  lend(): ReadableStream<Uint8Array>
  /**
   * Returns the complete file.
   * @param limit maximum bytes that the caller can hold.
   * @throws GatewayError `file_too_large`.
   */
  bytes(limit: number): Promise<Uint8Array<ArrayBuffer>>
  /** Returns the first bytes, or fewer if the file is shorter. */
  head(count: number): Promise<Uint8Array<ArrayBuffer>>
  /** Returns a part of the file, up to its end. */
  slice(start: number, end: number): Promise<Uint8Array<ArrayBuffer>>
  /**
   * Allows reading to the end. Until then, a file that is still arriving cannot be read completely.
   */
  letFinish(): void
}

/** The error for a file that is larger than the endpoint accepts. @param limit bytes. */
export function fileTooLarge(field: string, limit: number): GatewayError {
  const megabytes = limit / 1024 / 1024
  const shown = Number.isInteger(megabytes) ? `${megabytes} MB` : `${limit} bytes`
  return new GatewayError("file_too_large", `The file in '${field}' is larger than ${shown}.`, {
    parameter: field,
  })
}
