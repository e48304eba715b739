import type { FramePatcher, PatchedFrame, ResultPatch, SseFrame } from "../../../canon/dialect.ts"
import type { GatewayError } from "../../../canon/errors.ts"
import { isJsonObject, type JsonObject, type JsonValue, listAt } from "../../../canon/json.ts"
import type { Usage } from "../../../canon/usage.ts"
import { encodeError } from "../../shared/errors.ts"
import { mintId } from "../../shared/identifiers.ts"
import { isDoneMark } from "../../shared/stream.ts"
import { isUnixTime, nowInSeconds } from "../../shared/time.ts"
import { ID_PREFIX, ownId } from "../identifiers.ts"
import { ChoicePatcher } from "./choice.ts"
import { LAST_FRAME } from "../stream/encode.ts"
import { chunkUsage, encodeUsage, withoutCost, withTotal } from "../usage.ts"

const OBJECT = "chat.completion.chunk"

/**
 * The frames of a verbatim stream. A frame's own object is not modified, since the meter reads it, too. An
 * error is forwarded unchanged: the relay decides how the stream ends.
 */
export class ChunkPatcher implements FramePatcher {
  readonly #patch: ResultPatch
  readonly #choices: ChoicePatcher
  /** The vendor's last id, and our replacement: all frames have the same. */
  #vendorId: JsonValue | undefined
  #id: string | undefined
  #created: number | undefined

  constructor(patch: ResultPatch) {
    this.#patch = patch
    this.#choices = new ChoicePatcher(patch.choices)
  }

  push(frame: SseFrame): PatchedFrame {
    const { data, json: chunk } = frame
    if (isDoneMark(frame)) return { action: "last", data: data.trim() }
    if (frame.event === "error") return { action: "forward", data }
    if (chunk === undefined) return { action: "withhold", data }
    if (chunk.error) return { action: "forward", data }
    const { streamUsage } = this.#patch
    const choices = Array.isArray(chunk.choices) ? chunk.choices : []
    const isAside = isRemark(chunk, choices)
    // Keep-alives, Azure's report on the prompt, and usage that was not requested.
    if (choices.length === 0 && !isAside && !(streamUsage && chunkUsage(chunk) !== undefined)) {
      return { action: "withhold", data }
    }
    const patched = this.#patchChunk(chunk, choices, streamUsage)
    const isDropped = choices.length > 0 && listAt(patched, "choices").length === 0
    if (isDropped && chunkUsage(patched) === undefined) return { action: "withhold", data }
    const isCarrier = streamUsage && isJsonObject(patched.usage) && isLastWord(choices)
    const text = patched === chunk ? data : JSON.stringify(patched)
    if (isCarrier) return { action: "forward", data: text, usageCarrier: patched }
    return isAside ? { action: "forward", data: text, isAside } : { action: "forward", data: text }
  }

  unsaid(usage: Usage | undefined): PatchedFrame[] {
    const frames = this.#choices.unfinished().map((choice): PatchedFrame => {
      const data = JSON.stringify(this.#chunk([choice]))
      return { action: "forward", data }
    })
    if (usage !== undefined && this.#patch.streamUsage) {
      const usageCarrier = { ...this.#chunk([]), usage: encodeUsage(usage) }
      frames.push({ action: "forward", data: JSON.stringify(usageCarrier), usageCarrier })
    }
    return frames
  }

  end(): SseFrame[] {
    return [LAST_FRAME]
  }

  /** Ends the stream like the encoder, with the members of the vendor's error: the usage so far is for the caller. */
  fail(error: GatewayError, requestId: string, broken?: SseFrame): SseFrame[] {
    const envelope = encodeError(error, requestId).body
    const chunk = broken?.json
    const choices = Array.isArray(chunk?.choices) ? chunk.choices : undefined
    const body =
      chunk === undefined || choices === undefined
        ? envelope
        : { ...this.#patchChunk(chunk, choices.map(withoutError), true), ...envelope }
    return [{ data: JSON.stringify(body), json: body }]
  }

  #patchChunk(chunk: JsonObject, choices: readonly JsonValue[], streamUsage: boolean): JsonObject {
    let patched = this.#withHead(chunk)
    if (!Array.isArray(chunk.choices)) patched = { ...patched, choices: [] }
    const repaired = this.#choices.patch(choices)
    if (repaired !== undefined) patched = { ...patched, choices: repaired }
    return patchUsage(patched, streamUsage)
  }

  #withHead(chunk: JsonObject): JsonObject {
    const { model } = this.#patch
    if (this.#id === undefined || (chunk.id !== this.#vendorId && chunk.id)) {
      this.#vendorId = chunk.id
      this.#id = ownId(chunk.id) ?? mintId(ID_PREFIX)
    }
    const id = this.#id
    const hasTime = isUnixTime(chunk.created)
    if (hasTime) this.#created ??= chunk.created as number
    const isWhole = hasTime && chunk.object === OBJECT
    if (isWhole && chunk.model === model && chunk.id === id) return chunk
    const patched: JsonObject = { ...chunk, id, model }
    if (isWhole) return patched
    patched.object = OBJECT
    if (!hasTime) patched.created = this.#created ??= nowInSeconds()
    return patched
  }

  /** A chunk of our own, in addition to the vendor's. */
  #chunk(choices: JsonValue[]): JsonObject {
    return {
      id: (this.#id ??= mintId(ID_PREFIX)),
      object: OBJECT,
      created: (this.#created ??= nowInSeconds()),
      model: this.#patch.model,
      choices,
    }
  }
}

/** A choice without the vendor's words about its failure, which may be about the operator's account. */
function withoutError(choice: JsonValue): JsonValue {
  if (!isJsonObject(choice) || choice.error === undefined) return choice
  const { error: _, ...rest } = choice
  return rest
}

/** OpenAI's report on the answer comes without a choice, after the usage (docs/contribute/wire/openai-chat.md#f5). */
function isRemark(chunk: JsonObject, choices: readonly JsonValue[]): boolean {
  return (
    choices.length === 0 &&
    Array.isArray(chunk.choices) &&
    typeof chunk.id === "string" &&
    chunk.id !== "" &&
    chunkUsage(chunk) === undefined
  )
}

/** Usage where the caller expects it: Groq has its own place for it. */
function patchUsage(chunk: JsonObject, streamUsage: boolean): JsonObject {
  if (!streamUsage) {
    if (chunk.usage === undefined) return chunk
    const { usage: _, ...rest } = chunk
    return rest
  }
  const usage = chunkUsage(chunk)
  if (usage === undefined) return chunk
  const shown = withTotal(withoutCost(usage))
  return shown === chunk.usage ? chunk : { ...chunk, usage: shown }
}

/**
 * Some vendors report usage in every chunk, OpenRouter in an empty chunk after the finish: the cost is added only to a
 * chunk that withholds no text while it waits.
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
