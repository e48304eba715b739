import * as z from "zod"
import type { Writable } from "../../canon/writable.ts"
import { GatewayError } from "../../canon/errors.ts"
import {
  emptyArray,
  expects,
  invalidType,
  invalidValue,
  missingParameter,
} from "../../canon/invalid-request.ts"
import {
  isJsonObject,
  isDefined,
  type JsonObject,
  type JsonValue,
  unknownFields,
} from "../../canon/json.ts"
import type { RerankRequest } from "../../canon/rerank.ts"
import { flag, integer, parameterSchemas, validateParameters } from "../shared/parameters.ts"

/** Fields that the canon can represent, or that this file handles. */
const OWN_FIELDS = new Set([
  "model",
  "query",
  "documents",
  "top_n",
  "max_tokens_per_doc",
  "return_documents",
  "rank_fields",
])

const PARAMETERS = parameterSchemas(
  () => ({
    model: z.string(),
    query: z.string(),
    top_n: integer({ minimum: 1 }),
    max_tokens_per_doc: integer({ minimum: 1 }),
    return_documents: flag(),
    rank_fields: z.array(z.string(), expects("an array of strings")).nullish(),
  }),
  { own: OWN_FIELDS },
)

/** The fields of a document that are ranked by default. */
const DEFAULT_FIELDS = ["text"]

/** The documents to rerank, and the form of the response. */
export interface RerankOptions {
  readonly request: RerankRequest
  /** The documents as the caller sent them: strings, or objects with a `text`. */
  readonly supplied: readonly JsonValue[]
  /** The value of `return_documents`; undefined if the caller did not send it. */
  readonly returnDocuments: boolean | undefined
}

/**
 * Decodes a rerank request (docs/use/endpoints.md#rerank). It accepts fields that clients of Cohere and Jina also send:
 * documents as objects, `rank_fields`, `return_documents` and `max_tokens_per_doc` (docs/contribute/wire/rerank.md#f1).
 * @throws GatewayError with OpenAI's message for the invalid field.
 */
export function decodeRerankRequest(body: JsonObject): RerankOptions {
  const { model, query, top_n: topN, max_tokens_per_doc: maxTokens } = body
  if (!isDefined(model) || model === "") {
    throw new GatewayError("missing_required_parameter", "you must provide a model parameter", {
      parameter: "model",
    })
  }
  if (!isDefined(query)) throw missingParameter("query")
  validateParameters(body, PARAMETERS)
  if (query === "") throw invalidValue("query", "Invalid 'query': it cannot be an empty string.")
  const supplied = decodeDocuments(body.documents)
  const named = (body.rank_fields ?? []) as string[]
  const fields = named.length === 0 ? DEFAULT_FIELDS : named
  const request: Writable<RerankRequest> = {
    model: model as string,
    query: query as string,
    documents: supplied.map((document, index) => documentText(document, index, fields)),
    topN: typeof topN === "number" ? Math.min(topN, supplied.length) : supplied.length,
  }
  if (typeof maxTokens === "number") request.maxTokensPerDocument = maxTokens
  const extra = unknownFields(body, OWN_FIELDS)
  if (extra !== undefined) request.extra = extra
  const { return_documents: returnDocuments } = body
  return {
    request,
    supplied,
    returnDocuments: typeof returnDocuments === "boolean" ? returnDocuments : undefined,
  }
}

function decodeDocuments(value: JsonValue | undefined): readonly JsonValue[] {
  if (!isDefined(value)) throw missingParameter("documents")
  if (!Array.isArray(value)) throw invalidType("documents", "an array of strings", value)
  if (value.length === 0) throw emptyArray("documents")
  return value
}

/**
 * Returns the text of a document: the string itself, its only ranked field, or all ranked fields, each on a line with
 * its name.
 */
function documentText(document: JsonValue, index: number, fields: readonly string[]): string {
  const name = `documents[${index}]`
  if (typeof document === "string") return document
  if (!isJsonObject(document)) throw invalidType(name, "one of a string or object", document)
  const found = fields.filter(
    (field) => Object.hasOwn(document, field) && isDefined(document[field]),
  )
  const [first] = found
  if (first === undefined) throw missingParameter(`${name}.${fields[0] ?? "text"}`)
  if (fields.length === 1) return fieldText(document, first, name)
  return found.map((field) => `${field}: ${fieldText(document, field, name)}`).join("\n")
}

function fieldText(document: JsonObject, field: string, name: string): string {
  const value = document[field]
  if (typeof value !== "string") throw invalidType(`${name}.${field}`, "a string", value)
  return value
}
