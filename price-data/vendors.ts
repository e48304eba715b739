/** The names of one of the gateway's vendors in the lists. */
export interface VendorSource {
  modelsDev?: string
  genaiPrices?: string
  /** LiteLLM's names for the vendor, or for parts of its offering. */
  liteLlm?: readonly string[]
  /** The organization, if the vendor sells only models of this organization. */
  maker?: string
  /**
   * Set if names are added that models.dev does not list. At other vendors, most of these names were withdrawn long
   * ago.
   */
  additions?: true
  /** Set if a name is added that only LiteLLM lists, if the entry links to the page with the price. */
  sourced?: true
  /** Names of free models. For other models, a listed price of 0 means that the price is unknown. */
  free?: RegExp
  /** Set if the lists contain prices in another currency but label them as dollars. */
  unconverted?: Unconverted
}

/** Prices in another currency that a list labels as dollars. */
interface Unconverted {
  /** Dollars for one unit of the currency. models.dev uses this rate for the vendor's newer prices. */
  rate: string
  /** Matches models whose prices models.dev has already converted. */
  converted: RegExp
}

/**
 * The gateway's vendor ids, with their names in the lists. Some names are missing on purpose. genai-prices has no list
 * for deepinfra and nvidia. Its huggingface_* lists each have the prices of one backend, but a request to huggingface
 * may use any backend. The list of the backend Hyperbolic has Hyperbolic's own prices, because Hugging Face adds no
 * margin. Its zhipuai list has only the cheapest tier. models.dev lists 0 for Tencent's own models. Prices in yuan are
 * converted by the lists.
 */
export const vendorSources: Record<string, VendorSource> = {
  alibaba: { modelsDev: "alibaba", liteLlm: ["dashscope"] },
  anthropic: {
    modelsDev: "anthropic",
    genaiPrices: "anthropic",
    maker: "anthropic",
    additions: true,
    liteLlm: ["anthropic"],
  },
  azure: {
    modelsDev: "azure",
    genaiPrices: "azure",
    sourced: true,
    liteLlm: ["azure", "azure_ai"],
  },
  baseten: { modelsDev: "baseten", genaiPrices: "baseten", additions: true, liteLlm: ["baseten"] },
  bedrock: {
    modelsDev: "amazon-bedrock",
    genaiPrices: "aws",
    liteLlm: ["bedrock", "bedrock_converse"],
  },
  cerebras: { modelsDev: "cerebras", genaiPrices: "cerebras", liteLlm: ["cerebras"] },
  cloudflare: {
    modelsDev: "cloudflare-workers-ai",
    genaiPrices: "cloudflare",
    additions: true,
  },
  cohere: {
    modelsDev: "cohere",
    genaiPrices: "cohere",
    maker: "cohere",
    additions: true,
    liteLlm: ["cohere", "cohere_chat"],
  },
  databricks: {
    modelsDev: "databricks",
    genaiPrices: "databricks",
    additions: true,
    liteLlm: ["databricks"],
  },
  deepgram: { maker: "deepgram", liteLlm: ["deepgram"] },
  deepinfra: { modelsDev: "deepinfra", liteLlm: ["deepinfra"] },
  deepseek: {
    modelsDev: "deepseek",
    genaiPrices: "deepseek",
    maker: "deepseek",
    additions: true,
    liteLlm: ["deepseek"],
  },
  elevenlabs: { maker: "elevenlabs", liteLlm: ["elevenlabs"] },
  fireworks: {
    modelsDev: "fireworks-ai",
    genaiPrices: "fireworks",
    sourced: true,
    additions: true,
    liteLlm: ["fireworks_ai"],
  },
  google: {
    modelsDev: "google",
    genaiPrices: "google",
    maker: "google",
    additions: true,
    liteLlm: ["gemini"],
  },
  groq: { modelsDev: "groq", genaiPrices: "groq", liteLlm: ["groq"] },
  huggingface: { modelsDev: "huggingface" },
  hyperbolic: { genaiPrices: "huggingface_hyperbolic", additions: true },
  jina: { maker: "jina", liteLlm: ["jina_ai"] },
  minimax: {
    modelsDev: "minimax",
    genaiPrices: "minimax",
    maker: "minimax",
    additions: true,
    liteLlm: ["minimax"],
  },
  mistral: {
    modelsDev: "mistral",
    genaiPrices: "mistral",
    maker: "mistral",
    additions: true,
    sourced: true,
    liteLlm: ["mistral"],
  },
  moonshot: {
    modelsDev: "moonshotai",
    genaiPrices: "moonshotai",
    maker: "moonshot",
    additions: true,
    liteLlm: ["moonshot"],
  },
  "moonshot-cn": { modelsDev: "moonshotai-cn", maker: "moonshot" },
  nebius: { modelsDev: "nebius", liteLlm: ["nebius"] },
  novita: { modelsDev: "novita-ai", genaiPrices: "novita", additions: true, liteLlm: ["novita"] },
  nvidia: { modelsDev: "nvidia", liteLlm: ["nvidia_nim"] },
  openai: {
    modelsDev: "openai",
    genaiPrices: "openai",
    maker: "openai",
    additions: true,
    liteLlm: ["openai"],
  },
  openrouter: { modelsDev: "openrouter", genaiPrices: "openrouter" },
  ovhcloud: { modelsDev: "ovhcloud", genaiPrices: "ovhcloud" },
  perplexity: {
    modelsDev: "perplexity",
    genaiPrices: "perplexity",
    maker: "perplexity",
    additions: true,
    liteLlm: ["perplexity"],
  },
  requesty: { modelsDev: "requesty", free: /[:-]free$/ },
  sambanova: { sourced: true, liteLlm: ["sambanova"] },
  // LiteLLM's prices are in euros. models.dev's prices are in euros too, except for the newest models.
  scaleway: {
    modelsDev: "scaleway",
    liteLlm: ["scaleway"],
    unconverted: { rate: "1.17", converted: /^(qwen3\.8|deepseek-v4)/ },
  },
  siliconflow: { modelsDev: "siliconflow" },
  snowflake: { modelsDev: "snowflake-cortex", liteLlm: ["snowflake"] },
  stability: { maker: "stability", liteLlm: ["stability"] },
  stepfun: { modelsDev: "stepfun", maker: "stepfun" },
  tencent: { sourced: true, liteLlm: ["tencent"] },
  together: {
    modelsDev: "togetherai",
    genaiPrices: "together",
    sourced: true,
    liteLlm: ["together_ai"],
  },
  upstage: { modelsDev: "upstage", maker: "upstage" },
  vercel: { modelsDev: "vercel", liteLlm: ["vercel_ai_gateway"], free: /-free$/ },
  vertex: {
    modelsDev: "google-vertex",
    genaiPrices: "google",
    liteLlm: ["vertex_ai-language-models", "vertex_ai-embedding-models", "vertex_ai"],
  },
  volcengine: { modelsDev: "volcengine", sourced: true, liteLlm: ["volcengine"] },
  voyage: { genaiPrices: "voyageai", maker: "voyage", additions: true, liteLlm: ["voyage"] },
  xai: { modelsDev: "xai", genaiPrices: "x-ai", maker: "xai", additions: true, liteLlm: ["xai"] },
  xiaomi: { modelsDev: "xiaomi", maker: "xiaomi", liteLlm: ["xiaomi_mimo"] },
  zai: { modelsDev: "zai", maker: "zai", liteLlm: ["zai"] },
  zhipu: { modelsDev: "zhipuai", maker: "zai", liteLlm: ["bigmodel"] },
}
