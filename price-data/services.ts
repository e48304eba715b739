import type { Price, Rates, Services } from "./shape.ts"

/**
 * The vendors' prices for services besides their models, and for modes of service, in US dollars per million (sessions
 * and calls alike), from their own pages on 2026-11-22. If a price depends on the model, this is the highest: models'
 * own factors come from models.dev.
 */
export const services: Record<string, Services> = {
  // developers.openai.com/api/docs/pricing: web search 10 per 1,000 calls; the preview for models that do not reason
  // 25; file search 2.50 per 1,000; containers 0.03 for 1 GB and 20 minutes. Flex and batch cost half; for priority
  // see `modelModes`.
  openai: {
    search: "10000",
    search_premium: "25000",
    file_search: "2500",
    code_session: "30000",
    modes: { priority: "2.5", flex: "0.5", batch: "0.5" },
    // The same page: data residency in one region costs 10 % more, for models since gpt-5.4.
    regional: { factor: "1.1", hosts: "us.api.openai.com eu.api.openai.com", since: "2026-03-05" },
  },
  // platform.claude.com/docs/en/about-claude/pricing: web search 10 per 1,000; code 0.05 an hour, five
  // minutes at least; inference in one country 1.1 times.
  anthropic: {
    search: "10000",
    code_session: "4166.666667",
    modes: { us: "1.1" },
  },
  // ai.google.dev/gemini-api/docs/pricing: searches 35 per 1,000 prompts (Gemini 2) or 14 per 1,000 queries
  // (Gemini 3), maps 25 per 1,000. /docs/optimization: priority 75 to 100 % more, flex a half, but not of the cache reads
  // of all models. A model whose Flex price no list has is charged at the standard price.
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
  // docs.x.ai/developers/pricing: searches and code 5 per 1,000 calls, collections 2.50.
  xai: { search: "5000", file_search: "2500", code_session: "5000" },
  // docs.perplexity.ai/guides/pricing: a request with Pro Search 22 per 1,000, 8 more than without.
  perplexity: { search_premium: "8000" },
  // groq.com/pricing: searches up to 8 per 1,000; code 0.18 an hour, here by the minute. Flex costs the same.
  groq: { search: "8000", code_session: "3000", modes: { flex: "1" } },
  // openrouter.ai/docs/guides/features/server-tools/web-search: 4 per 1,000 results, five for a search.
  openrouter: { search: "20000" },
  // docs.z.ai/guides/overview/pricing: web search 0.01 a use.
  zai: { search: "10000" },
  // aws.amazon.com/bedrock/pricing: priority 75 % more, flex a half.
  bedrock: { modes: { priority: "1.75", flex: "0.5" } },
}

/** Models with another price for a mode of service than most of their vendor's; the first match counts. */
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

/** Prices that are missing in all lists, from the vendor's own page. */
export const modelRates: readonly { vendor: string; name: RegExp; rates: Price }[] = [
  // docs.perplexity.ai/guides/pricing: its reasoning is counted separately from its output.
  { vendor: "perplexity", name: /^sonar-deep-research$/, rates: { reasoning_output: "3" } },
  // console.groq.com/docs/speech-to-text: shorter recordings are billed as 10 seconds. OpenAI, Deepgram,
  // ElevenLabs and Fireworks document no minimum.
  { vendor: "groq", name: /^(distil-)?whisper-/, rates: { minimum_seconds: "10" } },
]

/** Corrections of wrong listed rates. They apply only while the list still has the wrong value. */
export const mistakenRates: readonly {
  vendor: string
  name: string
  listed: Rates
  rates: Rates
}[] = [
  // cohere.com/pricing, while it listed Embed 3: 0.10 for each of its four models. LiteLLM has 1,000 times this price.
  {
    vendor: "cohere",
    name: "embed-multilingual-light-v3.0",
    listed: { input: "100" },
    rates: { input: "0.1" },
  },
  // developers.openai.com/api/docs/models: the pages of the transcription models have one price for input. Two lists
  // still have an earlier price of audio.
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
 * Vendors whose higher price begins at a round number of tokens, not above it. LiteLLM's names all say "above".
 * docs.x.ai/developers/models: "200k and above".
 */
export const tiersBegin: ReadonlySet<string> = new Set(["xai"])

/** Names under which a reseller sells models that search with every answer, at no known price. */
export const alwaysSearching: readonly { vendor: string; name: RegExp }[] = [
  { vendor: "openrouter", name: /-search-preview|:online$/ },
]
