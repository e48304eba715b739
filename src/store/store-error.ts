/** What a store refuses because of what it holds. The codes cross threads, so they are plain text. */
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
    /** The database rejects the values: a number out of range, a character that it does not have. */
    | "unstorable"

  constructor(code: StoreError["code"], message: string) {
    super(message)
    this.code = code
  }
}
