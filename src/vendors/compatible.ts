import { SEPARATE_REASONING } from "../canon/separate-reasoning.ts"
import {
  OPENAI_EMBEDDING_QUIRKS,
  type OpenAiEmbeddingQuirks,
} from "../dialects/embedding/formats/openai.ts"
import { FIREWORKS_IMAGES } from "../dialects/image/formats/fireworks.ts"
import { openAiImages } from "../dialects/image/formats/openai.ts"
import { OPENAI_FAMILIES } from "../dialects/image/formats/openai-families.ts"
import { OPENROUTER_IMAGES } from "../dialects/image/formats/openrouter.ts"
import { TOGETHER_IMAGES } from "../dialects/image/formats/together.ts"
import { XAI_IMAGES } from "../dialects/image/formats/xai.ts"
import type { ClosedSchema } from "../dialects/openai-chat/quirks/closed-schema.ts"
import { OPENAI_QUIRKS, type OpenAiChatQuirks } from "../dialects/openai-chat/quirks/index.ts"
import type { OpenAiResponsesQuirks } from "../dialects/openai-responses/index.ts"
import type { JinaRerankQuirks } from "../dialects/rerank/formats/jina.ts"
import {
  GROQ_SOUND,
  MISTRAL_SOUND,
  OPENAI_SOUND,
  OPEN_SOUND,
  OPENROUTER_SOUND,
  type SoundOperations,
  XAI_SOUND,
} from "./sound.ts"
import type { ImageFormat } from "../canon/image.ts"

/** One vendor whose servers speak `openai-chat`. */
export interface CompatibleRow {
  readonly id: string
  readonly name: string
  /** Absent: every provider has to give its own. */
  readonly baseUrl?: string
  /** The main one first; none where no key is needed. */
  readonly keyVariables: readonly string[]
  /** Differences from most compatible vendors. */
  readonly quirks?: Partial<OpenAiChatQuirks>
  /**
   * Present where it also speaks `openai-responses`, at the same base address: differences from OpenAI. Custom
   * tools are OpenAI's only.
   */
  readonly responses?: Partial<OpenAiResponsesQuirks>
  /** Whether it offers web search in `openai-responses`, at a known price. */
  readonly webSearch?: true
  /** Differences of its embeddings from most compatible vendors', or that it has none. */
  readonly embedding?: Partial<OpenAiEmbeddingQuirks> | "none"
  /** Present where it offers rerank in Jina's format: differences from Jina. */
  readonly rerank?: Partial<JinaRerankQuirks>
  /** Present where it makes images. Servers that operators run are called in OpenAI's format. */
  readonly image?: ImageFormat
  /** Present where it offers speech or transcription. Servers that operators run may offer both. */
  readonly sound?: SoundOperations
  /**
   * The operator of the server chooses what it speaks: `openai-chat`, and `openai-responses` or
   * `anthropic-messages` at the same base address where a provider's `dialects` say so.
   */
  readonly isServerOfOnesOwn?: true
}

/** For vendors whose references say that `n` and `stop` work as at OpenAI. */
const AS_OPENAI = { maxChoices: 128, cutsStops: true } as const
const CUTS_STOPS = { cutsStops: true } as const

/** For vendors that know both names of the limit. */
const BOTH_LIMITS = { maxTokensFieldOnly: false } as const

function separateReasoning(vendor: string): Partial<OpenAiChatQuirks> {
  const own = SEPARATE_REASONING[vendor]
  return own === undefined ? {} : { separateReasoning: own }
}

/** Fields of OpenAI's that Mistral refuses (docs.mistral.ai/api, "Chat completion"). */
const MISTRAL_LACKS = [
  "audio",
  "function_call",
  "functions",
  "logit_bias",
  "logprobs",
  "modalities",
  "moderation",
  "prompt_cache_options",
  "prompt_cache_retention",
  "safety_identifier",
  "service_tier",
  "store",
  "top_logprobs",
  "user",
  "verbosity",
  "web_search_options",
]

