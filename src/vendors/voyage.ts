import { openAiEmbedding } from "../dialects/embedding/formats/openai.ts"
import { OPENAI_CHAT } from "../dialects/openai-chat/index.ts"
import { jinaRerank } from "../dialects/rerank/formats/jina.ts"
import { bearerSigner } from "./static-signer.ts"
import type { Vendor } from "./vendor.ts"

const BASE_URL = "https://api.voyageai.com/v1"

/**
 * Voyage AI, whose formats are similar to OpenAI's and Jina's (docs/contribute/wire/embeddings.md#f6 and
 * docs/contribute/wire/rerank.md#f1). It has no chat.
 */
export const VOYAGE: Vendor = {
  id: "voyage",
  name: "Voyage AI",
  baseUrl: BASE_URL,
  keyVariables: ["VOYAGE_API_KEY"],
  chat: [],
  operations: {
    embedding: openAiEmbedding(OPENAI_CHAT.decodeError, {
      maxInputs: 128,
      tokens: false,
      dimensionsField: "output_dimension",
      user: false,
      purpose: { field: "input_type", words: { query: "query", document: "document" } },
    }),
    rerank: jinaRerank(OPENAI_CHAT.decodeError, { limitField: "top_k", resultsField: "data" }),
  },
  baseUrlOf: ({ baseUrl = BASE_URL }) => baseUrl,
  signer: ({ apiKey }) => bearerSigner(apiKey),
  probe: () => ({ known: "its key is tried only when a model is called" }),
}
