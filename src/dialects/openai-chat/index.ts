import type { ChatDialect } from "../../canon/dialect.ts"
import { encodeError } from "../shared/errors.ts"
import { decodeError, encodeBreak } from "./errors.ts"
import { DIALECT } from "./identifiers.ts"
import { createPatches } from "./patches/index.ts"
import { OPENAI_QUIRKS, type OpenAiChatQuirks } from "./quirks/index.ts"
import { decodeRequest } from "./request/decode.ts"
import { encodeRequest } from "./request/encode.ts"
import { decodeResult } from "./result/decode.ts"
import { encodeResult } from "./result/encode.ts"
import { responseState, REQUEST_STATE } from "./state.ts"
import { decodeEvents } from "./stream/decode.ts"
import { encodeEvents } from "./stream/encode.ts"
import { responseLimitsOf, EXPRESSES, supportOf } from "./support.ts"
import { chunkUsage, decodeUsage, setCost, setUsage } from "./usage.ts"

/**
 * Creates the dialect of OpenAI's chat completions, which many vendors support with small differences
 * (docs/contribute/wire/openai-chat.md#vendors-with-variants-of-the-format).
 *
 * @param quirks the vendor's differences from OpenAI, whose values are the defaults.
 */
export function openAiChat(quirks: Partial<OpenAiChatQuirks> = {}): ChatDialect {
  const all = { ...OPENAI_QUIRKS, ...quirks }
  const limits = responseLimitsOf(all)
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
    responseLimits: () => limits,
    encodeRequest: (request, rules) => encodeRequest(request, all, rules),
    functionsOnly: !all.customTools,
    decodeResult,
    usageIn: (body) => decodeUsage(chunkUsage(body)),
    decodeEvents,
    decodeError,
    patches: createPatches(all),
    requestState: REQUEST_STATE,
    responseState,
  }
}

/** The dialect of OpenAI's API and of all callers. */
export const OPENAI_CHAT: ChatDialect = openAiChat()
