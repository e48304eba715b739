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
  type JsonObject,
  type JsonValue,
  objectAt,
  textAt,
  isJsonObject,
} from "../../canon/json.ts"
import { approximateLength } from "../../canon/sliced-json-text.ts"
import { streamFailure } from "./errors.ts"
import { withDistinctIds, withMessages } from "./messages/content-input.ts"
import type { OpenAiResponsesQuirks } from "./quirks.ts"
import {
  eventWithoutOperatorData,
  removeOperatorData,
  withoutOperatorData,
  withoutCost,
} from "../shared/vendor-costs.ts"
import { patchedData } from "../shared/stream.ts"
import { dropAgentTools } from "./tools/agent-tools.ts"
import { encodeEvents, failureFrames } from "./stream/encode.ts"
import { COMPLETED, FrameWriter } from "./stream/frame-writer.ts"
import { mintId } from "../shared/identifiers.ts"
import { isUnixTime, nowInSeconds } from "../shared/time.ts"
import { ID_PREFIX } from "./identifiers.ts"
import { ownItem } from "./result/own-item.ts"
import { withTotal } from "./usage.ts"

/** Creates the patches that apply if caller and vendor both use this dialect. */
export function patchesFor(quirks: OpenAiResponsesQuirks): DialectPatches {
  return {
    request: (body, patch) => patchRequest(body, patch, quirks),
    result(body, patch) {
      const response = patchedResponse(body, patch, headOf(body))
      response.status ??= "completed"
      removeOperatorData(body)
      Object.assign(body, response)
    },
    frames: (patch) => new ResponseFrames(patch),
  }
}

function patchRequest(
  body: JsonObject,
  { model, maxTokens }: RequestPatch,
  { agentTools }: OpenAiResponsesQuirks,
): EncodedRequest {
  const patched: JsonObject = { ...body, model }
  if (Array.isArray(body.input)) {
    patched.input = withDistinctIds(withMessages(body.input)) as JsonValue[]
  }
  if (maxTokens !== undefined) patched.max_output_tokens = maxTokens
  return { body: patched, losses: agentTools ? [] : dropAgentTools(patched) }
}

/** Returns the patched response. The vendor's own object is not modified, because it is also metered. */
function patchedResponse(
  response: JsonObject,
  { model }: ResultPatch,
  head: ResponseHead,
): JsonObject {
  const usage = objectAt(response, "usage")
  const shown = usage === undefined ? {} : { usage: withoutCost(usage) }
  const patched: JsonObject = { ...withoutOperatorData(response), model, ...shown }
  completeResponse(patched, head)
  return patched
}

/**
 * The last event in which OpenAI sends a response that was cut short. Callers receive `COMPLETED` instead
 * (docs/contribute/design-notes.md#truncated-responses).
 */
const INCOMPLETE = "response.incomplete"
/**
 * The last events of a stream, each of which contains the whole response (docs/contribute/wire/openai-responses.md#f6).
 */
const LAST_WORDS: ReadonlySet<string> = new Set([COMPLETED, INCOMPLETE, "response.failed"])

/** The status for each last event, for responses that have no status. */
const STATUSES: Readonly<Record<string, string>> = {
  [COMPLETED]: "completed",
  [INCOMPLETE]: "incomplete",
  "response.failed": "failed",
}

class ResponseFrames implements FramePatcher {
  readonly #patch: ResultPatch
  /** The last reported response. A stream that breaks ends with this response. */
  #response: JsonObject | undefined
  #nextNumber = 0
  /** The head of the last reported response. Members that the vendor lacks are created once for the stream. */
  #head: ResponseHead | undefined

  constructor(patch: ResultPatch) {
    this.#patch = patch
  }

  push(frame: SseFrame): PatchedFrame {
    const { data, json } = frame
    if (json === undefined) return { action: "withhold", data }
    const type = textAt(json, "type") ?? frame.event
    if (type === undefined || !isOfDialect(type)) return { action: "withhold", data }
    const number = json.sequence_number
    if (typeof number === "number") this.#nextNumber = Math.max(this.#nextNumber, number + 1)
    const response = objectAt(json, "response")
    if (response === undefined) {
      return { action: "forward", event: type, ...eventWithoutOperatorData(json, data) }
    }
    const patched = this.#patched(response)
    patched.status ??= STATUSES[type] ?? "in_progress"
    if (type !== INCOMPLETE) return this.#withResponse(type, frame, json, patched)
    return this.#withResponse(COMPLETED, frame, { ...json, type: COMPLETED }, patched)
  }

  /** Returns no frames, because only an event with the response can end the stream. */
  end(): SseFrame[] {
    return []
  }

  fail(error: GatewayError, requestId: string, broken?: SseFrame): SseFrame[] {
    const response = broken?.json && objectAt(broken.json, "response")
    if (response) this.#response = this.#patched(response)
    if (this.#response === undefined) return this.#failUnstarted(error, requestId)
    const failure = streamFailure(error, requestId)
    const length = approximateLength(this.#response)
    return failureFrames(new FrameWriter(this.#nextNumber), failure, this.#response, length)
  }

  #patched(response: JsonObject): JsonObject {
    this.#head = headOf(response, this.#head)
    return patchedResponse(response, this.#patch, this.#head)
  }

  #withResponse(
    type: string,
    { data }: SseFrame,
    json: JsonObject,
    response: JsonObject,
  ): PatchedFrame {
    this.#response = response
    const patched: JsonObject = { ...withoutOperatorData(json), response }
    const written = { event: type, ...patchedData(patched, data) }
    if (!LAST_WORDS.has(type)) return { action: "forward", ...written }
    const isCounted = type !== "response.failed" || objectAt(response, "usage") !== undefined
    return isCounted
      ? { action: "last", ...written, usageCarrier: patched }
      : { action: "last", ...written }
  }

  /** Starts a stream before it fails, because a stream that never started cannot fail. */
  #failUnstarted(error: GatewayError, requestId: string): SseFrame[] {
    const request = {
      model: this.#patch.model,
      messages: [],
      stream: true,
      streamUsage: true,
      choices: 1,
    }
    return encodeEvents(request).fail(error, requestId)
  }
}

/**
 * Whether a type is an event of this dialect. Keep-alives of compatible servers have other types, on which a client's
 * helper throws.
 */
function isOfDialect(type: string): boolean {
  return type.startsWith("response.") || type === "error" || type === "keepalive"
}

/** The members that are the same throughout a stream. */
interface ResponseHead {
  readonly id: string
  readonly createdAt: number
}

/**
 * Returns the head of a response. A vendor's own id is kept, because it refers to the response that the vendor has
 * stored.
 * @param earlier the head so far in the same stream.
 */
function headOf(response: JsonObject, earlier?: ResponseHead): ResponseHead {
  const { created_at: created } = response
  return {
    id: textAt(response, "id") ?? earlier?.id ?? mintId(ID_PREFIX),
    createdAt: isUnixTime(created) ? created : (earlier?.createdAt ?? nowInSeconds()),
  }
}

/**
 * Adds, in place, the members that the specification guarantees in a response.
 * @param response may share nested lists and objects with other values, so these are not modified.
 */
function completeResponse(response: JsonObject, { id, createdAt }: ResponseHead): void {
  response.id = id
  response.object = "response"
  response.created_at = createdAt
  response.output = Array.isArray(response.output)
    ? response.output.map((item) => (isJsonObject(item) ? ownItem(item) : item))
    : []
  const usage = objectAt(response, "usage")
  if (usage !== undefined) response.usage = withTotal(usage)
}
