import type { UpstreamDialect } from "../../canon/dialect.ts"
import { decodeEvents } from "./decode-events.ts"
import { decodeResult } from "./decode-result.ts"
import { encodeRequest } from "./encode-request.ts"
import { decodeError } from "./errors.ts"
import { ANSWER_LIMITS, SUPPORTS } from "./supports.ts"
import { DIALECT } from "./wire.ts"

/** Cohere's chat API, version 2 (WIRE.md 7). Nobody calls us in it: it has no client face. */
export const COHERE_CHAT: UpstreamDialect = {
  id: DIALECT,
  supports: SUPPORTS,
  framing: "sse",
  answerLimits: () => ANSWER_LIMITS,
  encodeRequest,
  decodeResult,
  decodeEvents,
  decodeError,
}
