/** What is wrong with the book's file, whatever step was asked of it. The codes cross threads, so they are plain text. */
export class BookError extends Error {
  override readonly name = "BookError"
  readonly code: BookFault

  constructor(code: BookFault, message: string) {
    super(message)
    this.code = code
  }
}

export type BookFault =
  /** There is none at this place. */
  | "not_found"
  /** There is no book where one was. */
  | "missing"
  /** The secrets that it was written with are gone. */
  | "without_secrets"
  /** There is a book already. */
  | "exists"
  /** Its contents are not what was written. */
  | "damaged"
  /** It cannot be read or written just now, or here. */
  | "unavailable"
  /** Its schema is another than this program's. */
  | "other_version"
