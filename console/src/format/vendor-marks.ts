/**
 * The drawing of each vendor in `@lobehub/icons-static-svg`, by the id of the vendor; null if the package has none. The
 * build copies these drawings to `marks/<vendor>.svg`.
 */
export const VENDOR_MARKS: Readonly<Record<string, string | null>> = {
  alibaba: "alibabacloud",
  anthropic: "anthropic",
  azure: "azure",
  baseten: "baseten",
  bedrock: "bedrock",
  cerebras: "cerebras",
  cloudflare: "cloudflare",
  cohere: "cohere",
  databricks: "dbrx",
  deepgram: null,
  deepinfra: "deepinfra",
  deepseek: "deepseek",
  elevenlabs: "elevenlabs",
  fireworks: "fireworks",
  google: "gemini",
  groq: "groq",
  huggingface: "huggingface",
  hyperbolic: "hyperbolic",
  jina: "jina",
  litellm: null,
  "llama-cpp": null,
  "lm-studio": "lmstudio",
  minimax: "minimax",
  mistral: "mistral",
  moonshot: "moonshot",
  "moonshot-cn": "moonshot",
  nebius: "nebius",
  novita: "novita",
  nvidia: "nvidia",
  ollama: "ollama",
  openai: "openai",
  "openai-compatible": null,
  openrouter: "openrouter",
  ovhcloud: null,
  perplexity: "perplexity",
  requesty: null,
  sambanova: "sambanova",
  scaleway: null,
  siliconflow: "siliconcloud",
  snowflake: "snowflake",
  stability: "stability",
  stepfun: "stepfun",
  tencent: "tencentcloud",
  together: "together",
  tollgate: null,
  upstage: "upstage",
  vercel: "vercel",
  vertex: "vertexai",
  vllm: "vllm",
  volcengine: "volcengine",
  voyage: "voyage",
  xai: "xai",
  xiaomi: "xiaomimimo",
  zai: "zai",
  zhipu: "zhipu",
}

/** Vendors, the longest id first, so that `openai-compatible-2` is not taken for `openai`. */
const LONGEST_FIRST = Object.keys(VENDOR_MARKS).toSorted(
  (left, right) => right.length - left.length,
)

/**
 * Returns the vendor whose mark represents a provider; undefined if it has no mark.
 * @param vendor the vendor of the provider, if known. Otherwise, the id of the provider must be the vendor's id, also
 *   with a suffix: `openai-eu`.
 */
export function markedVendor(provider: string, vendor?: string): string | undefined {
  const own =
    vendor ?? LONGEST_FIRST.find((id) => provider === id || provider.startsWith(`${id}-`)) ?? ""
  return typeof VENDOR_MARKS[own] === "string" ? own : undefined
}

/** Returns the provider of a model's id, or the id itself if it names no provider. */
export function providerOfModel(model: string): string {
  return model.split("/", 1)[0] ?? model
}

/** Returns the letter or digit that represents a provider without a mark. */
export function monogramOf(provider: string): string {
  return /[\p{L}\p{N}]/u.exec(provider)?.[0].toUpperCase() ?? "?"
}
