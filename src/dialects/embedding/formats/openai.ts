import type {
  EmbeddingFormat,
  EmbeddingPurpose,
  EmbeddingRequest,
  EmbeddingResult,
  Vector,
} from "../../../canon/embedding.ts"
import type { Loss } from "../../../canon/extra.ts"
import { isJsonObject, type JsonObject, listAt, objectAt } from "../../../canon/json.ts"
import { jsonCall, jsonOf, unusable } from "../../../canon/operation-answer.ts"
import type { OperationAnswer } from "../../../canon/operation.ts"
import { quantityOf } from "../../../canon/quantity.ts"
import { vectorOf, vectorOfBytes } from "../../../canon/vectors.ts"
import { allVectors, batchesOf } from "./batches.ts"

/** Reads one embedding of an answer. @throws GatewayError `upstream_error`. */
type VectorReader = (value: unknown) => Vector

/** How a vendor departs from OpenAI's form. */
export interface OpenAiEmbeddingQuirks {
  /** Inputs that one call may hold. */
  readonly maxInputs: number
  /** Whether it takes tokens in place of texts. */
  readonly tokens: boolean
  /** Whether it gives base64 when `encoding_format` asks for it. */
  readonly base64: boolean
  /** `int8`: it gives the base64 of signed bytes and nothing else, and has to be asked for it by that name. */
  readonly numbers: "float" | "int8"
  readonly path: string
  readonly dimensionsField: "dimensions" | "output_dimension"
  /** Whether it knows `user`. */
  readonly user: boolean
  /** The field that says what the texts are for, and its words. Absent: the caller's fields go up as they are. */
  readonly purpose?: {
    readonly field: string
    readonly words: Readonly<Partial<Record<EmbeddingPurpose, string>>>
  }
}

/** As OpenAI itself has it (docs/wire/embeddings.md#f1). */
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
 * `POST /embeddings`, as OpenAI has it and many vendors nearly (docs/wire/embeddings.md#f1).
 * @param decodeError reads the refusals of the vendor.
 */
export function openAiEmbedding(
  decodeError: EmbeddingFormat["decodeError"],
  quirks: Partial<OpenAiEmbeddingQuirks> = {},
): EmbeddingFormat {
  const all = { ...OPENAI_EMBEDDING_QUIRKS, ...quirks }
  return {
    takesTokens: all.tokens,
    encode(request, model) {
      const losses: Loss[] = []
      const fields = fieldsOf(request, all, losses)
      const { input } = request
      const batches: (readonly (string | readonly number[])[])[] =
        input.type === "texts"
          ? batchesOf(input.texts, all.maxInputs)
          : batchesOf(input.tokens, all.maxInputs)
      const calls = batches.map((batch) =>
        jsonCall(all.path, { ...fields, model, input: batch.map(copied) }),
      )
      return { calls, losses }
    },
    decode: (answers, request) => decode(answers, request, READERS[all.numbers]),
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

/** Everything but the model and the inputs. */
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

/** What the caller wrote in words that vendors of this format may know. */
function ownFields({ extra = {}, isGoogles }: EmbeddingRequest, losses: Loss[]): JsonObject {
  if (isGoogles !== true) return extra
  for (const name of Object.keys(extra)) losses.push({ name, effect: "dropped" })
  return {}
}

/** A word that no vendor is known to have goes up as it came, under the caller's own name for it. */
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
  // An undefined member is left out of the JSON: it takes the place of the caller's own.
  const own = extra?.["input_type"] === undefined ? {} : { input_type: undefined }
  if (word !== undefined) return { ...own, [known.field]: word }
  losses.push({ name: "input_type", effect: "dropped" })
  return own
}

function decode(
  answers: readonly OperationAnswer[],
  request: EmbeddingRequest,
  read: VectorReader,
): EmbeddingResult {
  const bodies = answers.map(jsonOf)
  const lists = bodies.map((body) => vectorsOf(body, read))
  const vectors = allVectors(lists, request)
  return { vectors, tokens: bodies.reduce((sum, body) => sum + tokensOf(body), 0) }
}

/** Vendors keep the order of the inputs, but only `index` promises it. */
function vectorsOf(body: JsonObject, read: VectorReader): Vector[] {
  const data = listAt(body, "data")
  const vectors: Vector[] = []
  data.forEach((item, position) => {
    if (!isJsonObject(item)) throw unusable("an embedding in it is no object")
    const { index = position, embedding } = item
    if (typeof index !== "number" || data[index] === undefined || vectors[index] !== undefined) {
      throw unusable("the places of its embeddings are not those of the inputs")
    }
    vectors[index] = read(embedding)
  })
  return vectors
}

/** Voyage and Jina report only the total (docs/wire/embeddings.md#f6). */
function tokensOf(body: JsonObject): number {
  const usage = objectAt(body, "usage")
  const tokens = usage?.["prompt_tokens"] ?? usage?.["total_tokens"]
  return quantityOf(tokens) ?? 0
}
