import type {
  DialectPatches,
  EncodedRequest,
  RequestPatch,
  ResultPatch,
} from "../../../canon/dialect.ts"
import { isDefined, type JsonObject, isJsonObject } from "../../../canon/json.ts"
import { LossList } from "../../shared/losses.ts"
import { removeOperatorData } from "../../shared/vendor-costs.ts"
import { DIALECT, ID_PREFIX, ownId } from "../identifiers.ts"
import { ChunkPatcher } from "./frames.ts"
import { fitBody, quirksFor } from "../quirks/fit.ts"
import type { OpenAiChatQuirks } from "../quirks/index.ts"
import { switchOff } from "../reasoning/settings.ts"
import { choiceNumbers, requestedChoices } from "../../shared/choices.ts"
import { mintId } from "../../shared/identifiers.ts"
import { isUnixTime, nowInSeconds } from "../../shared/time.ts"
import { ownFinish } from "../finish.ts"
import { legacyCallIn } from "../result/calls.ts"
import { withTotal } from "../usage.ts"
import { repairWholeMessage } from "./repair.ts"

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

/**
 * Adds, in place, the members that the specification guarantees in a whole response. For a complete response, it only
 * checks a few members.
 * @param asked the number of requested choices.
 */
function completeResult(body: JsonObject, asked: number | undefined): void {
  body.id = ownId(body.id) ?? mintId(ID_PREFIX)
  body.object = "chat.completion"
  if (!isUnixTime(body.created)) body.created = nowInSeconds()
  if (isJsonObject(body.usage)) body.usage = withTotal(body.usage)
  if (!Array.isArray(body.choices)) return
  const requested = requestedChoices(body.choices, asked)
  const indexes = choiceNumbers(requested)
  const choices: (JsonObject & { index: number })[] = []
  for (let position = 0; position < requested.length; position++) {
    const given = requested[position]
    const choice = isJsonObject(given) ? given : {}
    choices.push(completeChoice(choice, indexes[position] ?? position))
  }
  if (choices.length > 1) choices.sort((left, right) => left.index - right.index)
  body.choices = choices
}

function completeChoice(choice: JsonObject, index: number): JsonObject & { index: number } {
  const message = isJsonObject(choice.message) ? repairWholeMessage(choice.message) : {}
  message.role = "assistant"
  const hasCalls = Array.isArray(message.tool_calls) && message.tool_calls.length > 0
  if (typeof message.content !== "string") {
    // The content is null only if the model called a tool or refused.
    const acted = hasCalls || legacyCallIn(message.function_call) !== undefined
    message.content = acted || typeof message.refusal === "string" ? null : ""
  }
  choice.message = message
  choice.finish_reason = ownFinish(choice.finish_reason, hasCalls)
  return Object.assign(choice, { index })
}
