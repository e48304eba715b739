import type { ChatDialect } from "../../canon/dialect.ts"
import { decodeError, encodeError, encodeStreamError } from "./errors.ts"
import { DIALECT } from "./identifiers.ts"
import { createPatches } from "./patches.ts"
import { ANTHROPIC_QUIRKS, type AnthropicQuirks } from "./quirks.ts"
import { decodeRequest } from "./request/decode.ts"
import { encodeRequest } from "./request/encode.ts"
import { decodeResult } from "./result/decode.ts"
import { encodeResult } from "./result/encode.ts"
import { responseState, REQUEST_STATE } from "./state.ts"
import { decodeEvents } from "./stream/decode.ts"
import { encodeEvents } from "./stream/encode.ts"
import { RESPONSE_LIMITS, EXPRESSES, supportOf } from "./support.ts"
import { decodeUsage, setCost, setUsage } from "./usage.ts"

/**
 * Creates the dialect of Anthropic's messages (docs/contribute/wire/anthropic-messages.md).
 * @param quirks the vendor's differences from Anthropic; Anthropic's values are the defaults.
 */
export function anthropicMessages(quirks: Partial<AnthropicQuirks> = {}): ChatDialect {
  const all = { ...ANTHROPIC_QUIRKS, ...quirks }
  const limits = { ...RESPONSE_LIMITS, cutsStops: all.cutsStops }
  return {
    id: DIALECT,
    expresses: EXPRESSES,
    supports: supportOf(all),
    framing: "sse",
    needsMaxTokens: true,
    takesNoOutput: true,
    reportsStop: true,
    decodeRequest,
    encodeResult,
    encodeEvents,
    encodeError,
    encodeBreak: (error, requestId) => encodeStreamError(error, requestId),
    setCost,
    responseLimits: () => limits,
    setUsage,
    encodeRequest: (request) => encodeRequest(request, all),
    decodeResult,
    usageIn: (body) => decodeUsage(body.usage),
    decodeEvents,
    decodeError,
    patches: createPatches(all),
    requestState: REQUEST_STATE,
    responseState,
  }
}

/** The dialect of Anthropic's API and of all callers. */
export const ANTHROPIC_MESSAGES: ChatDialect = anthropicMessages()
