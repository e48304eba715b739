import type {
  DialectPatches,
  PatchedRequest,
  RequestPatch,
  ResultPatch,
} from "../../canon/dialect.ts"
import { isJsonObject, type JsonObject } from "../../canon/json.ts"
import { fitBody } from "./fit.ts"
import { patchFrame, withoutCost } from "./patch-frame.ts"
import { withPrefix } from "./identifier.ts"
import type { OpenAiChatQuirks } from "./quirks.ts"
import { repairMessage } from "./repair.ts"
import { isThere, LossList } from "./wire.ts"

/** The named changes of the path on which caller and vendor both speak this dialect. */
export function createPatches(quirks: OpenAiChatQuirks): DialectPatches {
  return {
    request: (body, patch) => patchRequest(body, patch, quirks),
    result: patchResult,
    frame: patchFrame,
    setCost,
  }
}

function patchRequest(
  body: JsonObject,
  patch: RequestPatch,
  quirks: OpenAiChatQuirks,
): PatchedRequest {
  const losses = new LossList()
  const patched: JsonObject = { ...body, model: patch.model }
  if (patch.maxTokens !== undefined) patched[maxTokensField(body, quirks)] = patch.maxTokens
  fitBody(patched, quirks, losses)
  return { body: patched, losses: losses.losses }
}

/** The field the caller used, so that the vendor never sees both. */
function maxTokensField(body: JsonObject, quirks: OpenAiChatQuirks): string {
  if (isThere(body.max_completion_tokens)) return "max_completion_tokens"
  return isThere(body.max_tokens) ? "max_tokens" : quirks.maxTokensField
}

function patchResult(body: JsonObject, patch: ResultPatch): void {
  body.model = patch.model
  body.id = withPrefix(body.id, body.created)
  if (isJsonObject(body.usage)) body.usage = withoutCost(body.usage)
  if (!Array.isArray(body.choices)) return
  for (const choice of body.choices) {
    if (isJsonObject(choice) && isJsonObject(choice.message)) {
      choice.message = repairMessage(choice.message)
    }
  }
}

function setCost(usageCarrier: JsonObject, cost: string): void {
  const usage = isJsonObject(usageCarrier.usage) ? usageCarrier.usage : {}
  // A number, as the vendors that tell a cost have it; the exact one stands in the receipt.
  usageCarrier.usage = { ...usage, cost: Number(cost) }
}
