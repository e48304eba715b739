import { openAiEmbedding } from "../dialects/embedding/formats/openai.ts"
import { OPENAI_CHAT } from "../dialects/openai-chat/index.ts"
import { jinaRerank } from "../dialects/rerank/formats/jina.ts"
import { bearerSigner } from "./static-signer.ts"
import type { Vendor } from "./vendor.ts"

const BASE_URL = "https://api.jina.ai/v1"

/**
 * Jina AI's search foundation (docs/contribute/wire/embeddings.md#f6 and docs/contribute/wire/rerank.md#f1,
 * api.jina.ai/openapi.json). It has no chat.
 */
export const JINA: Vendor = {
  id: "jina",
  name: "Jina AI",
  baseUrl: BASE_URL,
  keyVariables: ["JINA_API_KEY"],
  chat: [],
  operations: {
    embedding: openAiEmbedding(OPENAI_CHAT.decodeError, {
      tokens: false,
      // Jina uses another name for the encoding, with values for other types of vectors too.
      base64: false,
      user: false,
      purpose: {
        field: "task",
        words: {
          query: "retrieval.query",
          document: "retrieval.passage",
          similarity: "text-matching",
          classification: "classification",
          clustering: "separation",
        },
      },
    }),
    rerank: jinaRerank(OPENAI_CHAT.decodeError),
  },
  baseUrlOf: ({ baseUrl = BASE_URL }) => baseUrl,
  signer: ({ apiKey }) => bearerSigner(apiKey),
  probe: () => ({ known: "its key is tried only when a model is called" }),
}
