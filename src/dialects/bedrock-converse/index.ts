import type { UpstreamDialect } from "../../canon/dialect.ts"
import { decodeError } from "./errors.ts"
import { DIALECT } from "./identifiers.ts"
import { BEDROCK_QUIRKS, type BedrockConverseQuirks, familyOf } from "./quirks.ts"
import { encodeRequest } from "./request.ts"
import { decodeResult } from "./result.ts"
import { decodeEvents } from "./stream/decode.ts"
import { SUPPORT } from "./support.ts"
import { decodeUsage } from "./usage.ts"

/**
 * Creates the dialect of Amazon Bedrock's Converse API, which serves the models of many makers
 * (docs/contribute/wire/bedrock-converse.md). The model is in the URL, not in the body. The decoders need the
 * request that was encoded.
 * @param quirks features of the operator's models, in addition to the features of known models.
 */
export function bedrockConverse(quirks: Partial<BedrockConverseQuirks> = {}): UpstreamDialect {
  const all = { ...BEDROCK_QUIRKS, ...quirks }
  return {
    id: DIALECT,
    supports: SUPPORT,
    framing: "event-stream",
    responseLimits(model) {
      const { stops, blankStops, reportsStop } = familyOf(model, all.families)
      // If the model does not name the stop sequence, `stopReason` only shows that a stop sequence ended the response.
      // If the request has a single stop sequence, it must be that one.
      const reportedStops = reportsStop ? Infinity : 1
      return { choices: 1, stops, cutsStops: true, blankStops, reportedStops, minOutput: 1 }
    },
    encodeRequest: (request) => encodeRequest(request, all),
    decodeResult,
    usageIn: (body) => decodeUsage(body.usage),
    decodeEvents,
    decodeError,
  }
}

/** The dialect with the quirks of the known models. */
export const BEDROCK_CONVERSE: UpstreamDialect = bedrockConverse()
