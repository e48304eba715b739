import type { GatewayError } from "../canon/errors.ts"

/** With these a vendor refuses the operator's credential. */
const CREDENTIAL_STATUSES: ReadonlySet<number> = new Set([401, 402, 403])

/** Whether a vendor refuses the operator's credential, or its account is out of money. */
export function isCredentialRefused({ details }: GatewayError, status = 0): boolean {
  return details.isCredentialRefused === true || CREDENTIAL_STATUSES.has(status)
}

/** What happened, in our own words: a vendor's may quote what callers have sent. */
export function failureWords(error: GatewayError, status = 0): string {
  const { kind } = error
  const answer = status === 0 ? "" : ` (${status})`
  if (isCredentialRefused(error, status)) {
    return `it refuses the provider's credential, or its account is out of money${answer}`
  }
  if (kind === "upstream_overloaded") return `it asked for fewer requests${answer}`
  if (kind === "upstream_timeout") return `it took too long${answer}`
  if (status === 0) return "it could not be reached, or its credential could not be used"
  return status >= 400 ? `it failed${answer}` : `its answer broke off or could not be read${answer}`
}
