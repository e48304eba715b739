/** What is kept as files: answers of requests with idempotency keys, and temporary pictures. */
export type FileKind = "answers" | "pictures"

/** Files of one kind, which every node finds. What cannot be reached is an error. */
export interface KeptFiles {
  /** Writes a file. It is found once all of it is there; it takes the place of one of the same name. */
  write(name: string, bytes: Uint8Array<ArrayBuffer>, lifetime: number): Promise<void>
  /**
   * Takes over a file that is complete on this machine's disk, and is not needed there any more.
   * @param path may be where it is kept already.
   * @param lifetime milliseconds.
   */
  adopt(name: string, path: string, lifetime: number): Promise<void>
  /** Undefined when there is none, or its lifetime is over. */
  open(name: string): Promise<KeptFile | undefined>
  /** There may be none. */
  remove(name: string): Promise<void>
  /** Deletes those whose lifetime is over. */
  sweep(): Promise<void>
}

/** A file that is there. */
export interface KeptFile extends AsyncDisposable {
  /** Bytes. */
  readonly size: number
  /** Bytes from a position on: at most so many, and none at the end. */
  read(start: number, length: number): Promise<Uint8Array>
  /** All of it, read as it is taken. */
  body(): Blob | ReadableStream<Uint8Array>
}
