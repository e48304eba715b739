import type { UpstreamDialect } from "../../canon/dialect.ts"
import { decodeEvents } from "./decode-events.ts"
import { decodeResult } from "./decode-result.ts"
import { encodeRequest } from "./encode-request.ts"
import { decodeError } from "./errors.ts"
import { GEMINI_QUIRKS, type GeminiQuirks } from "./quirks.ts"
import { ANSWER_LIMITS, supportsOf } from "./supports.ts"
import { DIALECT } from "./wire.ts"

/**
 * Google's `generateContent` and `streamGenerateContent?alt=sse` (WIRE.md 5).
 *
 * @param quirks how a home of it departs from the Gemini API; what is not named is as that has it.
 */
export function gemini(quirks: Partial<GeminiQuirks> = {}): UpstreamDialect {
  const all = { ...GEMINI_QUIRKS, ...quirks }
  return {
    id: DIALECT,
    supports: supportsOf(all),
    framing: "sse",
    answerLimits: () => ANSWER_LIMITS,
    encodeRequest: (request) => encodeRequest(request, all),
    decodeResult,
    decodeEvents,
    decodeError,
  }
}

/** The dialect as the Gemini API speaks it. */
export const GEMINI: UpstreamDialect = gemini()
