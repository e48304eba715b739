import type { Writable } from "../../../canon/writable.ts"
import type { EmbeddingPurpose, EmbeddingRequest } from "../../../canon/embedding.ts"
import {
  emptyArray,
  invalidType,
  invalidValue,
  missingParameter,
} from "../../../canon/invalid-request.ts"
import {
  isJsonObject,
  isDefined,
  type JsonObject,
  type JsonValue,
  listAt,
  textAt,
  unknownFields,
} from "../../../canon/json.ts"
import { parameterSchemas, validateParameters } from "../../shared/parameters.ts"

/** Maps Google's task types that other vendors share to the canon's purposes. */
const PURPOSES: ReadonlyMap<string, EmbeddingPurpose> = new Map([
  ["RETRIEVAL_QUERY", "query"],
  ["RETRIEVAL_DOCUMENT", "document"],
  ["SEMANTIC_SIMILARITY", "similarity"],
  ["CLASSIFICATION", "classification"],
  ["CLUSTERING", "clustering"],
])

/** Fields that the canon can represent. The model and the stream mode come from the URL. */
const CANON_FIELDS = new Set([
  "model",
  "stream",
  "requests",
  "content",
  "taskType",
  "title",
  "outputDimensionality",
])

const PARAMETERS = parameterSchemas(() => ({}), { own: CANON_FIELDS })

/** Fields that must be the same in all requests of a batch, because they are sent only once. */
const SHARED = ["taskType", "title", "outputDimensionality"] as const

/**
 * Decodes a request of `embedContent` or `batchEmbedContents` of the Gemini API, with fields in camel case.
 * @param requests the single request, or the requests of the batch.
 * @param place the path of the requests for errors; empty for the body itself.
 */
export function decodeGeminiEmbeddings(
  model: string,
  requests: readonly JsonValue[],
  place: string,
): EmbeddingRequest {
  const [first] = requests
  if (first === undefined) throw emptyArray(place)
  const texts = requests.map((request, index) => {
    const name = place === "" ? "" : `${place}[${index}]`
    if (!isJsonObject(request)) throw invalidType(name, "an object", request)
    if (isJsonObject(first)) checkShared(request, first, name)
    return contentText(request.content, name === "" ? "content" : `${name}.content`)
  })
  const decoded: Writable<EmbeddingRequest> = {
    model,
    input: { type: "texts", texts },
    encoding: "float",
    isGoogles: true,
  }
  if (isJsonObject(first)) {
    validateParameters(first, PARAMETERS)
    addOptions(decoded, first)
  }
  return decoded
}

/** Checks that the requests of one batch differ only in their texts. */
function checkShared(request: JsonObject, first: JsonObject, name: string): void {
  for (const field of SHARED) {
    if ((request[field] ?? null) === (first[field] ?? null)) continue
    throw invalidValue(
      `${name}.${field}`,
      `'${field}' must be the same in all requests of a batch. Send the others in another batch.`,
    )
  }
}

function contentText(content: JsonValue | undefined, name: string): string {
  if (!isDefined(content)) throw missingParameter(name)
  if (!isJsonObject(content)) throw invalidType(name, "an object", content)
  const parts = listAt(content, "parts")
  const texts = parts.map((part, index) => {
    const text = isJsonObject(part) ? part.text : undefined
    if (typeof text === "string") return text
    throw invalidValue(`${name}.parts[${index}]`, "Only text can be embedded.")
  })
  const text = texts.join("\n")
  if (text === "") throw invalidValue(name, `Invalid '${name}': it contains no text.`)
  return text
}

function addOptions(decoded: Writable<EmbeddingRequest>, request: JsonObject): void {
  const { outputDimensionality: dimensions } = request
  if (isDefined(dimensions)) {
    if (typeof dimensions !== "number" || !Number.isInteger(dimensions) || dimensions < 1) {
      throw invalidType("outputDimensionality", "an integer of at least 1", dimensions)
    }
    decoded.dimensions = dimensions
  }
  const task = textAt(request, "taskType")
  const title = textAt(request, "title")
  const purpose = task === undefined ? undefined : PURPOSES.get(task)
  if (purpose !== undefined) decoded.purpose = purpose
  const isOwn = task !== undefined && task !== "TASK_TYPE_UNSPECIFIED" && purpose === undefined
  const extra: JsonObject = { ...unknownFields(request, CANON_FIELDS) }
  if (isOwn) extra.task_type = task
  if (title !== undefined) extra.title = title
  if (Object.keys(extra).length > 0) decoded.extra = extra
}
