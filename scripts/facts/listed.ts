import type { ModelFacts } from "./shape.ts"

/**
 * Models that neither source lists and that people ask for; in US dollars per million units. Each has the page
 * with its price; only Perplexity's was read (2026-11-22). Once a source lists one, the source counts.
 */
export const listedModels: Readonly<Record<string, Readonly<Record<string, ModelFacts>>>> = {
  cohere: {
    // Cohere publishes no price for calls of it; the reseller sets one.
    "cohere-transcribe-03-2026": { kind: "transcription", owner: "cohere", input: ["audio"] },
    // cohere.com/pricing: searches of up to a hundred documents, by the thousand.
    "rerank-english-v3.0": { kind: "rerank", owner: "cohere", price: { search: "2000" } },
    "rerank-multilingual-v3.0": { kind: "rerank", owner: "cohere", price: { search: "2000" } },
    "rerank-v3.5": { kind: "rerank", owner: "cohere", price: { search: "2000" } },
    "rerank-v4.0-fast": { kind: "rerank", owner: "cohere", price: { search: "2000" } },
    "rerank-v4.0-pro": { kind: "rerank", owner: "cohere", price: { search: "2500" } },
  },
  openai: {
    // developers.openai.com/api/docs/pricing: 15 and 30 per million characters, 0.006 a minute.
    "tts-1": { kind: "speech", owner: "openai", price: { character: "15" } },
    "tts-1-hd": { kind: "speech", owner: "openai", price: { character: "30" } },
    "whisper-1": {
      kind: "transcription",
      owner: "openai",
      input: ["audio"],
      price: { second: "100" },
    },
  },
  perplexity: {
    // docs.perplexity.ai/docs/embeddings/standard-embeddings
    "pplx-embed-v1-0.6b": {
      kind: "embedding",
      owner: "perplexity",
      context: 32_000,
      price: { input: "0.004" },
    },
    "pplx-embed-v1-4b": {
      kind: "embedding",
      owner: "perplexity",
      context: 32_000,
      price: { input: "0.03" },
    },
  },
}
