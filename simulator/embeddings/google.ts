import type { Exchange } from "../exchange.ts"
import type { Fault } from "../faults.ts"
import { readCall } from "../gemini/paths.ts"
import { arrayOf, type Json, type JsonObject, objectOf, stringOf } from "../json.ts"
import { answerJson, type Answered, reportedCount } from "../json-operation.ts"
import { GOOGLE } from "../manners.ts"
import { countTokens } from "../tokens.ts"
import { vectorOf } from "./vectors.ts"

const MAX_REQUESTS = 100
const MAX_INSTANCES = 250
const DIMENSIONS = 3072
/** Length of shortened vectors, which Google does not normalize to length one (recorded). */
const SHORTENED_LENGTH = 0.6

/** Answers `:batchEmbedContents` of the Gemini API (docs/contribute/wire/embeddings.md#f3). */
export function answerBatch(exchange: Exchange): Promise<Response> {
  const { model } = readCall(exchange.path)
  const respond = (body: JsonObject, fault: Fault | undefined) => batch(body, model, fault)
  return answerJson(exchange, () => ({ manner: GOOGLE, model, respond }))
}

/** Answers `:predict` of Vertex AI (docs/contribute/wire/embeddings.md#f4). */
export function answerPredict(exchange: Exchange): Promise<Response> {
  const { model } = readCall(exchange.path)
  const respond = (body: JsonObject, fault: Fault | undefined) => predict(body, model, fault)
  return answerJson(exchange, () => ({ manner: GOOGLE, model, respond }))
}

function batch(body: JsonObject, model: string, fault: Fault | undefined): Answered {
  const requests = arrayOf(body.requests).map((request) => objectOf(request))
  if (requests.length === 0) {
    return { rejected: "* BatchEmbedContentsRequest.requests: must not be empty\n" }
  }
  if (requests.length > MAX_REQUESTS) {
    return {
      rejected: `* BatchEmbedContentsRequest.requests: at most ${MAX_REQUESTS} requests can be in one batch\n`,
    }
  }
  if (requests.some((request) => request.model !== `models/${model}`)) {
    return { rejected: "* BatchEmbedContentsRequest.requests: model is not the one of the path\n" }
  }
  const texts = requests.map(({ content }) =>
    arrayOf(objectOf(content).parts)
      .map((part) => stringOf(objectOf(part).text))
      .join(""),
  )
  const reported = reportedCount(tokensOf(texts), fault)
  return {
    json: {
      embeddings: requests.map(({ outputDimensionality }, index) => ({
        values: valuesOf(texts[index] ?? "", outputDimensionality),
      })),
      // `gemini-embedding-001` never reports tokens.
      ...(reported === undefined || model === "gemini-embedding-001"
        ? {}
        : { usageMetadata: { promptTokenCount: reported } }),
    },
  }
}

function predict(body: JsonObject, model: string, fault: Fault | undefined): Answered {
  const texts = arrayOf(body.instances).map((instance) => stringOf(objectOf(instance).content))
  if (texts.length === 0 || texts.includes("")) return { rejected: "The text content is empty." }
  const max = model.startsWith("gemini-") ? 1 : MAX_INSTANCES
  if (texts.length > max)
    return { rejected: `At most ${max} instances are allowed per prediction.` }
  const { outputDimensionality } = objectOf(body.parameters)
  return {
    json: {
      predictions: texts.map((text) => {
        const reported = reportedCount(countTokens(text), fault)
        return {
          embeddings: {
            values: valuesOf(text, outputDimensionality),
            statistics: {
              truncated: false,
              ...(reported === undefined ? {} : { token_count: reported }),
            },
          },
        }
      }),
      metadata: { billableCharacterCount: texts.join("").length },
    },
  }
}

function valuesOf(text: string, dimensions: Json | undefined): number[] {
  if (typeof dimensions !== "number") return vectorOf(text, DIMENSIONS)
  return vectorOf(text, dimensions).map((number) => number * SHORTENED_LENGTH)
}

function tokensOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + countTokens(text), 0)
}
