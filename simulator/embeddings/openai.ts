import type { Exchange } from "../exchange.ts"
import type { Fault } from "../faults.ts"
import { type Json, type JsonObject, stringOf } from "../json.ts"
import {
  answerJson,
  type Answered,
  type JsonOperation,
  reportedCount,
  unknownField,
} from "../json-operation.ts"
import { DETAIL, OPENAI } from "../manners.ts"
import { countTokens } from "../tokens.ts"
import { base64Of, int8Of, vectorOf } from "./vectors.ts"

/** The differences between vendors that have the endpoint `/v1/embeddings` (docs/contribute/wire/embeddings.md#f1). */
interface Kind {
  readonly fields: readonly string[]
  readonly maxInputs: number
  readonly takesTokens: boolean
  readonly dimensionsField: string
  readonly encodingField: string
  /** The valid encodings, each with a function that encodes a vector. The first encoding is the default. */
  readonly encodings: ReadonlyMap<string, (vector: readonly number[]) => Json>
  /** The error for any other encoding. By default, the error names the valid encoding. */
  readonly otherEncoding?: string
  readonly dimensions: number
  readonly usage: (tokens: number) => object
  readonly speaksDetail: boolean
}

const NUMBERS = (vector: readonly number[]): Json => [...vector]

const FLOATS: Kind["encodings"] = new Map<string, (vector: readonly number[]) => Json>([
  ["float", NUMBERS],
  ["base64", base64Of],
])

const OPENAI_KIND: Kind = {
  fields: ["model", "input", "encoding_format", "dimensions", "user"],
  maxInputs: 2048,
  takesTokens: true,
  dimensionsField: "dimensions",
  encodingField: "encoding_format",
  encodings: FLOATS,
  dimensions: 256,
  usage: (tokens) => ({ prompt_tokens: tokens, total_tokens: tokens }),
  speaksDetail: false,
}

/** Vendors by the beginning of the model's name. Other models belong to OpenAI or to the simulator. */
const KINDS: readonly (readonly [RegExp, Kind])[] = [
  [
    /^voyage-/,
    {
      fields:
        "model input input_type truncation output_dimension output_dtype encoding_format".split(
          " ",
        ),
      maxInputs: 1000,
      takesTokens: false,
      dimensionsField: "output_dimension",
      encodingField: "encoding_format",
      encodings: FLOATS,
      dimensions: 1024,
      usage: (tokens) => ({ total_tokens: tokens }),
      speaksDetail: true,
    },
  ],
  [
    /^jina-/,
    {
      fields: "model input task dimensions normalized embedding_type late_chunking truncate".split(
        " ",
      ),
      maxInputs: 2048,
      takesTokens: false,
      dimensionsField: "dimensions",
      encodingField: "embedding_type",
      encodings: FLOATS,
      dimensions: 1024,
      usage: (tokens) => ({ prompt_tokens: tokens, total_tokens: tokens }),
      speaksDetail: true,
    },
  ],
  [
    // https://docs.perplexity.ai/api-reference/embeddings-post
    /^pplx-embed-/,
    {
      ...OPENAI_KIND,
      fields: ["model", "input", "encoding_format", "dimensions"],
      maxInputs: 512,
      takesTokens: false,
      encodings: new Map([["base64_int8", int8Of]]),
      dimensions: 1024,
    },
  ],
  [
    // vLLM until July 2024 (docs/contribute/wire/embeddings.md#f8)
    /^rejects-base64/,
    {
      ...OPENAI_KIND,
      encodings: new Map([["float", NUMBERS]]),
      otherEncoding: "base64 encoding is not currently supported",
    },
  ],
  [
    // LM Studio 0.3 (docs/contribute/wire/embeddings.md#f8)
    /^ignores-base64/,
    { ...OPENAI_KIND, encodings: new Map(["float", "base64"].map((name) => [name, NUMBERS])) },
  ],
  [
    // Some servers return base64 even if the request does not ask for base64.
    /^answers-base64/,
    { ...OPENAI_KIND, encodings: new Map(["base64", "float"].map((name) => [name, base64Of])) },
  ],
  [
    /^(mistral|codestral)-embed/,
    {
      ...OPENAI_KIND,
      fields: ["model", "input", "encoding_format", "output_dimension", "output_dtype"],
      maxInputs: 256,
      takesTokens: false,
      dimensionsField: "output_dimension",
      dimensions: 1024,
    },
  ],
]

/** Answers `POST /v1/embeddings` in the form of the vendor that the model belongs to. */
export function answerEmbeddings(exchange: Exchange): Promise<Response> {
  return answerJson(exchange, operationOf)
}

function operationOf(body: JsonObject): JsonOperation {
  const model = stringOf(body.model)
  const kind = KINDS.find(([names]) => names.test(model))?.[1] ?? OPENAI_KIND
  return {
    manner: kind.speaksDetail ? DETAIL : OPENAI,
    respond: (asked, fault) => respond(asked, kind, fault),
  }
}

function respond(body: JsonObject, kind: Kind, fault: Fault | undefined): Answered {
  const unknown = unknownField(body, kind.fields)
  if (unknown !== undefined) return { rejected: `Unknown parameter: '${unknown}'.` }
  const inputs = inputsOf(body.input)
  if (inputs === undefined) return { rejected: "'$.input' is invalid." }
  if (inputs.length > kind.maxInputs) {
    return { rejected: "Too many inputs in request, split into more batches." }
  }
  if (!kind.takesTokens && inputs.some((input) => typeof input !== "string")) {
    return { rejected: "Input should be a valid string." }
  }
  const wanted = body[kind.dimensionsField]
  const dimensions = typeof wanted === "number" ? wanted : kind.dimensions
  const [usual] = kind.encodings.keys()
  const encoding = body[kind.encodingField] ?? usual
  const write = kind.encodings.get(stringOf(encoding))
  if (write === undefined) return { rejected: kind.otherEncoding ?? `Input should be '${usual}'.` }
  const tokens = inputs.reduce((sum: number, input) => sum + tokensOf(input), 0)
  const reported = reportedCount(tokens, fault)
  const data = inputs.map((input, index) => {
    const vector = vectorOf(typeof input === "string" ? input : input.join(" "), dimensions)
    return { object: "embedding", index, embedding: write(vector) }
  })
  return {
    json: {
      object: "list",
      data,
      model: stringOf(body.model),
      ...(reported === undefined ? {} : { usage: kind.usage(reported) }),
    },
  }
}

type Input = string | number[]

/**
 * Returns the inputs. Returns undefined if OpenAI rejects them: an empty list, an empty text, or a list of mixed types.
 */
function inputsOf(input: Json | undefined): Input[] | undefined {
  const list = typeof input === "string" || isTokens(input) ? [input] : input
  if (!Array.isArray(list) || list.length === 0) return undefined
  const inputs = list.filter((one) => (typeof one === "string" ? one !== "" : isTokens(one)))
  return inputs.length === list.length ? (inputs as Input[]) : undefined
}

function isTokens(value: Json | undefined): value is number[] {
  return Array.isArray(value) && value.length > 0 && value.every((token) => Number.isInteger(token))
}

function tokensOf(input: Input): number {
  return typeof input === "string" ? countTokens(input) : input.length
}