/** Fields of OpenAI's that Groq refuses as unknown properties (console.groq.com/docs/openai). */
const GROQ_LACKS = [
  "audio",
  "logit_bias",
  "logprobs",
  "modalities",
  "moderation",
  "prediction",
  "prompt_cache_key",
  "prompt_cache_options",
  "prompt_cache_retention",
  "safety_identifier",
  "store",
  "top_logprobs",
  "verbosity",
  "web_search_options",
]

const MISTRAL_SCHEMA: ClosedSchema = {
  messages: {
    system: ["content"],
    user: ["content"],
    assistant: ["content", "tool_calls", "prefix"],
    tool: ["content", "tool_call_id", "name"],
  },
  // It thinks or it does not.
  efforts: { minimal: "none", low: "high", medium: "high", xhigh: "high", max: "high" },
}

/**
 * THE TABLE of OpenAI-compatible vendors: a new one is one row. Addresses are those of the recorded traffic or
 * of the vendor's own pages; quirks are those of docs/wire/openai-chat.md#vendors-that-nearly-speak-it, and of
 * the parameter lists in the vendors' references.
 */
export const COMPATIBLE: readonly CompatibleRow[] = [
  {
    id: "openai",
    name: "OpenAI",
    baseUrl: "https://api.openai.com/v1",
    keyVariables: ["OPENAI_API_KEY"],
    quirks: OPENAI_QUIRKS,
    responses: { customTools: true },
    webSearch: true,
    embedding: OPENAI_EMBEDDING_QUIRKS,
    image: openAiImages(OPENAI_FAMILIES),
    sound: OPENAI_SOUND,
  },
  {
    id: "mistral",
    name: "Mistral AI",
    baseUrl: "https://api.mistral.ai/v1",
    keyVariables: ["MISTRAL_API_KEY"],
    quirks: {
      ...AS_OPENAI,
      usageInStream: "always",
      seedField: "random_seed",
      toolCallIds: "nine-characters",
      fileUrls: true,
      dropFields: MISTRAL_LACKS,
      closedSchema: MISTRAL_SCHEMA,
      maxTemperature: 1.5,
      // Each model has a different default (docs.mistral.ai/api, "Chat completion").
      omittedTemperature: 1,
    },
    embedding: { maxInputs: 256, dimensionsField: "output_dimension", user: false },
    sound: MISTRAL_SOUND,
  },
  {
    id: "groq",
    name: "Groq",
    baseUrl: "https://api.groq.com/openai/v1",
    keyVariables: ["GROQ_API_KEY"],
    embedding: "none",
    quirks: {
      ...BOTH_LIMITS,
      ...CUTS_STOPS,
      reasoningField: "reasoning",
      dropFields: GROQ_LACKS,
    },
    sound: GROQ_SOUND,
  },
  {
    id: "deepseek",
    name: "DeepSeek",
    baseUrl: "https://api.deepseek.com",
    keyVariables: ["DEEPSEEK_API_KEY"],
    embedding: "none",
    quirks: { ...CUTS_STOPS, reasoningHistory: "text" },
    responses: { encryptedReasoning: false, reasoningText: true },
  },
  {
    id: "xai",
    name: "xAI",
    baseUrl: "https://api.x.ai/v1",
    keyVariables: ["XAI_API_KEY"],
    embedding: "none",
    quirks: { ...BOTH_LIMITS, ...AS_OPENAI },
    responses: { agentTools: false },
    image: XAI_IMAGES,
    sound: XAI_SOUND,
  },
  {
    id: "together",
    name: "Together AI",
    baseUrl: "https://api.together.xyz/v1",
    keyVariables: ["TOGETHER_API_KEY", "TOGETHERAI_API_KEY"],
    quirks: { ...AS_OPENAI, reasoningField: "reasoning", topK: true },
    rerank: {},
    image: TOGETHER_IMAGES,
    sound: OPEN_SOUND,
  },
  {
    id: "fireworks",
    name: "Fireworks AI",
    baseUrl: "https://api.fireworks.ai/inference/v1",
    keyVariables: ["FIREWORKS_API_KEY"],
    // docs.fireworks.ai/api-reference/post-chatcompletions: extra inputs are not permitted.
    quirks: {
      ...BOTH_LIMITS,
      ...AS_OPENAI,
      topK: true,
      dropFields: ["prompt_cache_retention", "store"],
    },
    image: FIREWORKS_IMAGES,
  },
  {
    id: "openrouter",
    name: "OpenRouter",
    baseUrl: "https://openrouter.ai/api/v1",
    keyVariables: ["OPENROUTER_API_KEY"],
    quirks: {
      ...BOTH_LIMITS,
      reasoningField: "reasoning",
      reasoningHistory: "details",
      assistantImages: true,
      imageConfig: true,
      reasoningForm: "object",
      usageOption: true,
      cacheControl: true,
      fileUrls: true,
      developerRole: "developer",
      topK: true,
    },
    responses: { agentTools: false },
    embedding: OPENAI_EMBEDDING_QUIRKS,
    rerank: {},
    image: OPENROUTER_IMAGES,
    sound: OPENROUTER_SOUND,
  },
  {
    id: "perplexity",
    name: "Perplexity",
    baseUrl: "https://api.perplexity.ai",
    keyVariables: ["PERPLEXITY_API_KEY", "PPLX_API_KEY"],
    // The default is 0.2 (docs.perplexity.ai/api-reference/chat-completions-post).
    quirks: { usageInStream: "always", topK: true, omittedTemperature: 1 },
    // docs.perplexity.ai/api-reference/embeddings-post
    embedding: { maxInputs: 512, numbers: "int8", path: "/v1/embeddings", user: false },
  },
  {
    id: "cerebras",
    name: "Cerebras",
    baseUrl: "https://api.cerebras.ai/v1",
    keyVariables: ["CEREBRAS_API_KEY"],
    embedding: "none",
    quirks: {
      ...BOTH_LIMITS,
      ...CUTS_STOPS,
      maxTokensField: "max_completion_tokens",
      reasoningField: "reasoning",
      dropFields: ["frequency_penalty", "logit_bias", "presence_penalty"],
      maxTemperature: 1.5,
    },
  },
  {
    id: "deepinfra",
    name: "DeepInfra",
    baseUrl: "https://api.deepinfra.com/v1/openai",
    keyVariables: ["DEEPINFRA_API_KEY", "DEEPINFRA_TOKEN"],
    quirks: { ...AS_OPENAI, maxChoices: 4, topK: true },
    sound: OPEN_SOUND,
  },
  {
    id: "nvidia",
    name: "NVIDIA",
    baseUrl: "https://integrate.api.nvidia.com/v1",
    keyVariables: ["NVIDIA_API_KEY", "NVIDIA_NIM_API_KEY"],
    // build.nvidia.com: Unsupported parameter(s).
    quirks: {
      dropFields: ["prompt_cache_key", "prompt_cache_retention", "safety_identifier", "verbosity"],
    },
  },
  {
    id: "moonshot",
    name: "Moonshot AI",
    baseUrl: "https://api.moonshot.ai/v1",
    keyVariables: ["MOONSHOT_API_KEY"],
    embedding: "none",
    // Since kimi-k2.5, `n` must be 1 (platform.moonshot.ai/docs/api/models-overview).
    quirks: { ...CUTS_STOPS, reasoningHistory: "text", maxTemperature: 1 },
  },
  {
    id: "huggingface",
    name: "Hugging Face",
    baseUrl: "https://router.huggingface.co/v1",
    keyVariables: ["HF_TOKEN", "HUGGINGFACE_API_KEY"],
    quirks: { reasoningField: "reasoning" },
  },
  {
    id: "zai",
    name: "Z.ai",
    baseUrl: "https://api.z.ai/api/paas/v4",
    keyVariables: ["ZAI_API_KEY"],
    // The default is 0.6 or 0.75 for older models (docs.z.ai/api-reference/llm/chat-completion).
    quirks: { ...CUTS_STOPS, reasoningHistory: "text", maxTemperature: 1, omittedTemperature: 1 },
  },
  {
    id: "alibaba",
    name: "Alibaba Model Studio",
    baseUrl: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
    keyVariables: ["DASHSCOPE_API_KEY"],
    quirks: { ...CUTS_STOPS, topK: true, ...separateReasoning("alibaba") },
    // docs/wire/embeddings.md#f8
    embedding: { base64: false },
  },
  {
    id: "sambanova",
    name: "SambaNova",
    baseUrl: "https://api.sambanova.ai/v1",
    keyVariables: ["SAMBANOVA_API_KEY"],
    quirks: { topK: true },
  },
  {
    id: "novita",
    name: "Novita AI",
    baseUrl: "https://api.novita.ai/openai/v1",
    keyVariables: ["NOVITA_API_KEY"],
    quirks: { ...AS_OPENAI, topK: true },
  },
  {
    id: "nebius",
    name: "Nebius Token Factory",
    baseUrl: "https://api.tokenfactory.nebius.com/v1",
    keyVariables: ["NEBIUS_API_KEY"],
    quirks: AS_OPENAI,
  },
  {
    id: "hyperbolic",
    name: "Hyperbolic",
    baseUrl: "https://api.hyperbolic.xyz/v1",
    keyVariables: ["HYPERBOLIC_API_KEY"],
    quirks: { topK: true },
  },
  {
    id: "baseten",
    name: "Baseten",
    baseUrl: "https://inference.baseten.co/v1",
    keyVariables: ["BASETEN_API_KEY"],
  },
  {
    id: "siliconflow",
    name: "SiliconFlow",
    baseUrl: "https://api.siliconflow.com/v1",
    keyVariables: ["SILICONFLOW_API_KEY"],
    quirks: { ...AS_OPENAI, topK: true, ...separateReasoning("siliconflow") },
  },
  {
    id: "vercel",
    name: "Vercel AI Gateway",
    baseUrl: "https://ai-gateway.vercel.sh/v1",
    keyVariables: ["AI_GATEWAY_API_KEY", "VERCEL_AI_GATEWAY_API_KEY"],
  },
  {
    id: "upstage",
    name: "Upstage",
    baseUrl: "https://api.upstage.ai/v1",
    keyVariables: ["UPSTAGE_API_KEY"],
    embedding: { maxInputs: 100 },
  },
  {
    id: "ollama",
    name: "Ollama",
    baseUrl: "http://127.0.0.1:11434/v1",
    keyVariables: [],
    quirks: { ...CUTS_STOPS, reasoningField: "reasoning", reasoningHistory: "text" },
    isServerOfOnesOwn: true,
    embedding: { tokens: true },
  },
  {
    id: "vllm",
    name: "vLLM",
    baseUrl: "http://127.0.0.1:8000/v1",
    keyVariables: [],
    quirks: {
      ...BOTH_LIMITS,
      ...AS_OPENAI,
      topK: true,
      reasoningHistory: "text",
      reportsStop: true,
    },
    isServerOfOnesOwn: true,
    embedding: { tokens: true },
    rerank: {},
  },
  {
    id: "lm-studio",
    name: "LM Studio",
    baseUrl: "http://127.0.0.1:1234/v1",
    keyVariables: [],
    quirks: { topK: true },
    isServerOfOnesOwn: true,
    embedding: { tokens: true },
  },
  {
    id: "llama-cpp",
    name: "llama.cpp",
    baseUrl: "http://127.0.0.1:8080/v1",
    keyVariables: [],
    quirks: { ...BOTH_LIMITS, topK: true, reasoningHistory: "text" },
    isServerOfOnesOwn: true,
    embedding: { tokens: true },
    rerank: {},
  },
  {
    // Nothing is known of the server behind it, so the callers' fields are passed on unchanged.
    id: "openai-compatible",
    name: "OpenAI-compatible server",
    keyVariables: [],
    quirks: { ...BOTH_LIMITS, developerRole: "developer", topK: true, reasoningHistory: "details" },
    isServerOfOnesOwn: true,
    embedding: { tokens: true },
    rerank: {},
  },
]
