import type { ChatDialect } from "../../canon/dialect.ts"
import { decodeError, encodeError, encodeStreamError } from "./errors.ts"
import { DIALECT } from "./identifiers.ts"
import { createPatches } from "./patches.ts"
import { GEMINI_QUIRKS, type GeminiQuirks } from "./quirks.ts"
import { decodeRequest } from "./request/decode.ts"
import { encodeRequest } from "./request/encode.ts"
import { decodeResult } from "./result/decode.ts"
import { REQUEST_STATE } from "./state.ts"
import { decodeEvents } from "./stream/decode.ts"
import { encodeEvents } from "./stream/encode.ts"
import { RESPONSE_LIMITS, EXPRESSES, supportOf } from "./support.ts"
import { decodeGeminiUsage } from "../shared/gemini-usage.ts"
import { setCost, setUsage } from "./usage.ts"
import { encodeResult } from "./result/encode.ts"

/**
 * Creates the dialect of Google's `generateContent` and `streamGenerateContent?alt=sse`
 * (docs/contribute/wire/gemini.md).
 * @param quirks the vendor's differences from the Gemini API, whose values are the defaults.
 */
export function gemini(quirks: Partial<GeminiQuirks> = {}): ChatDialect {
  const all = { ...GEMINI_QUIRKS, ...quirks }
  const limits = { ...RESPONSE_LIMITS, choices: all.maxCandidates }
  return {
    id: DIALECT,
    expresses: EXPRESSES,
    supports: supportOf(all),
    framing: "sse",
    responseLimits: () => limits,
    encodeRequest: (request) => encodeRequest(request, all),
    decodeResult,
    usageIn: (body) => decodeGeminiUsage(body.usageMetadata),
    decodeEvents,
    decodeError,
    decodeRequest,
    encodeResult,
    encodeEvents,
    encodeError,
    encodeBreak: (error, requestId) => encodeStreamError(error, requestId),
    setCost,
    setUsage,
    patches: createPatches(all),
    requestState: REQUEST_STATE,
  }
}

/** The dialect of the Gemini API and of all callers. */
export const GEMINI: ChatDialect = gemini()
