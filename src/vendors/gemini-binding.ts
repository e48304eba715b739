import type { UpstreamDialect } from "../canon/dialect.ts"
import type { ChatBinding } from "./vendor.ts"

/**
 * Google names the model, and whether to stream, in the path. Without `alt=sse` a stream is one long
 * JSON array (docs/contribute/wire/gemini.md#f1).
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
