/** Where a vendor of ours is found in the two sources. */
export interface VendorSource {
  modelsDev?: string
  genaiPrices?: string
  /** It sells only what it made, so it owns every model of its list. */
  maker?: true
  /** Names that only genai-prices knows are added; elsewhere they are mostly long withdrawn. */
  additions?: true
  /** genai-prices leaves old records of its list as they were, so the higher price is taken. */
  stale?: true
}

/**
 * Our vendor ids and the sources' ids.
 * Left out on purpose: genai-prices has no list for deepinfra and nvidia; its huggingface_* lists
 * price one backend each, while the router picks the backend; its zhipuai list is the cheapest
 * tier of the mainland platform in converted yuan, not what api.z.ai charges in dollars.
 */
export const vendorSources: Record<string, VendorSource> = {
  anthropic: { modelsDev: "anthropic", genaiPrices: "anthropic", maker: true, additions: true },
  azure: { modelsDev: "azure", genaiPrices: "azure" },
  bedrock: { modelsDev: "amazon-bedrock", genaiPrices: "aws" },
  cerebras: { modelsDev: "cerebras", genaiPrices: "cerebras" },
  cohere: { modelsDev: "cohere", genaiPrices: "cohere", maker: true, additions: true },
  deepinfra: { modelsDev: "deepinfra" },
  deepseek: { modelsDev: "deepseek", genaiPrices: "deepseek", maker: true, additions: true },
  fireworks: { modelsDev: "fireworks-ai", genaiPrices: "fireworks" },
  google: { modelsDev: "google", genaiPrices: "google", maker: true, additions: true },
  groq: { modelsDev: "groq", genaiPrices: "groq" },
  huggingface: { modelsDev: "huggingface" },
  mistral: { modelsDev: "mistral", genaiPrices: "mistral", maker: true, additions: true },
  moonshot: { modelsDev: "moonshotai", genaiPrices: "moonshotai", maker: true, additions: true },
  nvidia: { modelsDev: "nvidia" },
  openai: { modelsDev: "openai", genaiPrices: "openai", maker: true, additions: true },
  openrouter: { modelsDev: "openrouter", genaiPrices: "openrouter", stale: true },
  perplexity: { modelsDev: "perplexity", genaiPrices: "perplexity", maker: true, additions: true },
  together: { modelsDev: "togetherai", genaiPrices: "together", stale: true },
  vertex: { modelsDev: "google-vertex", genaiPrices: "google" },
  voyage: { genaiPrices: "voyageai", maker: true, additions: true },
  xai: { modelsDev: "xai", genaiPrices: "x-ai", maker: true, additions: true },
  zai: { modelsDev: "zai", maker: true },
}
