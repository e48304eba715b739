import type {
  DialectPatches,
  EncodedRequest,
  RequestPatch,
  ResultPatch,
} from "../../../canon/dialect.ts"
import { isDefined, type JsonObject } from "../../../canon/json.ts"
import { LossList } from "../../shared/losses.ts"
import { removeOperatorData } from "../../shared/vendor-costs.ts"
import { DIALECT } from "../identifiers.ts"
import { completeResult } from "./complete.ts"
import { ChunkPatcher } from "./frames.ts"
import { fitBody, quirksFor } from "../quirks/fit.ts"
import type { OpenAiChatQuirks } from "../quirks/index.ts"
import { switchOff } from "../reasoning/settings.ts"

/** Creates the patches that apply if caller and vendor both use this dialect. */
export function createPatches(quirks: OpenAiChatQuirks): DialectPatches {
  return {
    request: (body, patch) => patchRequest(body, patch, quirks),
    result: patchResult,
    frames: (patch) => new ChunkPatcher(patch),
  }
}

function patchRequest(
  body: JsonObject,
  patch: RequestPatch,
  vendorQuirks: OpenAiChatQuirks,
): EncodedRequest {
  const { rules = {} } = patch
  const quirks = quirksFor(vendorQuirks, rules)
  const losses = new LossList(DIALECT)
  const patched: JsonObject = { ...body, model: patch.model }
  if (patch.maxTokens !== undefined) patched[maxTokensField(body, quirks)] = patch.maxTokens
  switchOff(patched, rules)
  fitBody(patched, quirks, losses, rules)
  return { body: patched, losses: losses.losses }
}

/** Returns the name of the limit that the caller used, so that the vendor never receives both names. */
function maxTokensField(body: JsonObject, quirks: OpenAiChatQuirks): string {
  if (isDefined(body.max_completion_tokens)) return "max_completion_tokens"
  return isDefined(body.max_tokens) ? "max_tokens" : quirks.maxTokensField
}

function patchResult(body: JsonObject, patch: ResultPatch): void {
  body.model = patch.model
  removeOperatorData(body)
  completeResult(body, patch.choices)
}
