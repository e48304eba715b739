import { GatewayError } from "./errors.ts"

/** The description of a file in a form. Its sender chooses the values, so they may be wrong. */
export interface FileHead {
  /** The field name without array brackets. */
  readonly field: string
  /** The file name that the sender gave; empty if the sender gave no name. */
  readonly name: string
  /** The content type that the sender gave; empty if it gave no type (docs/contribute/wire/README.md#f6). */
  readonly type: string
}

/** A file from a form. It can be read until its request ends. */
export interface FormFile extends FileHead {
  /** Size in bytes. For a file that is still arriving, its expected size. */
  readonly size: number
  /** The open file, whose bytes start at offset 0; undefined if the bytes are in memory. */
  readonly descriptor: number | undefined
  /** Returns a new stream of the file from its start, for example for each attempt. */
  open(): ReadableStream<Uint8Array>
  /**
   * Returns the file like `open`, but each chunk is only valid until the next chunk is requested. The HTTP client
   * copies each chunk before it requests the next. This avoids garbage as large as the upload.
   */
  lend(): ReadableStream<Uint8Array>
  /**
   * Returns the complete file.
   * @param limit the maximum size in bytes that the caller of this function can hold.
   * @throws GatewayError `file_too_large`.
   */
  bytes(limit: number): Promise<Uint8Array<ArrayBuffer>>
  /** Returns the first bytes, or fewer if the file is shorter. */
  head(count: number): Promise<Uint8Array<ArrayBuffer>>
  /** Returns a part of the file, up to its end. */
  slice(start: number, end: number): Promise<Uint8Array<ArrayBuffer>>
  /** Allows the file to arrive completely. Until this call, a file that is still arriving cannot be read to its end. */
  letFinish(): void
}

/**
 * Returns the error for a file that is larger than the endpoint accepts.
 * @param limit the maximum size in bytes.
 */
export function fileTooLarge(field: string, limit: number): GatewayError {
  const megabytes = limit / 1024 / 1024
  const shown = Number.isInteger(megabytes) ? `${megabytes} MB` : `${limit} bytes`
  return new GatewayError("file_too_large", `The file in '${field}' is larger than ${shown}.`, {
    parameter: field,
  })
}
