import type {
  DialectPatches,
  EncodedRequest,
  FramePatcher,
  PatchedFrame,
  RequestPatch,
  ResultPatch,
  SseFrame,
} from "../../canon/dialect.ts"
import type { GatewayError } from "../../canon/errors.ts"
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listAt,
  objectAt,
  isDefined,
} from "../../canon/json.ts"
import { StreamedChoices, requestedChoices } from "../shared/choices.ts"
import { mintId } from "../shared/identifiers.ts"
import { choiceNumber } from "../../canon/quantity.ts"
import { LossList } from "../shared/losses.ts"
import { patchedData } from "../shared/stream.ts"
import { removeOperatorData, withoutAllCosts } from "../shared/vendor-costs.ts"
import { encodeStreamError } from "./errors.ts"
import { finishWord } from "./finish.ts"
import { DIALECT, ID_PREFIX } from "./identifiers.ts"
import type { GeminiQuirks } from "./quirks.ts"
import { blockReason, responseIdOf } from "./result/head.ts"
import { withTotal } from "./usage.ts"

/** Creates the patches that apply if caller and vendor both use this dialect. */
export function createPatches(quirks: GeminiQuirks): DialectPatches {
  return {
    request: (body, patch) => patchRequest(body, patch, quirks),
    result: (body, patch) => {
      body.modelVersion = patch.model
      removeOperatorData(body)
      completeResult(body, patch.choices)
    },
    frames: (patch) => new ChunkPatcher(patch),
  }
}

/**
 * Returns the patched request without modifying the caller's body. The model and the stream mode are sent in the URL.
 */
function patchRequest(
  whole: JsonObject,
  patch: RequestPatch,
  quirks: GeminiQuirks,
): EncodedRequest {
  const losses = new LossList(DIALECT)
  const { model: _, stream: _stream, ...body } = whole
  if (patch.maxTokens !== undefined) {
    const config = objectAt(body, "generationConfig")
    body.generationConfig = { ...config, maxOutputTokens: patch.maxTokens }
  }
  if (!quirks.functionCallIds) body.contents = withoutCallIds(body.contents)
  if (!quirks.serviceTier && body.serviceTier !== undefined) {
    losses.add("service_tier")
    delete body.serviceTier
  }
  return { body, losses: losses.losses }
}

/** Removes the ids of calls and results. Without ids, they are matched by name and order. */
function withoutCallIds(contents: JsonValue | undefined): JsonValue | undefined {
  if (!Array.isArray(contents)) return contents
  return contents.map((content) => {
    if (!isJsonObject(content) || !Array.isArray(content.parts)) return content
    return { ...content, parts: content.parts.map(withoutCallId) }
  })
}

function withoutCallId(part: JsonValue): JsonValue {
  if (!isJsonObject(part)) return part
  const bare: JsonObject = { ...part }
  for (const name of ["functionCall", "functionResponse"]) {
    const member = objectAt(part, name)
    if (member?.id === undefined) continue
    const { id: _, ...rest } = member
    bare[name] = rest
  }
  return bare
}

/** Patches the chunks of a stream. Objects of the frames are not modified, because the same frames are also metered. */
class ChunkPatcher implements FramePatcher {
  readonly #model: string
  /** The id of the response, from its first chunk with an id, or created by the gateway. */
  #id: string | undefined
  /** Whether a candidate has ended. All later chunks wait for the charge. */
  #isEnding = false

  readonly #numbers: StreamedChoices

  constructor({ model, choices }: ResultPatch) {
    this.#model = model
    this.#numbers = new StreamedChoices(choices)
  }

