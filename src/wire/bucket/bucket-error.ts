/** Why a bucket did not do what it was asked; without anything secret. */
export class BucketError extends Error {
  override readonly name = "BucketError"
  /** Absent where there was no answer. */
  readonly status: number | undefined
  /** In the bucket's own words: `AccessDenied`. Absent where it has not said. */
  readonly code: string | undefined
  /** Whether its address is refused, before anything is sent. */
  readonly isAddressRefused: boolean

  constructor(
    message: string,
    facts: {
      readonly status?: number
      readonly code?: string | undefined
      readonly isAddressRefused?: boolean
    } = {},
  ) {
    super(message)
    this.status = facts.status
    this.code = facts.code
    this.isAddressRefused = facts.isAddressRefused ?? false
  }

  /** Whether it may be otherwise the next time. */
  get isPassing(): boolean {
    const { status, isAddressRefused } = this
    if (status === undefined) return !isAddressRefused
    return status >= 500 || status === 408 || status === 429
  }
}
