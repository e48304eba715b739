import type { UpstreamDialect } from "../../canon/dialect.ts"
import { decodeError } from "./errors.ts"
import { DIALECT } from "./identifiers.ts"
import { encodeRequest } from "./request.ts"
import { decodeResult } from "./result.ts"
import { decodeEvents } from "./stream.ts"
import { RESPONSE_LIMITS, SUPPORT } from "./support.ts"
import { decodeUsage } from "./usage.ts"

/**
 * Cohere's chat API, version 2 (docs/contribute/wire/cohere-chat.md). It is used for upstream calls only and has no
 * client side.
 */
export const COHERE_CHAT: UpstreamDialect = {
  id: DIALECT,
  supports: SUPPORT,
  framing: "sse",
  responseLimits: () => RESPONSE_LIMITS,
  encodeRequest,
  decodeResult,
  usageIn: (body) => decodeUsage(body.usage),
  decodeEvents,
  decodeError,
}
