import type { GatewayError } from "../canon/errors.ts"
import { OperatorCause } from "../wire/operator-cause.ts"
import type { ProviderErrorKind } from "../canon/provider-error-kinds.ts"

const TOO_MANY_REQUESTS = 429

/** Descriptions of errors about the operator's account, in the gateway's own words. */
const WORDS: Partial<Record<ProviderErrorKind, string>> = {
  account: "the account there is suspended, out of money or not allowed",
  credential: "it rejects the provider's credential",
  permission: "the provider's credential may not use this model",
  streaming: "the provider's credential may not stream this model",
  allowance: "the account there is not allowed a request of this size or with its features",
  forbidden: "it forbids the request, because of its content or the account's permissions",
  model: "it does not have this model",
}

/** Describes a failure in the gateway's own words, because the vendor's message may quote the request. */
export function failureWords({ kind, details }: GatewayError, status = 0): string {
  const { providerError, cause } = details
  const response = status === 0 ? "" : ` (${status})`
  const words = providerError && WORDS[providerError]
  if (words !== undefined) return words + response
  if (cause instanceof OperatorCause) return cause.message
  if (kind === "upstream_overloaded") {
    return status === TOO_MANY_REQUESTS
      ? `it asked for fewer requests${response}`
      : `it is overloaded${response}`
  }
  if (kind === "upstream_timeout") return `it took too long${response}`
  if (status === 0) return "it could not be reached, or its credential could not be used"
  return status >= 400
    ? `it failed${response}`
    : `its response broke off or could not be read${response}`
}
