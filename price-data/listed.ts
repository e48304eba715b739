import type { ModelFacts } from "./shape.ts"

const gpt62: ModelFacts = {
  kind: "chat",
  created: Date.parse("2026-11-17") / 1000,
  owner: "openai",
  context: 1_050_000,
  max_output: 128_000,
  input: ["text", "image"],
  tools: true,
  reasoning: true,
  efforts: ["low", "medium", "high", "xhigh", "max"],
  temperature: false,
  structured_output: true,
}

/**
 * Models that no list contains and that users need, in US dollars per million units. Each has a link to the page with
 * its price. Only the pages of Perplexity were read (2026-11-22). If a list contains such a model, the list takes
 * precedence.
 */
export const listedModels: Readonly<Record<string, Readonly<Record<string, ModelFacts>>>> = {
  cohere: {
    // Cohere does not publish a price for calls to this model. The reseller sets the price.
    "cohere-transcribe-03-2026": { kind: "transcription", owner: "cohere", input: ["audio"] },
    // cohere.com/pricing: price per thousand searches, each with up to a hundred documents.
    "rerank-english-v3.0": { kind: "rerank", owner: "cohere", price: { search: "2000" } },
    "rerank-multilingual-v3.0": { kind: "rerank", owner: "cohere", price: { search: "2000" } },
    "rerank-v3.5": { kind: "rerank", owner: "cohere", price: { search: "2000" } },
    "rerank-v4.0-fast": { kind: "rerank", owner: "cohere", price: { search: "2000" } },
    "rerank-v4.0-pro": { kind: "rerank", owner: "cohere", price: { search: "2500" } },
  },
  mistral: {
    // mistral.ai/pricing: classifiers are priced per input token.
    "mistral-moderation-2411": { kind: "moderation", owner: "mistral", price: { input: "0.1" } },
    "mistral-moderation-2603": { kind: "moderation", owner: "mistral", price: { input: "0.1" } },
    "mistral-moderation-latest": { kind: "moderation", owner: "mistral", price: { input: "0.1" } },
  },
  openai: {
    // developers.openai.com/api/docs/guides/moderation: the endpoint is free.
    "omni-moderation-2024-09-26": {
      kind: "moderation",
      owner: "openai",
      input: ["image"],
      price: { input: "0" },
    },
    "omni-moderation-latest": {
      kind: "moderation",
      owner: "openai",
      input: ["image"],
      price: { input: "0" },
    },
    // developers.openai.com/api/docs/models/gpt-6.2-astra and gpt-6.2-sol (2026-11-17): above 272,000 input tokens,
    // input costs twice as much and output 1.5 times as much. Cache writes for twelve hours cost 2.5 times the input
    // price. Fast mode, which is called priority here, costs twice as much. Batch and Flex cost half.
    "gpt-6.2-astra": {
      ...gpt62,
      price: {
        input: "8",
        cached_input: "0.4",
        cache_write: "10",
        cache_write_12h: "20",
        output: "40",
        tiers: [
          {
            above: 272_000,
            input: "16",
            cached_input: "0.8",
            cache_write: "20",
            cache_write_12h: "40",
            output: "60",
          },
        ],
        modes: { priority: "2", flex: "0.5", batch: "0.5" },
      },
    },
    "gpt-6.2-sol": {
      ...gpt62,
      price: {
        input: "2",
        cached_input: "0.1",
        cache_write: "2.5",
        cache_write_12h: "5",
        output: "10",
        tiers: [
          {
            above: 272_000,
            input: "4",
            cached_input: "0.2",
            cache_write: "5",
            cache_write_12h: "10",
            output: "15",
          },
        ],
        modes: { priority: "2", flex: "0.5", batch: "0.5" },
      },
    },
    // developers.openai.com/api/docs/pricing: 15 and 30 per million characters, 0.006 per minute.
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
