/** How LiteLLM's prefix of a model names a vendor, by what it is called here. */
export const LITELLM_VENDORS: Readonly<Record<string, string>> = {
  openai: "openai",
  text_completion_openai: "openai",
  azure: "azure",
  anthropic: "anthropic",
  bedrock: "bedrock",
  bedrock_converse: "bedrock",
  vertex_ai: "vertex",
  vertex_ai_beta: "vertex",
  gemini: "google",
  cohere: "cohere",
  cohere_chat: "cohere",
  mistral: "mistral",
  groq: "groq",
  deepseek: "deepseek",
  xai: "xai",
  together_ai: "together",
  fireworks_ai: "fireworks",
  openrouter: "openrouter",
  perplexity: "perplexity",
  cerebras: "cerebras",
  deepinfra: "deepinfra",
  nvidia_nim: "nvidia",
  moonshot: "moonshot",
  huggingface: "huggingface",
  sambanova: "sambanova",
  novita: "novita",
  nebius: "nebius",
  hyperbolic: "hyperbolic",
  baseten: "baseten",
  zai: "zai",
  dashscope: "alibaba",
  vercel_ai_gateway: "vercel",
  ollama: "ollama",
  ollama_chat: "ollama",
  hosted_vllm: "vllm",
  vllm: "vllm",
  lm_studio: "lm-studio",
  voyage: "voyage",
  jina_ai: "jina",
  deepgram: "deepgram",
  elevenlabs: "elevenlabs",
  openai_like: "openai-compatible",
  custom_openai: "openai-compatible",
}

/** Whose a model is that is named without a vendor. */
const BY_NAME: readonly (readonly [RegExp, string])[] = [
  [/^(gpt-|o\d|chatgpt-|text-embedding-|whisper-|tts-|dall-e-|ft:gpt)/, "openai"],
  [/^claude-/, "anthropic"],
  [/^gemini-/, "google"],
  [/^(command-|embed-|rerank-)/, "cohere"],
]

export function vendorOfName(model: string): string | undefined {
  return BY_NAME.find(([pattern]) => pattern.test(model))?.[1]
}
