import type { ChatDialect } from "../../canon/dialect.ts"
import { encodeError } from "../shared/errors.ts"
import { decodeError } from "./errors.ts"
import { DIALECT } from "./identifiers.ts"
import { patchesFor } from "./patches.ts"
import { OPENAI_QUIRKS, type OpenAiResponsesQuirks } from "./quirks.ts"
import { decodeRequest } from "./request/decode.ts"
import { encodeRequest } from "./request/encode.ts"
import { decodeResult } from "./result/decode.ts"
import { encodeResult } from "./result/encode.ts"
import { responseState, REQUEST_STATE, CONVERSATION } from "./state.ts"
import { decodeEvents } from "./stream/decode.ts"
import { encodeBreak, encodeEvents } from "./stream/encode.ts"
import { findRepeated } from "./stream/repeated-frames.ts"
import { RESPONSE_LIMITS, EXPRESSES, supportOf } from "./support.ts"
import { decodeUsage, setCost, setUsage } from "./usage.ts"

/**
 * Creates the dialect of OpenAI's responses API, which other vendors use too
 * (docs/contribute/wire/openai-responses.md#f13).
 * @param quirks the vendor's differences from OpenAI; OpenAI's values are the defaults.
 */
export function openAiResponses(quirks: Partial<OpenAiResponsesQuirks> = {}): ChatDialect {
  const all = { ...OPENAI_QUIRKS, ...quirks }
  return {
    id: DIALECT,
    expresses: EXPRESSES,
    decodeRequest,
    encodeResult,
    encodeEvents,
    encodeError,
    encodeBreak,
    setCost,
    setUsage,
    supports: supportOf(all),
    framing: "sse",
    responseLimits: () => RESPONSE_LIMITS,
    encodeRequest: (request) => encodeRequest(request, all),
    functionsOnly: !all.customTools,
    decodeResult,
    usageIn: (body) => decodeUsage(body),
    decodeEvents,
    findRepeated,
    decodeError,
    patches: patchesFor(all),
    requestState: REQUEST_STATE,
    conversation: CONVERSATION,
    responseState,
  }
}

/** The dialect of OpenAI's API and of all callers. */
export const OPENAI_RESPONSES: ChatDialect = openAiResponses()
