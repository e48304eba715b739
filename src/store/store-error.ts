/**
 * The error for an operation that the store rejects because of stored data or the given values. Its code is plain text,
 * because errors are passed between threads.
 */
export class StoreError extends Error {
  override readonly name = "StoreError"
  readonly code:
    | "exists"
    | "not_found"
    | "insufficient"
    | "too_much"
    | "revoked"
    | "expired"
    | "last_owner"
    | "conflict"
    /** The database rejects the values, such as a number out of range or an unsupported character. */
    | "unstorable"

  constructor(code: StoreError["code"], message: string) {
    super(message)
    this.code = code
  }
}
