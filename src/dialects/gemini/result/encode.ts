import { assertNever } from "../../../canon/assert-never.ts"
import type { Choice, ChatRequest, ChatResult } from "../../../canon/chat.ts"
import { type Extra, ownFields } from "../../../canon/extra.ts"
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listAt,
  objectIn,
} from "../../../canon/json.ts"
import { imageType } from "../../../canon/media-source.ts"
import type { AudioPart, ImagePart, Part } from "../../../canon/message.ts"
import { approximateLength } from "../../../canon/sliced-json-text.ts"
import { logprobsOf } from "../../shared/logprobs.ts"
import { Grounding } from "../citations/encode.ts"
import { encodeFinish, type Ending } from "../finish.ts"
import { DIALECT, ID_PREFIX } from "../identifiers.ts"
import { audioType } from "../media.ts"
import { Signatures, wireSignature } from "../reasoning.ts"
import { NO_USAGE } from "../../../canon/usage.ts"
import { mintId } from "../../shared/identifiers.ts"
import { encodeChoices } from "../../shared/choices.ts"
import { encodeUsage } from "../usage.ts"

/** The content of a candidate's last chunk. */
export interface CandidateEnd extends Ending {
  readonly index: number
  readonly parts: readonly JsonObject[]
  readonly grounding: Grounding
  readonly logprobs: WrittenLogprobs
  /** Members of the candidate that exist in this dialect only. */
  readonly extra: JsonObject
}

/** Encodes a candidate of a whole response (`Candidate` of @google/genai). */
function encodeCandidate(choice: Choice): JsonObject {
  const signatures = new Signatures()
  const grounding = new Grounding()
  const parts = choice.parts.flatMap((part) => {
    if (part.type === "text") {
      const start = grounding.textLength
      grounding.append(part.text)
      for (const citation of part.citations ?? []) grounding.add(citation, start)
    }
    if (part.type === "web-search") grounding.search(part)
    return encodePart(part, signatures)
  })
  const { parts: others, ...extra } = ownFields(DIALECT, choice.extra) ?? {}
  const logprobs = new WrittenLogprobs()
  logprobs.add(choice.extra)
  return encodeEnd({
    index: choice.index,
    parts: [...parts, ...signatures.end(), ...ownParts(others)],
    reason: choice.finish,
    raw: choice.rawFinish,
    grounding,
    logprobs,
    extra,
  })
}

/** Returns a candidate with its finish reason. */
export function encodeEnd(end: CandidateEnd): JsonObject {
  const { index, parts, grounding, logprobs, extra, ...ending } = end
  const isGrounded = extra.groundingMetadata !== undefined || extra.citationMetadata !== undefined
  const metadata = isGrounded ? undefined : grounding.metadata
  return {
    content: { parts: [...parts], role: "model" },
    finishReason: encodeFinish(ending),
    index,
    ...(metadata !== undefined && { groundingMetadata: metadata }),
    ...(!logprobs.isEmpty && { logprobsResult: logprobs.result }),
    ...extra,
  }
}

/** The length of the braces and names of a log probability. */
const LOGPROB_LENGTH = 30
/** The alternatives of a token without alternatives. */
const NO_CANDIDATES: JsonObject = { candidates: [] }

/** Collects log probabilities in Gemini's form: the chosen tokens, and their alternatives if the vendor reports any. */
export class WrittenLogprobs {
  readonly #chosen: JsonObject[] = []
  readonly #others: JsonObject[] = []
  /** The approximate length of their JSON in characters. */
  length = 0
  #hasOthers = false

  /**
   * Adds the log probabilities of an extra of another dialect. Gemini's own log probabilities are already among the
   * members of the candidate.
   */
  add(extra: Extra | undefined): void {
    if (extra?.dialect === DIALECT) {
      this.length += approximateLength(extra.fields)
      return
    }
    for (const token of logprobsOf(extra) ?? []) {
      if (!isJsonObject(token)) continue
      this.#chosen.push(this.#encoded(token))
      const others = listAt(token, "top_logprobs").filter(isJsonObject)
      this.#others.push(
        others.length === 0
          ? NO_CANDIDATES
          : { candidates: others.map((each) => this.#encoded(each)) },
      )
      this.#hasOthers ||= others.length > 0
    }
  }

  /**
   * Encodes a log probability. A response may have 200,000 of them, so one with the usual members is written without
   * copies.
   */
  #encoded({ token, logprob }: JsonObject): JsonObject {
    this.length += LOGPROB_LENGTH + approximateLength(token) + approximateLength(logprob)
    if (token !== undefined && logprob !== undefined) return { token, logProbability: logprob }
    return {
      ...(token !== undefined && { token }),
      ...(logprob !== undefined && { logProbability: logprob }),
    }
  }

  get isEmpty(): boolean {
    return this.#chosen.length === 0
  }

  get result(): JsonObject {
    return {
      chosenCandidates: this.#chosen,
      ...(this.#hasOthers && { topCandidates: this.#others }),
    }
  }
}

/** Returns the parts that exist in this dialect only. */
export function ownParts(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? (value as JsonObject[]) : []
}

/** Returns a call with all of its arguments. They are parsed on demand, because a response may have many long calls. */
export function callPart(id: string, name: string, written: string): JsonObject {
  let args: JsonObject | undefined
  const functionCall = {
    id,
    name,
    get args() {
      return (args ??= written.trim() === "" ? {} : objectIn(written))
    },
  }
  return { functionCall }
}

/** Returns an image or audio that the model generated. Audio comes after its words, if they are known. */
export function mediaParts(media: ImagePart | AudioPart): JsonObject[] {
  const { source } = media
  const said = media.type === "audio" && media.transcript ? [{ text: media.transcript }] : []
  switch (source.type) {
    case "url":
      return [...said, { fileData: { fileUri: source.url } }]
    case "reference":
      return [...said, { fileData: { fileUri: source.id } }]
    case "base64": {
      const { data } = source
      if (data === "") return said
      const named = media.type === "audio" ? audioType(media.format) : imageType(data)
      return [...said, { inlineData: { mimeType: source.mediaType ?? named, data } }]
    }
  }
}

function encodePart(part: Part, signatures: Signatures): JsonObject[] {
  switch (part.type) {
    case "text":
    case "refusal":
      return part.text === "" ? [] : [signatures.on({ text: part.text })]
    case "reasoning": {
      const { text, signature } = part
      if (text === "") return signature === undefined ? [] : signatures.hold(signature)
      const thought: JsonObject = { text, thought: true }
      if (signature !== undefined) thought.thoughtSignature = wireSignature(signature)
      return [...signatures.end(), thought]
    }
    case "tool-call":
      return [
        {
          ...signatures.on(callPart(part.id, part.name, part.arguments)),
          ...ownFields(DIALECT, part.extra),
        },
      ]
    case "image":
    case "audio":
      return mediaParts(part).map((each) => signatures.on(each))
    case "unknown": {
      const own = ownFields(DIALECT, part.extra)
      return own === undefined ? [] : [signatures.on(own)]
    }
    case "file":
    case "tool-result":
    case "web-search":
      return []
    default:
      return assertNever(part)
  }
}

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
