import type { Price, Rates, Services } from "./shape.ts"

/**
 * The vendors' prices for services in addition to their models, and for service modes, from the vendors' pages on
 * 2026-11-22. Prices are in US dollars per million, also for sessions and calls. If a price depends on the model, this
 * is the highest price. Factors of single models come from models.dev.
 */
export const services: Record<string, Services> = {
  // developers.openai.com/api/docs/pricing: web search costs 10 per 1,000 calls, the preview version 25 for models
  // without reasoning. File search costs 2.50 per 1,000 calls. Containers cost 0.03 for 1 GB and 20 minutes. Flex and
  // batch cost half. For priority, see `modelModes`.
  openai: {
    search: "10000",
    search_premium: "25000",
    file_search: "2500",
    code_session: "30000",
    modes: { priority: "2.5", flex: "0.5", batch: "0.5" },
    // developers.openai.com/api/docs/guides/data-residency: data residency costs 10 % more, for models since gpt-5.4.
    regional: {
      factor: "1.1",
      hosts: ["us", "eu", "ae", "au", "ca", "gb", "in", "jp", "kr", "sg"]
        .map((region) => `${region}.api.openai.com`)
        .join(" "),
      since: "2026-03-05",
    },
  },
  // platform.claude.com/docs/en/about-claude/pricing: web search costs 10 per 1,000 searches. Code costs 0.05 per hour,
  // at least five minutes. Inference in one country costs 1.1 times as much.
  anthropic: {
    search: "10000",
    code_session: "4166.666667",
    modes: { us: "1.1" },
  },
  // ai.google.dev/gemini-api/docs/pricing: searches cost 35 per 1,000 prompts (Gemini 2) or 14 per 1,000 queries
  // (Gemini 3), maps 25 per 1,000 prompts or 14 per 1,000 queries. /docs/optimization: priority costs 75 to 100 % more.
  // Flex costs half, except for the cache reads of some models. If no list has the Flex price of a model, the standard
  // price is charged.
  google: {
    search: "35000",
    map_search: "25000",
    modes: { priority: "2", flex: "1" },
  },
  // cloud.google.com/vertex-ai/generative-ai/pricing
  vertex: {
    search: "35000",
    map_search: "25000",
    modes: { priority: "2", flex: "1" },
  },
  // docs.x.ai/developers/pricing: searches and code cost 5 per 1,000 calls, collections 2.50, attached files 10.
  xai: { search: "5000", search_premium: "10000", file_search: "2500", code_session: "5000" },
  // docs.perplexity.ai/guides/pricing: 1,000 requests with Pro Search cost 22, which is 8 more than without.
  perplexity: { search_premium: "8000" },
  // groq.com/pricing: searches cost up to 8 per 1,000. Code costs 0.18 per hour and is charged by the minute here. Flex
  // costs the same as the standard mode.
  groq: { search: "8000", code_session: "3000", modes: { flex: "1" } },
  // openrouter.ai/docs/guides/features/server-tools/web-search: 4 per 1,000 results, with five results per search.
  openrouter: { search: "20000" },
  // docs.z.ai/guides/overview/pricing: web search costs 0.01 per use.
  zai: { search: "10000" },
  // aws.amazon.com/bedrock/pricing: priority costs 75 % more, flex costs half.
  bedrock: { modes: { priority: "1.75", flex: "0.5" } },
}

/** Models for which a service mode has a different price from most of the vendor's models. The first match applies. */
export const modelModes: readonly {
  vendor: string
  name: RegExp
  modes: Record<string, string>
}[] = [
  // openai.com/api-priority-processing
  { vendor: "openai", name: /^gpt-5\.[0-4]|^gpt-5(-\d|$|-codex|-chat)/, modes: { priority: "2" } },
  { vendor: "openai", name: /^gpt-5-mini/, modes: { priority: "1.8" } },
  { vendor: "openai", name: /^gpt-4\.1-nano/, modes: { priority: "2" } },
  { vendor: "openai", name: /^gpt-4\.1|^gpt-4o-2024-05-13|^o3/, modes: { priority: "1.75" } },
  { vendor: "openai", name: /^o4-mini/, modes: { priority: "1.818182" } },
  { vendor: "openai", name: /^gpt-4o-mini/, modes: { priority: "1.666667" } },
  { vendor: "openai", name: /^gpt-4o/, modes: { priority: "1.7" } },
]

/**
 * Prices that are missing in all lists, from the vendors' own pages. With `listed`, only models with these rates have
 * the price.
 */
export const modelRates: readonly {
  vendor: string
  name: RegExp
  listed?: Rates
  rates: Price
}[] = [
  // ai.google.dev/gemini-api/docs/pricing: models whose searches are billed by query have the same price for maps.
  ...["google", "vertex"].map((vendor) => ({
    vendor,
    name: /^gemini-/,
    listed: { search: "14000" },
    rates: { map_search: "14000" },
  })),
  // docs.perplexity.ai/guides/pricing: reasoning of this model is counted separately from its output.
  { vendor: "perplexity", name: /^sonar-deep-research$/, rates: { reasoning_output: "3" } },
  // console.groq.com/docs/speech-to-text: recordings shorter than 10 seconds are billed as 10 seconds. OpenAI,
  // Deepgram, ElevenLabs and Fireworks document no minimum.
  { vendor: "groq", name: /^(distil-)?whisper-/, rates: { minimum_seconds: "10" } },
]

/** Corrections of wrong rates in lists. A correction applies only while a list still has the wrong value. */
export const mistakenRates: readonly {
  vendor: string
  name: string
  listed: Rates
  rates: Rates
}[] = [
  // cohere.com/pricing, when it still listed Embed 3: 0.10 for each of the four models. LiteLLM lists 1,000 times this
  // price.
  {
    vendor: "cohere",
    name: "embed-multilingual-light-v3.0",
    listed: { input: "100" },
    rates: { input: "0.1" },
  },
  // developers.openai.com/api/docs/models: the pages of the transcription models have a single price for input. Two
  // lists still have an earlier price of audio.
  ...["gpt-4o-transcribe", "gpt-4o-transcribe-diarize"].map((name) => ({
    vendor: "openai",
    name,
    listed: { input: "2.5", audio_input: "6" },
    rates: { audio_input: "2.5" },
  })),
  {
    vendor: "openai",
    name: "gpt-4o-mini-transcribe",
    listed: { input: "1.25", audio_input: "3" },
    rates: { audio_input: "1.25" },
  },
]

/**
 * Vendors whose higher price applies from a round number of tokens, including that number. LiteLLM's field names all
 * say "above". docs.x.ai/developers/models: "200k and above".
 */
export const tiersBegin: ReadonlySet<string> = new Set(["xai"])

/** Names of resold models that search with every response, and whose search price is unknown. */
export const alwaysSearching: readonly { vendor: string; name: RegExp }[] = [
  { vendor: "openrouter", name: /-search-preview|:online$/ },
]
