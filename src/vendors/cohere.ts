import { COHERE_CHAT } from "../dialects/cohere-chat/index.ts"
import { cohereEmbedding } from "../dialects/embedding/formats/cohere.ts"
import { cohereRerank } from "../dialects/rerank/formats/cohere.ts"
import { cohereTranscription } from "../dialects/transcription/formats/cohere.ts"
import { binding } from "./bindings.ts"
import { bearerSigner } from "./static-signer.ts"
import type { Vendor } from "./vendor.ts"

const BASE_URL = "https://api.cohere.com"

/** Cohere's API, version 2 (docs.cohere.com/reference/about). */
export const COHERE: Vendor = {
  id: "cohere",
  name: "Cohere",
  baseUrl: BASE_URL,
  keyVariables: ["COHERE_API_KEY", "CO_API_KEY"],
  chat: [binding(COHERE_CHAT, "/v2/chat")],
  operations: {
    embedding: cohereEmbedding(COHERE_CHAT.decodeError),
    rerank: cohereRerank(COHERE_CHAT.decodeError),
    transcription: cohereTranscription(COHERE_CHAT.decodeError),
  },
  baseUrlOf: ({ baseUrl = BASE_URL }) => baseUrl,
  signer: ({ apiKey }) => bearerSigner(apiKey),
  probe: ({ baseUrl = BASE_URL }) => ({
    url: `${baseUrl}/v1/models`,
    list: `${baseUrl}/v1/models?page_size=1000`,
  }),
}
