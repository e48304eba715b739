import type { Exchange } from "../exchange.ts"
import type { Fault } from "../faults.ts"
import { arrayOf, type JsonObject, stringOf } from "../json.ts"
import { answerJson, type Answered, reportedCount, unknownField } from "../json-operation.ts"
import { COHERE } from "../manners.ts"
import { countTokens } from "../tokens.ts"
import { vectorOf } from "./vectors.ts"

const FIELDS =
  "model texts input_type embedding_types output_dimension truncate max_tokens priority".split(" ")
const PURPOSES = ["search_document", "search_query", "classification", "clustering"]
const MAX_TEXTS = 96
const DIMENSIONS = 1536

/** Answers `POST /v2/embed` (docs/contribute/wire/embeddings.md#f5). */
export function answerEmbed(exchange: Exchange): Promise<Response> {
  return answerJson(exchange, () => ({ manner: COHERE, respond }))
}

function respond(body: JsonObject, fault: Fault | undefined): Answered {
  const unknown = unknownField(body, FIELDS)
  if (unknown !== undefined) return { rejected: `unknown field: parameter '${unknown}'` }
  const read = readEmbed(body)
  if ("rejected" in read) return read
  const { texts, vectors } = read
  const tokens = texts.reduce((sum, text) => sum + countTokens(text), 0)
  const reported = reportedCount(tokens, fault)
  return {
    json: {
      id: crypto.randomUUID(),
      texts: texts.map((text) => text.toLowerCase()),
      embeddings: { float: vectors },
      meta: {
        api_version: { version: "2" },
        ...(reported === undefined
          ? {}
          : { billed_units: { input_tokens: reported, image_tokens: 0 } }),
      },
      response_type: "embeddings_by_type",
    },
  }
}

/** Reads the parameters for one of Cohere's models on any platform. */
export function readEmbed(
  body: JsonObject,
): { readonly texts: string[]; readonly vectors: number[][] } | { readonly rejected: string } {
  const texts = arrayOf(body.texts).map((text) => stringOf(text))
  if (texts.length === 0) return { rejected: "invalid request: texts must be set" }
  if (texts.length > MAX_TEXTS) {
    return {
      rejected: `invalid request: total number of texts must be at most ${MAX_TEXTS} - received ${texts.length}`,
    }
  }
  if (!PURPOSES.includes(stringOf(body.input_type))) {
    return { rejected: "invalid request: valid input_type must be provided with the model" }
  }
  const dimensions = typeof body.output_dimension === "number" ? body.output_dimension : DIMENSIONS
  return { texts, vectors: texts.map((text) => vectorOf(text, dimensions)) }
}
