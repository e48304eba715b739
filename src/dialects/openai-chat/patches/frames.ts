import type { FramePatcher, PatchedFrame, ResultPatch, SseFrame } from "../../../canon/dialect.ts"
import type { GatewayError } from "../../../canon/errors.ts"
import { isJsonObject, type JsonObject, type JsonValue, listAt } from "../../../canon/json.ts"
import type { Usage } from "../../../canon/usage.ts"
import { encodeError } from "../../shared/errors.ts"
import { mintId } from "../../shared/identifiers.ts"
import { isDoneMark, patchedData } from "../../shared/stream.ts"
import { isUnixTime, nowInSeconds } from "../../shared/time.ts"
import { withoutOperatorData, withoutCost } from "../../shared/vendor-costs.ts"
import { ID_PREFIX, ownId } from "../identifiers.ts"
import { ChoicePatcher } from "./choice.ts"
import { LAST_FRAME } from "../stream/encode.ts"
import { chunkUsage, encodeUsage, withTotal } from "../usage.ts"

const OBJECT = "chat.completion.chunk"

/**
 * Patches the frames of a verbatim stream. A frame's own object is not modified, since the same frame is also metered.
 * An error is forwarded unchanged, because the relay decides how the stream ends.
 */
export class ChunkPatcher implements FramePatcher {
  readonly #patch: ResultPatch
  readonly #choices: ChoicePatcher
  /** The vendor's last id, and the gateway's replacement, which is the same in all frames. */
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
    // Withholds keep-alives, Azure's report on the prompt, and usage that the caller did not request.
    if (choices.length === 0 && !isAside && !(streamUsage && chunkUsage(chunk) !== undefined)) {
      return { action: "withhold", data }
    }
    const patched = this.#patchChunk(chunk, choices, streamUsage)
    const isDropped = choices.length > 0 && listAt(patched, "choices").length === 0
    if (isDropped && chunkUsage(patched) === undefined) return { action: "withhold", data }
    const isCarrier = streamUsage && isJsonObject(patched.usage) && isLastWord(choices)
    const written = patched === chunk ? { data } : patchedData(patched, data)
    if (isCarrier) return { action: "forward", ...written, usageCarrier: patched }
    return isAside ? { action: "forward", ...written, isAside } : { action: "forward", ...written }
  }

  missingFrames(usage: Usage | undefined): PatchedFrame[] {
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

  /**
   * Ends the stream like the encoder, but keeps the members of the vendor's frame. The caller also receives the usage
   * reported so far.
   */
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
    let patched = withoutOperatorData(this.#withHead(chunk))
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

  /** Returns a chunk that the gateway adds to the vendor's chunks. */
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

/** Returns a choice without the vendor's description of its failure, which may concern the operator's account. */
function withoutError(choice: JsonValue): JsonValue {
  if (!isJsonObject(choice) || choice.error === undefined) return choice
  const { error: _, ...rest } = choice
  return rest
}

/**
 * Whether a chunk is OpenAI's report on the response. It has no choice and comes after the usage
 * (docs/contribute/wire/openai-chat.md#f5).
 */
function isRemark(chunk: JsonObject, choices: readonly JsonValue[]): boolean {
  return (
    choices.length === 0 &&
    Array.isArray(chunk.choices) &&
    typeof chunk.id === "string" &&
    chunk.id !== "" &&
    chunkUsage(chunk) === undefined
  )
}

/** Moves the usage to the place where callers expect it, because Groq reports it in another place. */
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
 * Whether a chunk contains no text, so that it can wait for the charge and carry the cost. Some vendors report usage in
 * every chunk, and OpenRouter in an empty chunk after the finish.
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
