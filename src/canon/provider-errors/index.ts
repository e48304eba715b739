import { ACCOUNT_ERRORS } from "./account.ts"
import { MODEL_ERRORS } from "./model.ts"
import { REQUEST_ERRORS } from "./request.ts"
import type { ProviderErrorRule } from "./rule.ts"

/**
 * Known errors of all providers. Compatible servers and other gateways forward errors from other providers. The first
 * match is used.
 */
export const PROVIDER_ERRORS: readonly ProviderErrorRule[] = [
  ...REQUEST_ERRORS,
  ...ACCOUNT_ERRORS,
  ...MODEL_ERRORS,
]
