import type { UpstreamDialect } from "../canon/dialect.ts"
import type { ChatBinding, RequestHeaders } from "./vendor.ts"

/** Returns the binding of a dialect whose path is the same for every model. */
export function binding(
  dialect: UpstreamDialect,
  path: string,
  headers?: RequestHeaders,
): ChatBinding {
  return { dialect, path: () => path, ...(headers === undefined ? {} : { headers }) }
}

/**
 * The header with the version of Anthropic's API, which every request must contain
 * (docs/contribute/wire/anthropic-messages.md#f1).
 */
export const ANTHROPIC_VERSION: RequestHeaders = Object.freeze({
  "anthropic-version": "2023-06-01",
})
