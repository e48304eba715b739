/** Price lists in the form in which their packages publish them. */
import type { PublishedList } from "../../price-data/packages.ts"
import { vendorSources } from "../../price-data/vendors.ts"

/** The date of each list. */
export const LIST_DATES = {
  "genai-prices": "2026-11-09",
  "models.dev": "2026-09-30",
  LiteLLM: "2026-11-23",
}

/** Returns lists with every vendor. Most vendors have no models. */
export function publishedLists(): PublishedList[] {
  const empty = (key: "modelsDev" | "genaiPrices"): string[] =>
    Object.values(vendorSources).flatMap((source) => source[key] ?? [])
  const chat = { modalities: { input: ["text"], output: ["text"] } }
  const modelsDev: Record<string, { models: object }> = Object.fromEntries(
    empty("modelsDev").map((id) => [id, { models: {} }]),
  )
  modelsDev["openai"] = {
    models: {
      "gpt-a": { ...chat, release_date: "2026-01-01", cost: { input: 2, output: 8 } },
      "gpt-old": { ...chat, status: "deprecated", cost: { input: 2, output: 8 } },
      "gpt-ending": { ...chat, status: "deprecated", cost: { input: 2, output: 8 } },
      "gpt-zero": { ...chat, cost: { input: 0, output: 0 } },
    },
  }
  modelsDev["perplexity"] = {
    models: { "sonar-new": { ...chat, release_date: "2026-01-01", cost: { input: 1, output: 2 } } },
  }
  const genaiPrices = [...new Set(empty("genaiPrices"))].map((id) => ({
    id,
    models: [] as unknown[],
  }))
  const quote = (id: string, prices: object): object => ({ id, match: { equals: id }, prices })
  genaiPrices
    .find(({ id }) => id === "openai")
    ?.models.push(
      quote("gpt-a", { input_mtok: 3, output_mtok: 9 }),
      quote("gpt-b", { input_mtok: 1, output_mtok: 4, cache_read_mtok: 0.1 }),
      quote("gpt-misspelt", { input_mtok: 1, output_mtok: 4 }),
      quote("gpt-ending", [
        { prices: { input_mtok: 2, output_mtok: 8 } },
        { prices: { input_mtok: 4 }, constraint: { start_date: "2026-12-01" } },
      ]),
    )
  genaiPrices
    .find(({ id }) => id === "perplexity")
    ?.models.push(quote("sonar-new", { input_mtok: 1, output_mtok: 2, requests_kcount: 12 }))
  const openai = { litellm_provider: "openai", mode: "chat" }
  const liteLlm = {
    "gpt-a": { ...openai, input_cost_per_token: 3e-6, output_cost_per_token: 9e-6 },
    "gpt-b": {
      ...openai,
      input_cost_per_token: 1e-6,
      output_cost_per_token: 4e-6,
      output_cost_per_token_priority: 8e-6,
      input_cost_per_token_flex: 0.5e-6,
      output_cost_per_token_flex: 2e-6,
      cache_read_input_token_cost_flex: 0.1e-6,
      input_cost_per_token_above_200k_tokens_flex: 1e-6,
      input_cost_per_token_above_200k_tokens: 2e-6,
      output_cost_per_token_above_200k_tokens: 6e-6,
      supports_vision: true,
    },
    "gpt-ending": { ...openai, deprecation_date: "2027-01-01", input_cost_per_token: 2e-6 },
    "gpt-zero": { ...openai, input_cost_per_token: 1e-6, output_cost_per_token: 1e-6 },
    "low/1024-x-1024/gpt-image": {
      ...openai,
      mode: "image_generation",
      output_cost_per_image: 0.01,
    },
    "image-1": { ...openai, mode: "image_generation", output_cost_per_image: 0.04 },
    "perplexity/sonar-new": {
      litellm_provider: "perplexity",
      mode: "chat",
      input_cost_per_token: 1e-6,
      output_cost_per_token: 2e-6,
      search_context_cost_per_query: {
        search_context_size_low: 0.005,
        search_context_size_medium: 0.008,
        search_context_size_high: 0.012,
      },
    },
  }
  const azure = { litellm_provider: "azure", mode: "chat", input_cost_per_token: 1e-6 }
  const priced = { ...azure, output_cost_per_token: 2e-6 }
  const alone = {
    "azure/gpt-dated": { ...priced, deprecation_date: "2027-01-01" },
    "azure/gpt-ended": { ...priced, deprecation_date: "2026-01-01", source: "https://a.test" },
    "azure/gpt-sourced": { ...priced, source: "https://a.test/prices" },
    "azure/gpt-unsourced": priced,
    "azure/GPT-Listed": { ...priced, source: "https://a.test/prices" },
    "dashscope/qwen-ranges": {
      ...priced,
      litellm_provider: "dashscope",
      deprecation_date: "2027-01-01",
      input_cost_per_token: undefined,
      output_cost_per_token: undefined,
      tiered_pricing: [
        { range: [32_000, 128_000], input_cost_per_token: 2e-6, output_cost_per_token: 6e-6 },
        { range: [0, 32_000], input_cost_per_token: 1e-6, output_cost_per_token: 3e-6 },
      ],
    },
    "deepgram/voice": { litellm_provider: "deepgram", input_cost_per_character: 3e-5 },
    "deepgram/ears": {
      litellm_provider: "deepgram",
      mode: "audio_transcription",
      input_cost_per_second: 1e-4,
    },
    "xai/bge-embed": { ...priced, litellm_provider: "xai", mode: "embedding" },
  }
  Object.assign(liteLlm, alone)
  modelsDev["azure"] = { models: { "gpt-listed": { ...chat, cost: { input: 1, output: 2 } } } }
  modelsDev["vercel"] = {
    models: {
      "a/free-of-charge": { ...chat, cost: { input: 0, output: 0 } },
      "a/b-free": { ...chat, cost: { input: 0, output: 0 } },
    },
  }
  const contents = { "models.dev": modelsDev, "genai-prices": genaiPrices, LiteLLM: liteLlm }
  return Object.entries(contents).map(([name, content]) => {
    return {
      name,
      package: `${name} 1`,
      date: LIST_DATES[name as keyof typeof LIST_DATES],
      content,
    }
  })
}
