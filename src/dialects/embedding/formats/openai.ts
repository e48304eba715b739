import type {
  EmbeddingFormat,
  EmbeddingPurpose,
  EmbeddingRequest,
  EmbeddingResult,
  Vector,
} from "../../../canon/embedding.ts"
import type { GatewayError } from "../../../canon/errors.ts"
import type { Loss } from "../../../canon/extra.ts"
import { invalidValue } from "../../../canon/invalid-request.ts"
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listAt,
  objectAt,
} from "../../../canon/json.ts"
import { jsonCall, jsonOf, readForm, unusable } from "../../../canon/operation-response.ts"
import type { OperationResponse } from "../../../canon/operation.ts"
import { quantityOf } from "../../../canon/quantity.ts"
import { NO_USAGE } from "../../../canon/usage.ts"
import { countedVectors, vectorOf, vectorOfBytes } from "../../../canon/vectors.ts"
import { batchesOf, tokensOfCalls } from "./batches.ts"

/**
 * Maximum numbers in the response to a call. Servers print up to 29 bytes for a number: a double on a separate line.
 * With this maximum, the response fits into the default of `limits.response_mb`.
 */
const MAX_NUMBERS = 4 * 1024 * 1024
/** Assumed numbers of each vector, if the request does not set their count. Few models have more. */
const ASSUMED_DIMENSIONS = 4096

/** Reads one embedding of a response. @throws GatewayError `upstream_error`. */
type VectorReader = (value: unknown) => Vector

/** Differences between a vendor's API and OpenAI's. */
export interface OpenAiEmbeddingQuirks {
  /** Maximum inputs per call. */
  readonly maxInputs: number
  /** Whether the vendor accepts tokens in place of texts. */
  readonly tokens: boolean
  /** Whether base64 may be requested. Responses may use either form. */
  readonly base64: boolean
  /**
   * The type of the numbers. `int8`: the vendor returns only the base64 of signed bytes, which must be requested by
   * that name.
   */
  readonly numbers: "float" | "int8"
  readonly path: string
  readonly dimensionsField: "dimensions" | "output_dimension"
  /** Whether the vendor supports `user`. */
  readonly user: boolean
  /** The field for the purpose of the texts, and its values; absent if the caller's fields are sent unchanged. */
  readonly purpose?: {
    readonly field: string
    readonly words: Readonly<Partial<Record<EmbeddingPurpose, string>>>
  }
}

/** The quirks of OpenAI's own API (docs/contribute/wire/embeddings.md#f1). */
export const OPENAI_EMBEDDING_QUIRKS: OpenAiEmbeddingQuirks = {
  maxInputs: 2048,
  tokens: true,
  base64: true,
  numbers: "float",
  path: "/embeddings",
  dimensionsField: "dimensions",
  user: true,
}

/**
 * Creates the format of `POST /embeddings`, as used by OpenAI and, with small differences, by many other vendors
 * (docs/contribute/wire/embeddings.md#f1).
 * @param decodeError reads the vendor's errors.
 */
export function openAiEmbedding(
  decodeError: EmbeddingFormat["decodeError"],
  quirks: Partial<OpenAiEmbeddingQuirks> = {},
): EmbeddingFormat {
  const all = { ...OPENAI_EMBEDDING_QUIRKS, ...quirks }
  return {
    takesTokens: all.tokens,
    ...(all.numbers === "float" && { longMember: "embedding" }),
    encode(request, model) {
      const losses: Loss[] = []
      const fields = fieldsOf(request, all, losses)
      const { input } = request
      const max = maxInputs(request, all)
      const batches: (readonly (string | readonly number[])[])[] =
        input.type === "texts" ? batchesOf(input.texts, max) : batchesOf(input.tokens, max)
      const calls = batches.map((batch) =>
        jsonCall(all.path, { ...fields, model, input: batch.map(copied) }),
      )
      return { calls, losses }
    },
    decode: (responses, request) => decode(responses, request, READERS[all.numbers]),
    usageIn: (members) => ({ ...NO_USAGE, inputFresh: tokensOf(members) ?? 0 }),
    decodeError,
  }
}

const READERS: Readonly<Record<OpenAiEmbeddingQuirks["numbers"], VectorReader>> = {
  float: vectorOf,
  int8: vectorOfBytes,
}

function copied(input: string | readonly number[]): string | number[] {
  return typeof input === "string" ? input : [...input]
}