  push({ json: given, data }: SseFrame): PatchedFrame {
    if (given === undefined) return { action: "withhold", data }
    const json = withoutAllCosts(this.#requested(given), "usageMetadata")
    const vendorId = responseIdOf(json)
    this.#id ??= vendorId ?? mintId(ID_PREFIX)
    const missing = missingMembers(json)
    const patched: JsonObject = { ...json, ...missing, modelVersion: this.#model }
    patched.responseId = vendorId ?? this.#id
    this.#isEnding ||= endsCandidate(json)
    const isSame =
      json === given &&
      missing === undefined &&
      json.modelVersion === this.#model &&
      json.responseId === patched.responseId
    const written = isSame ? { data } : patchedData(patched, data)
    return this.#isEnding
      ? { action: "forward", ...written, usageCarrier: patched }
      : { action: "forward", ...written }
  }

  /** Returns the chunk without candidates that the caller did not request. */
  #requested(chunk: JsonObject): JsonObject {
    const given = listAt(chunk, "candidates")
    const candidates = given.filter((candidate, position) => {
      const index = isJsonObject(candidate) ? candidate.index : undefined
      return this.#numbers.numberOf(choiceNumber(index, position)) !== undefined
    })
    return candidates.length === given.length ? chunk : { ...chunk, candidates }
  }

  /** Returns no frames, because the dialect has no final frame. */
  end(): SseFrame[] {
    return []
  }

  fail(error: GatewayError, requestId: string, broken?: SseFrame): SseFrame[] {
    return encodeStreamError(error, requestId, broken?.json)
  }
}

function endsCandidate(chunk: JsonObject): boolean {
  if (blockReason(chunk) !== undefined) return true
  return listAt(chunk, "candidates").some(
    (candidate) => isJsonObject(candidate) && finishWord(candidate) !== undefined,
  )
}

/** The finish reason for a response without a reason from the vendor. */
const DEFAULT_END = "STOP"

/**
 * Adds, in place, the members that a whole response always has.
 * @param asked the number of requested candidates.
 */
function completeResult(response: JsonObject, asked: number | undefined): void {
  if (Array.isArray(response.candidates)) {
    response.candidates = [...requestedChoices(response.candidates, asked)]
  }
  Object.assign(response, missingMembers(response))
  response.responseId = responseIdOf(response) ?? mintId(ID_PREFIX)
  for (const candidate of listAt(response, "candidates")) {
    if (isJsonObject(candidate) && typeof candidate.finishReason !== "string") {
      candidate.finishReason = DEFAULT_END
    }
  }
}

/**
 * Returns the guaranteed members that are missing in a response or in a chunk of a response: indexes and roles of
 * candidates, and the total of the usage. The response itself is not modified.
 * @returns undefined if no member is missing.
 */
function missingMembers(response: JsonObject): JsonObject | undefined {
  let missing: JsonObject | undefined
  const candidates = listAt(response, "candidates")
  if (candidates.some(isIncomplete)) {
    missing = { candidates: candidates.filter(isJsonObject).map(completed) }
  }
  const usage = objectAt(response, "usageMetadata")
  if (usage !== undefined && isDefined(usage.promptTokenCount)) {
    const usageMetadata = withTotal(usage)
    if (usageMetadata !== usage) missing = { ...missing, usageMetadata }
  }
  return missing
}

function isIncomplete(candidate: JsonValue, position: number): boolean {
  if (!isJsonObject(candidate)) return true
  const { index, content } = candidate
  if (choiceNumber(index, position) !== index) return true
  if (!isJsonObject(content)) return content !== undefined
  return content.role !== "model" || !areParts(content.parts)
}

function completed(candidate: JsonObject, position: number): JsonObject {
  const { content, ...rest } = candidate
  const placed = { ...rest, index: choiceNumber(candidate.index, position) }
  if (!isJsonObject(content)) return placed
  const readable = areParts(content.parts)
    ? {}
    : { parts: listAt(content, "parts").filter(isJsonObject) }
  return { ...placed, content: { ...content, ...readable, role: "model" } }
}

/** Whether clients can read the parts. The final chunk may have no parts. */
function areParts(parts: JsonValue | undefined): boolean {
  return parts === undefined || (Array.isArray(parts) && parts.every(isJsonObject))
}
