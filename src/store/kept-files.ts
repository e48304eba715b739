/** Kinds of stored files: responses to requests with idempotency keys, and temporary images. */
export type FileKind = "responses" | "images"

/** Stores files of one kind, which every node can read. The methods throw if the storage is unavailable. */
export interface KeptFiles {
  /** Writes a file. The file becomes visible when it is complete, and replaces a file with the same name. */
  write(name: string, bytes: Uint8Array<ArrayBuffer>, lifetime: number): Promise<void>
  /**
   * Moves a complete file from this machine's disk into the store.
   * @param path may already be the file's final path.
   * @param lifetime milliseconds.
   */
  adopt(name: string, path: string, lifetime: number): Promise<void>
  /** Opens a file; undefined if it does not exist or has expired. */
  open(name: string): Promise<KeptFile | undefined>
  /** Deletes a file if it exists. */
  remove(name: string): Promise<void>
  /** Deletes expired files. */
  sweep(): Promise<void>
}

/** An existing file. */
export interface KeptFile extends AsyncDisposable {
  /** Size in bytes. */
  readonly size: number
  /** Reads up to `length` bytes from a position. Returns an empty array at the end. */
  read(start: number, length: number): Promise<Uint8Array>
  /** Returns the whole content, which is read on demand. */
  body(): Blob | ReadableStream<Uint8Array>
}
