import type { UpstreamDialect } from "../canon/dialect.ts"
import type { ChatBinding } from "./vendor.ts"

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
