import type { ChatRequest, ChatResult } from "../../../canon/chat.ts"
import { ownFields } from "../../../canon/extra.ts"
import type { JsonObject } from "../../../canon/json.ts"
import { NO_USAGE } from "../../../canon/usage.ts"
import { mintId } from "../../shared/identifiers.ts"
import { encodeChoices } from "../../shared/choices.ts"
import { DIALECT, ID_PREFIX } from "../identifiers.ts"
import { encodeCandidate } from "./encode-candidate.ts"
import { encodeUsage } from "../usage.ts"

/** Encodes a whole `GenerateContentResponse` (@google/genai). */
export function encodeResult(result: ChatResult, request: ChatRequest): JsonObject {
  return {
    candidates: encodeChoices(result.choices, encodeCandidate),
    ...ownFields(DIALECT, result.extra),
    usageMetadata: encodeUsage(result.usage ?? NO_USAGE),
    modelVersion: result.model ?? request.model,
    responseId: result.id ?? mintId(ID_PREFIX),
  }
}
