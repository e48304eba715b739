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

/**
 * Returns the binding of Google's dialect. The path contains the model and whether to stream. Without `alt=sse`, a
 * stream would be one long JSON array (docs/contribute/wire/gemini.md#f1).
 */
export function geminiBinding(dialect: UpstreamDialect, parent: string): ChatBinding {
  return {
    dialect,
    webSearch: true,
    path(model, stream) {
      const method = stream ? "streamGenerateContent?alt=sse" : "generateContent"
      return `${parent}/models/${encodeURIComponent(model)}:${method}`
    },
  }
}
