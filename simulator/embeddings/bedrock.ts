import type { Exchange } from "../exchange.ts"
import type { Fault } from "../faults.ts"
import { type JsonObject, stringOf } from "../json.ts"
import { answerJson, type Answered, reportedCount, unknownField } from "../json-operation.ts"
import { bedrockManner } from "../manners.ts"
import { countTokens } from "../tokens.ts"
import { readEmbed } from "./cohere.ts"
import { vectorOf } from "./vectors.ts"

const TITAN_FIELDS = ["inputText", "dimensions", "normalize", "embeddingTypes"]
const COHERE_FIELDS = "texts input_type embedding_types output_dimension truncate max_tokens".split(
  " ",
)
const TITAN_DIMENSIONS = [256, 512, 1024]

/**
 * Answers `InvokeModel` for Titan's and Cohere's embedding models (docs/contribute/wire/embeddings.md#f7, the Bedrock
 * User Guide).
 */
export function answerInvoke(exchange: Exchange, model: string): Promise<Response> {
  let tokens: number | undefined
  const manner = bedrockManner(() =>
    tokens === undefined ? {} : { "x-amzn-bedrock-input-token-count": String(tokens) },
  )
  const respond = (body: JsonObject, fault: Fault | undefined): Answered => {
    tokens = reportedCount(countTokens(textOf(body)), fault)
    return model.includes("cohere.") ? cohere(body) : titan(body, model, tokens)
  }
  return answerJson(exchange, () => ({ manner, model, respond }))
}

function textOf(body: JsonObject): string {
  return Array.isArray(body.texts) ? body.texts.join(" ") : stringOf(body.inputText)
}

function cohere(body: JsonObject): Answered {
  const unknown = unknownField(body, COHERE_FIELDS)
  if (unknown !== undefined) return malformed(unknown)
  const read = readEmbed(body)
  if ("rejected" in read) return read
  const { texts, vectors } = read
  const isByType = Array.isArray(body.embedding_types)
  return {
    json: {
      id: crypto.randomUUID(),
      texts,
      embeddings: isByType ? { float: vectors } : vectors,
      response_type: isByType ? "embeddings_by_type" : "embeddings_floats",
    },
  }
}

function titan(body: JsonObject, model: string, tokens: number | undefined): Answered {
  const isFlexible = model.includes("v2")
  const unknown = unknownField(body, isFlexible ? TITAN_FIELDS : ["inputText"])
  if (unknown !== undefined) return malformed(unknown)
  const text = stringOf(body.inputText)
  if (text === "") return { rejected: "Malformed input request: expected minLength: 1, actual: 0" }
  const { dimensions = isFlexible ? 1024 : 1536 } = body
  if (isFlexible && !TITAN_DIMENSIONS.includes(Number(dimensions))) {
    return { rejected: "Malformed input request: dimensions is not one of 256, 512, 1024" }
  }
  const reported = tokens === undefined ? {} : { inputTextTokenCount: tokens }
  return { json: { embedding: vectorOf(text, Number(dimensions)), ...reported } }
}

function malformed(field: string): Answered {
  return { rejected: `Malformed input request: #: extraneous key [${field}] is not permitted` }
}
