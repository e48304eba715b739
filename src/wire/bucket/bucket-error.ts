/** The error of a failed bucket request. Its message contains no secrets. */
export class BucketError extends Error {
  override readonly name = "BucketError"
  /** The status of the response; undefined if there was no response. */
  readonly status: number | undefined
  /** The error code from the bucket, such as `AccessDenied`; undefined if the bucket sent no code. */
  readonly code: string | undefined
  /** Whether the address was rejected before anything was sent. */
  readonly isAddressRejected: boolean

  constructor(
    message: string,
    facts: {
      readonly status?: number
      readonly code?: string | undefined
      readonly isAddressRejected?: boolean
    } = {},
  ) {
    super(message)
    this.status = facts.status
    this.code = facts.code
    this.isAddressRejected = facts.isAddressRejected ?? false
  }

  /** Whether a retry may succeed. */
  get isPassing(): boolean {
    const { status, isAddressRejected } = this
    if (status === undefined) return !isAddressRejected
    return status >= 500 || status === 408 || status === 429
  }
}
