import type {
  DialectPatches,
  EncodedRequest,
  RequestPatch,
  ResultPatch,
  SseFrame,
} from "../../canon/dialect.ts"
import { isJsonObject, type JsonObject, isThere } from "../../canon/json.ts"
import { encodeError } from "./errors.ts"
import { fitBody } from "./fit.ts"
import { patchBroken, patchFrame, withoutCost } from "./patch-frame.ts"
import { prefixedId } from "../../canon/identifiers.ts"
import type { OpenAiChatQuirks } from "./quirks.ts"
import { repairMessage } from "./repair.ts"
import { LossList } from "../../canon/losses.ts"
import { DIALECT, END, ID_PREFIX } from "./wire.ts"

/** The named changes of the path on which caller and vendor both speak this dialect. */
export function createPatches(quirks: OpenAiChatQuirks): DialectPatches {
  return {
    request: (body, patch) => patchRequest(body, patch, quirks),
    result: patchResult,
    frames: (patch) => ({
      push: (frame) => patchFrame(frame, patch),
      end: () => [END],
      fail: (error, requestId, broken) =>
        breakOff(encodeError(error, requestId).body, patch, broken),
    }),
  }
}

/** As the encoder's, with what the vendor said beside its error. */
function breakOff(
  envelope: JsonObject,
  { model }: ResultPatch,
  broken: SseFrame | undefined,
): SseFrame[] {
  const body = broken?.json ? patchBroken(broken.json, envelope, model) : envelope
  return [{ data: JSON.stringify(body), json: body }]
}

function patchRequest(
  body: JsonObject,
  patch: RequestPatch,
  quirks: OpenAiChatQuirks,
): EncodedRequest {
  const losses = new LossList(DIALECT)
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
  body.id = prefixedId(ID_PREFIX, body.id, body.created)
  if (isJsonObject(body.usage)) body.usage = withoutCost(body.usage)
  if (!Array.isArray(body.choices)) return
  for (const choice of body.choices) {
    if (isJsonObject(choice) && isJsonObject(choice.message)) {
      choice.message = repairMessage(choice.message)
    }
  }
}
