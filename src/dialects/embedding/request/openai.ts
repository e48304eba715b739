import * as z from "zod"
import type { Writable } from "../../../canon/writable.ts"
import type {
  EmbeddingInput,
  EmbeddingPurpose,
  EmbeddingRequest,
} from "../../../canon/embedding.ts"
import { GatewayError } from "../../../canon/errors.ts"
import {
  emptyArray,
  invalidType,
  invalidValue,
  missingParameter,
  unsupportedValue,
} from "../../../canon/invalid-request.ts"
import {
  isDefined,
  type JsonObject,
  type JsonValue,
  textAt,
  unknownFields,
} from "../../../canon/json.ts"
import { integer, text, parameterSchemas, validateParameters } from "../../shared/parameters.ts"

/** Fields that the canon can represent. */
const CANON_FIELDS = new Set(["model", "input", "encoding_format", "dimensions", "user"])

const PARAMETERS = parameterSchemas(
  () => ({
    model: z.string(),
    dimensions: integer({ minimum: 1 }),
    user: text(),
  }),
  { own: CANON_FIELDS },
)

const ENCODINGS: readonly string[] = ["float", "base64"]

const AN_INPUT = "one of a string, array of strings, array of integers or array of integer arrays"

/** The last token of `cl100k_base`, the vocabulary of OpenAI's embedding models. */
const LAST_TOKEN = 100_257

/** Maps all vendors' values of `input_type` to the canon's purposes. */
const PURPOSES: ReadonlyMap<string, EmbeddingPurpose> = new Map([
  ["query", "query"],
  ["search_query", "query"],
  ["document", "document"],
  ["search_document", "document"],
  ["passage", "document"],
  ["similarity", "similarity"],
  ["classification", "classification"],
  ["clustering", "clustering"],
])

/**
 * Decodes a request for embeddings in OpenAI's format (docs/contribute/wire/embeddings.md#f1,
 * docs/use/endpoints.md#embeddings), and `input_type` as the clients of other vendors send it. Fields that the canon
 * lacks are kept as extra. Null counts as absent.
 * @throws GatewayError with OpenAI's message for the invalid field.
 */
export function decodeEmbeddingRequest(body: JsonObject): EmbeddingRequest {
  const { model, encoding_format: encoding } = body
  if (!isDefined(model) || model === "") {
    throw new GatewayError("missing_required_parameter", "you must provide a model parameter", {
      parameter: "model",
    })
  }
  validateParameters(body, PARAMETERS)
  const input = decodeInput(body.input)
  const request: Writable<EmbeddingRequest> = {
    model: model as string,
    input,
    encoding: decodeEncoding(encoding),
  }
  const { dimensions, user } = body
  if (typeof dimensions === "number") request.dimensions = dimensions
  if (typeof user === "string") request.user = user
  const purpose = PURPOSES.get(textAt(body, "input_type")?.toLowerCase() ?? "")
  if (purpose !== undefined) request.purpose = purpose
  const extra = unknownFields(body, CANON_FIELDS)
  if (extra !== undefined) request.extra = extra
  return request
}

function decodeEncoding(value: JsonValue | undefined): EmbeddingRequest["encoding"] {
  if (!isDefined(value) || value === "float") return "float"
  if (value === "base64") return "base64"
  if (typeof value === "string") throw unsupportedValue("encoding_format", value, ENCODINGS)
  throw invalidType("encoding_format", "one of float or base64", value)
}

function decodeInput(value: JsonValue | undefined): EmbeddingInput {
  if (!isDefined(value)) throw missingParameter("input")
  if (typeof value === "string") {
    if (value === "") throw emptyText("input")
    return { type: "texts", texts: [value] }
  }
  if (!Array.isArray(value)) throw invalidType("input", AN_INPUT, value)
  const [first] = value
  if (first === undefined) throw emptyArray("input")
  if (typeof first === "string") return { type: "texts", texts: value.map(textOf) }
  if (typeof first === "number") return { type: "tokens", tokens: [tokensOf(value, "input")] }
  if (!Array.isArray(first)) throw invalidType("input[0]", AN_INPUT, first)
  const tokens = value.map((one, index) => tokensOf(one, `input[${index}]`))
  return { type: "tokens", tokens }
}

function textOf(value: JsonValue, index: number): string {
  if (typeof value !== "string") throw invalidType(`input[${index}]`, "a string", value)
  if (value === "") throw emptyText(`input[${index}]`)
  return value
}

function tokensOf(value: JsonValue, name: string): number[] {
  if (!Array.isArray(value)) throw invalidType(name, "an array of integers", value)
  if (value.length === 0) throw emptyArray(name)
  return value.map((token, index) => {
    if (typeof token !== "number" || !Number.isInteger(token)) {
      throw invalidType(`${name}[${index}]`, "an integer", token)
    }
    if (token >= 0 && token <= LAST_TOKEN) return token
    const range = `Minimum value is 0, maximum value is ${LAST_TOKEN} (inclusive).`
    throw invalidValue("input", `Invalid token in prompt: ${token}. ${range}`)
  })
}

function emptyText(name: string): GatewayError {
  return invalidValue(name, `Invalid '${name}': input cannot be an empty string.`)
}
