/** An operation that the store rejects because of its contents. Errors cross threads, so codes are plain text. */
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
    /** The database rejects the values: a number out of range, or an unsupported character. */
    | "unstorable"

  constructor(code: StoreError["code"], message: string) {
    super(message)
    this.code = code
  }
}
