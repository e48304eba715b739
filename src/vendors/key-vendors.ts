import { isUnbilled } from "../dialects/anthropic-messages/finish.ts"
import { ANTHROPIC_MESSAGES } from "../dialects/anthropic-messages/index.ts"
import { COHERE_CHAT } from "../dialects/cohere-chat/index.ts"
import { cohereEmbedding } from "../dialects/embedding/formats/cohere.ts"
import { geminiEmbedding } from "../dialects/embedding/formats/gemini.ts"
import { openAiEmbedding } from "../dialects/embedding/formats/openai.ts"
import { GEMINI } from "../dialects/gemini/index.ts"
import { googleImages } from "../dialects/image/formats/gemini.ts"
import { STABILITY_IMAGES } from "../dialects/image/formats/stability.ts"
import { OPENAI_CHAT } from "../dialects/openai-chat/index.ts"
import { cohereRerank } from "../dialects/rerank/formats/cohere.ts"
import { jinaRerank } from "../dialects/rerank/formats/jina.ts"
import { deepgramSpeech } from "../dialects/speech/formats/deepgram.ts"
import { ELEVENLABS_SPEECH } from "../dialects/speech/formats/elevenlabs.ts"
import { geminiSpeech } from "../dialects/speech/formats/gemini.ts"
import { cohereTranscription } from "../dialects/transcription/formats/cohere.ts"
import { DEEPGRAM_TRANSCRIPTION } from "../dialects/transcription/formats/deepgram.ts"
import { elevenLabsTranscription } from "../dialects/transcription/formats/elevenlabs.ts"
import { geminiTranscription } from "../dialects/transcription/formats/gemini.ts"
import { ANTHROPIC_VERSION, binding, geminiBinding } from "./bindings.ts"
import { bearerSigner, headerSigner, staticSigner } from "./static-signer.ts"
import type { Vendor } from "./vendor.ts"

/** A vendor with one address, whose only credential is a key. */
interface KeyVendor extends Omit<Vendor, "chat" | "baseUrlOf" | "probe"> {
  readonly baseUrl: string
  /** The dialects; absent if the vendor offers no chat. */
  readonly chat?: Vendor["chat"]
  /**
   * The path of a free request that needs a valid key, and the path of the model list if it differs; absent if the
   * vendor has no such request.
   */
  readonly probe?: { readonly path: string; readonly list?: string }
}

/** Creates the vendor that a row describes. */
export function keyVendor({ probe, ...known }: KeyVendor): Vendor {
  return {
    chat: [],
    ...known,
    baseUrlOf: ({ baseUrl = known.baseUrl }) => baseUrl,
    probe({ baseUrl = known.baseUrl }) {
      if (probe === undefined) return { known: "its key is tried only when a model is called" }
      const { path, list } = probe
      return { url: baseUrl + path, ...(list !== undefined && { list: baseUrl + list }) }
    },
  }
}

