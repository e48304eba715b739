import type { ProviderErrorKind } from "../provider-error-kinds.ts"

/** A rule that recognizes a known error. All given conditions must match. */
export interface ProviderErrorRule {
  readonly kind: ProviderErrorKind
  /** HTTP statuses of the error; any status if absent. */
  readonly statuses?: readonly number[]
  /** The error's code or type, in lowercase; any code and type if absent. */
  readonly codes?: readonly string[]
  /**
   * Matches the start of the message. A provider may quote the request later in the message, and a quote must not make
   * the provider's account cool down.
   */
  readonly message?: RegExp
  /** The provider that sends this error, and the page or recording that documents it. */
  readonly source: string
}
