/** Where a vendor of ours is found in the lists. */
export interface VendorSource {
  modelsDev?: string
  genaiPrices?: string
  /** What LiteLLM calls it, or parts of what it offers. */
  liteLlm?: readonly string[]
  /** It sells only what it made, so it owns every model of its list. */
  maker?: true
  /** Names that models.dev does not have are added; elsewhere they are mostly long withdrawn. */
  additions?: true
}

/**
 * Our vendor ids and those of the lists.
 * Left out on purpose: genai-prices has no list for deepinfra and nvidia; its huggingface_* lists
 * price one backend each, while the router picks the backend; its zhipuai list is the cheapest
 * tier of the mainland platform in converted yuan, not what api.z.ai charges in dollars.
 */
export const vendorSources: Record<string, VendorSource> = {
  anthropic: {
    modelsDev: "anthropic",
    genaiPrices: "anthropic",
    maker: true,
    additions: true,
    liteLlm: ["anthropic"],
  },
  azure: { modelsDev: "azure", genaiPrices: "azure", liteLlm: ["azure", "azure_ai"] },
  bedrock: {
    modelsDev: "amazon-bedrock",
    genaiPrices: "aws",
    liteLlm: ["bedrock", "bedrock_converse"],
  },
  cerebras: { modelsDev: "cerebras", genaiPrices: "cerebras", liteLlm: ["cerebras"] },
  cohere: {
    modelsDev: "cohere",
    genaiPrices: "cohere",
    maker: true,
    additions: true,
    liteLlm: ["cohere", "cohere_chat"],
  },
  deepinfra: { modelsDev: "deepinfra", liteLlm: ["deepinfra"] },
  deepseek: {
    modelsDev: "deepseek",
    genaiPrices: "deepseek",
    maker: true,
    additions: true,
    liteLlm: ["deepseek"],
  },
  fireworks: { modelsDev: "fireworks-ai", genaiPrices: "fireworks", liteLlm: ["fireworks_ai"] },
  google: {
    modelsDev: "google",
    genaiPrices: "google",
    maker: true,
    additions: true,
    liteLlm: ["gemini"],
  },
  groq: { modelsDev: "groq", genaiPrices: "groq", liteLlm: ["groq"] },
  huggingface: { modelsDev: "huggingface" },
  mistral: {
    modelsDev: "mistral",
    genaiPrices: "mistral",
    maker: true,
    additions: true,
    liteLlm: ["mistral"],
  },
  moonshot: {
    modelsDev: "moonshotai",
    genaiPrices: "moonshotai",
    maker: true,
    additions: true,
    liteLlm: ["moonshot"],
  },
  nvidia: { modelsDev: "nvidia", liteLlm: ["nvidia_nim"] },
  openai: {
    modelsDev: "openai",
    genaiPrices: "openai",
    maker: true,
    additions: true,
    liteLlm: ["openai"],
  },
  openrouter: { modelsDev: "openrouter", genaiPrices: "openrouter" },
  perplexity: {
    modelsDev: "perplexity",
    genaiPrices: "perplexity",
    maker: true,
    additions: true,
    liteLlm: ["perplexity"],
  },
  together: { modelsDev: "togetherai", genaiPrices: "together", liteLlm: ["together_ai"] },
  vertex: {
    modelsDev: "google-vertex",
    genaiPrices: "google",
    liteLlm: ["vertex_ai-language-models", "vertex_ai-embedding-models", "vertex_ai"],
  },
  voyage: { genaiPrices: "voyageai", maker: true, additions: true, liteLlm: ["voyage"] },
  xai: { modelsDev: "xai", genaiPrices: "x-ai", maker: true, additions: true, liteLlm: ["xai"] },
  zai: { modelsDev: "zai", maker: true, liteLlm: ["zai"] },
}
