import { geminiEmbedding } from "../dialects/embedding/formats/gemini.ts"
import { GEMINI } from "../dialects/gemini/index.ts"
import { googleImages } from "../dialects/image/formats/gemini.ts"
import { geminiSpeech } from "../dialects/speech/formats/gemini.ts"
import { geminiTranscription } from "../dialects/transcription/formats/gemini.ts"
import { geminiBinding } from "./gemini-binding.ts"
import { headerSigner } from "./static-signer.ts"
import type { Vendor } from "./vendor.ts"

const BASE_URL = "https://generativelanguage.googleapis.com"

/** The Gemini API, which accepts an API key (docs/contribute/wire/gemini.md#f1). */
export const GOOGLE: Vendor = {
  id: "google",
  name: "Google Gemini API",
  baseUrl: BASE_URL,
  keyVariables: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
  chat: [geminiBinding(GEMINI, "/v1beta")],
  operations: {
    embedding: geminiEmbedding(GEMINI.decodeError),
    image: googleImages("/v1beta"),
    speech: geminiSpeech(GEMINI.decodeError, "/v1beta"),
    transcription: geminiTranscription(GEMINI.decodeError, "/v1beta"),
  },
  baseUrlOf: ({ baseUrl = BASE_URL }) => baseUrl,
  signer: ({ apiKey }) => headerSigner("x-goog-api-key", apiKey),
  probe: ({ baseUrl = BASE_URL }) => ({
    url: `${baseUrl}/v1beta/models?pageSize=1`,
    list: `${baseUrl}/v1beta/models?pageSize=1000`,
  }),
}