/** Returns the maximum inputs of a call. Vectors of numbers are several times as long as vectors in base64. */
function maxInputs(
  { encoding, dimensions = ASSUMED_DIMENSIONS }: EmbeddingRequest,
  { maxInputs: max, base64, numbers }: OpenAiEmbeddingQuirks,
): number {
  if (numbers === "int8" || (encoding === "base64" && base64)) return max
  return Math.max(1, Math.min(max, Math.floor(MAX_NUMBERS / dimensions)))
}

/** Returns all fields except the model and the inputs. */
function fieldsOf(
  request: EmbeddingRequest,
  quirks: OpenAiEmbeddingQuirks,
  losses: Loss[],
): JsonObject {
  const { dimensions, user, encoding } = request
  const fields: JsonObject = {
    ...ownFields(request, losses),
    ...purposeOf(request, quirks, losses),
  }
  if (quirks.numbers === "int8") fields["encoding_format"] = "base64_int8"
  else if (encoding === "base64" && quirks.base64) fields["encoding_format"] = "base64"
  if (dimensions !== undefined) fields[quirks.dimensionsField] = dimensions
  if (user !== undefined && quirks.user) fields["user"] = user
  if (user !== undefined && !quirks.user) losses.push({ name: "user", effect: "dropped" })
  return fields
}

/**
 * Returns the caller's own fields that vendors of this format may support. Fields of Google's API are reported as
 * losses.
 */
function ownFields({ extra = {}, isGoogles }: EmbeddingRequest, losses: Loss[]): JsonObject {
  if (isGoogles !== true) return oneVectorEach(extra)
  for (const name of Object.keys(extra)) losses.push({ name, effect: "dropped" })
  return {}
}

/**
 * Rejects fields that request several vectors for each input, because callers expect one vector.
 * @throws GatewayError `invalid_value`.
 */
function oneVectorEach(extra: JsonObject): JsonObject {
  const { return_multivector: isMultiple, embedding_type: type, embedding_types: types } = extra
  if (isMultiple === true || isMultiple === 1) throw severalVectors("return_multivector")
  if (Array.isArray(type) && type.length > 1) throw severalVectors("embedding_type")
  if (Array.isArray(types) && types.length > 1) throw severalVectors("embedding_types")
  return extra
}

function severalVectors(name: string): GatewayError {
  return invalidValue(
    name,
    `Invalid '${name}': this endpoint returns one vector for each input. Request one vector of one type.`,
  )
}

/** Returns the field for the purpose. An unknown purpose is sent unchanged, under the caller's name for it. */
function purposeOf(
  { purpose, extra, isGoogles }: EmbeddingRequest,
  { purpose: known }: OpenAiEmbeddingQuirks,
  losses: Loss[],
): JsonObject {
  if (known === undefined || purpose === undefined) {
    if (isGoogles === true && purpose !== undefined)
      losses.push({ name: "task_type", effect: "dropped" })
    return {}
  }
  const word = known.words[purpose]
  // An undefined member removes the caller's field, because it is left out of the JSON.
  const own = extra?.["input_type"] === undefined ? {} : { input_type: undefined }
  if (word !== undefined) return { ...own, [known.field]: word }
  losses.push({ name: "input_type", effect: "dropped" })
  return own
}

function decode(
  responses: readonly OperationResponse[],
  request: EmbeddingRequest,
  read: VectorReader,
): EmbeddingResult {
  const bodies = responses.map(jsonOf)
  const tokens = tokensOfCalls(bodies.map(tokensOf))
  const usage = tokens > 0 ? { ...NO_USAGE, inputFresh: tokens } : undefined
  const readVectors = (): Vector[] =>
    countedVectors(
      bodies.map((body) => listAt(body, "data")),
      request,
    ).flatMap((list) => vectorsOf(list, read))
  return { vectors: readForm(request.extra, readVectors, usage), tokens }
}

/** Returns the vectors in the order of the inputs. Vendors usually keep this order, but only `index` guarantees it. */
function vectorsOf(data: readonly JsonValue[], read: VectorReader): Vector[] {
  const vectors: Vector[] = []
  data.forEach((item, position) => {
    if (!isJsonObject(item)) throw unusable("one of its embeddings is not an object")
    const index = item.index ?? position
    const { embedding } = item
    if (typeof index !== "number" || data[index] === undefined || vectors[index] !== undefined) {
      throw unusable("the indexes of its embeddings do not match the inputs")
    }
    vectors[index] = read(embedding)
  })
  return vectors
}

/** Returns the input tokens. Voyage and Jina report only the total (docs/contribute/wire/embeddings.md#f6). */
function tokensOf(body: JsonObject): number | undefined {
  const usage = objectAt(body, "usage")
  const tokens = usage?.["prompt_tokens"] ?? usage?.["total_tokens"]
  return quantityOf(tokens)
}