/** Vendors with their own formats and a key as their only credential. */
export const KEY_VENDORS: readonly KeyVendor[] = [
  // Anthropic's own API (docs/contribute/wire/anthropic-messages.md).
  {
    id: "anthropic",
    name: "Anthropic",
    baseUrl: "https://api.anthropic.com",
    keyVariables: ["ANTHROPIC_API_KEY"],
    chat: [{ ...binding(ANTHROPIC_MESSAGES, "/v1/messages", ANTHROPIC_VERSION), webSearch: true }],
    isUnbilled,
    signer: ({ apiKey }) => headerSigner("x-api-key", apiKey),
    probe: { path: "/v1/models", list: "/v1/models?limit=1000" },
  },
  // Cohere's API, version 2 (docs.cohere.com/reference/about).
  {
    id: "cohere",
    name: "Cohere",
    baseUrl: "https://api.cohere.com",
    keyVariables: ["COHERE_API_KEY", "CO_API_KEY"],
    chat: [binding(COHERE_CHAT, "/v2/chat")],
    operations: {
      embedding: cohereEmbedding(COHERE_CHAT.decodeError),
      rerank: cohereRerank(COHERE_CHAT.decodeError),
      transcription: cohereTranscription(COHERE_CHAT.decodeError),
    },
    signer: ({ apiKey }) => bearerSigner(apiKey),
    probe: { path: "/v1/models", list: "/v1/models?page_size=1000" },
  },
  // Deepgram (docs/contribute/wire/speech.md#f5 and docs/contribute/wire/transcription.md#f5). It has no chat.
  {
    id: "deepgram",
    name: "Deepgram",
    baseUrl: "https://api.deepgram.com",
    keyVariables: ["DEEPGRAM_API_KEY"],
    operations: {
      speech: deepgramSpeech(DEEPGRAM_TRANSCRIPTION.decodeError),
      transcription: DEEPGRAM_TRANSCRIPTION,
    },
    signer: ({ apiKey }) =>
      staticSigner(apiKey === undefined ? {} : { authorization: `Token ${apiKey}` }),
    probe: { path: "/v1/projects" },
  },
  // ElevenLabs (docs/contribute/wire/speech.md#f3 and docs/contribute/wire/transcription.md#f6). It has no chat.
  {
    id: "elevenlabs",
    name: "ElevenLabs",
    baseUrl: "https://api.elevenlabs.io",
    keyVariables: ["ELEVENLABS_API_KEY", "ELEVEN_API_KEY"],
    operations: {
      speech: ELEVENLABS_SPEECH,
      transcription: elevenLabsTranscription(ELEVENLABS_SPEECH.decodeError),
    },
    signer: ({ apiKey }) => headerSigner("xi-api-key", apiKey),
    probe: { path: "/v1/user" },
  },
  // The Gemini API, which accepts an API key (docs/contribute/wire/gemini.md#f1).
  {
    id: "google",
    name: "Google Gemini API",
    baseUrl: "https://generativelanguage.googleapis.com",
    keyVariables: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    chat: [geminiBinding(GEMINI, "/v1beta")],
    operations: {
      embedding: geminiEmbedding(GEMINI.decodeError),
      image: googleImages("/v1beta"),
      speech: geminiSpeech(GEMINI.decodeError, "/v1beta"),
      transcription: geminiTranscription(GEMINI.decodeError, "/v1beta"),
    },
    signer: ({ apiKey }) => headerSigner("x-goog-api-key", apiKey),
    probe: { path: "/v1beta/models?pageSize=1", list: "/v1beta/models?pageSize=1000" },
  },
  // Jina AI's search foundation (docs/contribute/wire/embeddings.md#f6 and docs/contribute/wire/rerank.md#f1,
  // api.jina.ai/openapi.json). It has no chat.
  {
    id: "jina",
    name: "Jina AI",
    baseUrl: "https://api.jina.ai/v1",
    keyVariables: ["JINA_API_KEY"],
    operations: {
      embedding: openAiEmbedding(OPENAI_CHAT.decodeError, {
        tokens: false,
        // Jina names the encoding differently, and has values for further types of vectors.
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
    signer: ({ apiKey }) => bearerSigner(apiKey),
  },
  // Stability AI's own API, version 2beta (docs/contribute/wire/images.md#f6). It has no chat.
  {
    id: "stability",
    name: "Stability AI",
    baseUrl: "https://api.stability.ai",
    keyVariables: ["STABILITY_API_KEY"],
    operations: { image: STABILITY_IMAGES },
    signer: ({ apiKey }) => bearerSigner(apiKey),
    probe: { path: "/v1/user/balance" },
  },
  // Voyage AI, whose formats are similar to OpenAI's and Jina's (docs/contribute/wire/embeddings.md#f6 and
  // docs/contribute/wire/rerank.md#f1). It has no chat.
  {
    id: "voyage",
    name: "Voyage AI",
    baseUrl: "https://api.voyageai.com/v1",
    keyVariables: ["VOYAGE_API_KEY"],
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
    signer: ({ apiKey }) => bearerSigner(apiKey),
  },
]
