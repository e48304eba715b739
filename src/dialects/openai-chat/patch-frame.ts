import type { PatchedFrame, ResultPatch, SseFrame } from "../../canon/dialect.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "../../canon/json.ts"
import { prefixedId } from "../../canon/identifiers.ts"
import { ID_PREFIX } from "./wire.ts"
import { repairDelta } from "./repair.ts"
import { chunkUsage } from "./usage.ts"

/**
 * One frame of a verbatim stream. The frame's own object is left as it is, since the meter reads it
 * too. An error is forwarded untouched: what becomes of the stream is the relay's decision.
 */
export function patchFrame(frame: SseFrame, patch: ResultPatch): PatchedFrame {
  const { data, json: chunk } = frame
  if (data === "[DONE]") return { action: "last", data }
  if (frame.event === "error") return { action: "forward", data }
  if (chunk === undefined) return { action: "withhold", data }
  if (chunk.error) return { action: "forward", data }
  const choices = Array.isArray(chunk.choices) ? chunk.choices : []
  const isAside = isRemark(chunk, choices)
  // Keep-alives, Azure's report on the prompt, and usage that was not asked for.
  if (choices.length === 0 && !isAside && !(patch.streamUsage && chunkUsage(chunk) !== undefined)) {
    return { action: "withhold", data }
  }
  const patched = patchChunk(chunk, choices, patch)
  const isCarrier = patch.streamUsage && isJsonObject(patched.usage) && isLastWord(choices)
  const text = patched === chunk ? data : JSON.stringify(patched)
  if (isCarrier) return { action: "forward", data: text, usageCarrier: patched }
  return isAside ? { action: "forward", data: text, isAside } : { action: "forward", data: text }
}

/** OpenAI's report on the answer comes without a choice, behind the usage (WIRE.md 2). */
function isRemark(chunk: JsonObject, choices: readonly JsonValue[]): boolean {
  return (
    choices.length === 0 &&
    Array.isArray(chunk.choices) &&
    typeof chunk.id === "string" &&
    chunk.id !== "" &&
    chunkUsage(chunk) === undefined
  )
}

/**
 * The frame with which a vendor breaks its stream, with our error in the place of its own: what it says
 * beside that, such as the usage until then, is the caller's.
 */
export function patchBroken(chunk: JsonObject, envelope: JsonObject, model: string): JsonObject {
  const choices = Array.isArray(chunk.choices) ? chunk.choices : undefined
  if (choices === undefined) return envelope
  return { ...patchChunk(chunk, choices, { model, streamUsage: true }), ...envelope }
}

function patchChunk(
  chunk: JsonObject,
  choices: readonly JsonValue[],
  patch: ResultPatch,
): JsonObject {
  let patched = chunk
  const id = prefixedId(ID_PREFIX, chunk.id, chunk.created)
  if (chunk.model !== patch.model || chunk.id !== id) patched = { ...chunk, id, model: patch.model }
  if (!Array.isArray(chunk.choices)) patched = { ...patched, choices: [] }
  const repaired = repairChoices(choices)
  if (repaired !== undefined) patched = { ...patched, choices: repaired }
  return patchUsage(patched, patch.streamUsage)
}

/** Usage where the caller looks for it: Groq's own place is not the common one. */
function patchUsage(chunk: JsonObject, streamUsage: boolean): JsonObject {
  if (!streamUsage) {
    if (chunk.usage === undefined) return chunk
    const { usage: _, ...rest } = chunk
    return rest
  }
  const usage = chunkUsage(chunk)
  if (usage === undefined) return chunk
  const shown = withoutCost(usage)
  return shown === chunk.usage ? chunk : { ...chunk, usage: shown }
}

/** What the vendor asks of the operator is between the two. */
export function withoutCost(usage: JsonObject): JsonObject {
  if (usage.cost === undefined && usage.cost_details === undefined) return usage
  const { cost: _, cost_details: _details, ...rest } = usage
  return rest
}

function repairChoices(choices: readonly JsonValue[]): JsonValue[] | undefined {
  let repaired: JsonValue[] | undefined
  for (let position = 0; position < choices.length; position++) {
    const choice = choices[position]
    if (!isJsonObject(choice) || !isJsonObject(choice.delta)) continue
    const delta = repairDelta(choice.delta)
    if (delta === choice.delta) continue
    repaired ??= [...choices]
    repaired[position] = { ...choice, delta }
  }
  return repaired
}

/**
 * Some vendors count along in every chunk, OpenRouter counts in a chunk that says nothing after the
 * finish: the cost may stand only in one that holds back no word of the answer while it waits.
 */
function isLastWord(choices: readonly JsonValue[]): boolean {
  return choices.every(
    (choice) =>
      !isJsonObject(choice) ||
      typeof choice.finish_reason === "string" ||
      !isJsonObject(choice.delta) ||
      saysNothing(choice.delta),
  )
}

function saysNothing(delta: JsonObject): boolean {
  for (const key in delta) {
    const value = delta[key]
    if (key === "role" || value === null || value === "") continue
    if (!Array.isArray(value) || value.length > 0) return false
  }
  return true
}
