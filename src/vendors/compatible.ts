import { OPENAI_EMBEDDING_QUIRKS } from "../dialects/embedding/formats/openai.ts"
import type { ClosedSchema } from "../dialects/openai-chat/quirks/closed-schema.ts"
import { OPENAI_QUIRKS } from "../dialects/openai-chat/quirks/index.ts"
import { OPEN_SOUND, OPERATIONS } from "./compatible-operations.ts"
import { CHINESE_VENDORS } from "./chinese-vendors.ts"
import {
  AS_OPENAI,
  BOTH_LIMITS,
  type CompatibleRow,
  CUTS_STOPS,
  USUAL_TEMPERATURE,
} from "./compatible-row.ts"
import { OWN_SERVERS } from "./own-servers.ts"

/** Fields of OpenAI's API that Mistral rejects (docs.mistral.ai/api, "Chat completion"). */
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

/** Fields of OpenAI's API that Groq rejects as unknown properties (console.groq.com/docs/openai). */
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
  // Thinking is either enabled or disabled.
  efforts: { minimal: "none", low: "high", medium: "high", xhigh: "high", max: "high" },
}

/**
 * The table of OpenAI-compatible vendors. A new vendor is one new row. Addresses are those of the recorded traffic or
 * of the vendor's own pages. Quirks are those of
 * docs/contribute/wire/openai-chat.md#vendors-with-variants-of-the-format, and of the parameter lists in the vendors'
 * references.
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
    operations: OPERATIONS.openai,
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
      // Each model has a different default temperature (docs.mistral.ai/api, "Chat completion").
      defaultFields: USUAL_TEMPERATURE,
    },
    embedding: { maxInputs: 256, dimensionsField: "output_dimension", user: false },
    operations: OPERATIONS.mistral,
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
    operations: OPERATIONS.groq,
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
    statesCost: true,
    embedding: "none",
    quirks: { ...BOTH_LIMITS, ...AS_OPENAI },
    responses: { agentTools: false },
    operations: OPERATIONS.xai,
  },
  {
    id: "together",
    name: "Together AI",
    baseUrl: "https://api.together.xyz/v1",
    keyVariables: ["TOGETHER_API_KEY", "TOGETHERAI_API_KEY"],
    quirks: { ...AS_OPENAI, reasoningField: "reasoning", topK: true },
    rerank: {},
    operations: OPERATIONS.together,
  },
  {
    id: "fireworks",
    name: "Fireworks AI",
    baseUrl: "https://api.fireworks.ai/inference/v1",
    keyVariables: ["FIREWORKS_API_KEY"],
    // Extra fields are not permitted: docs.fireworks.ai/api-reference/post-chatcompletions.
    quirks: {
      ...BOTH_LIMITS,
      ...AS_OPENAI,
      topK: true,
      dropFields: ["prompt_cache_retention", "store"],
    },
    operations: OPERATIONS.fireworks,
  },
  {
    id: "openrouter",
    name: "OpenRouter",
    baseUrl: "https://openrouter.ai/api/v1",
    keyVariables: ["OPENROUTER_API_KEY"],
    statesCost: true,
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
    operations: OPERATIONS.openrouter,
  },
  {
    id: "perplexity",
    name: "Perplexity",
    baseUrl: "https://api.perplexity.ai",
    keyVariables: ["PERPLEXITY_API_KEY", "PPLX_API_KEY"],
    statesCost: true,
    // The default temperature is 0.2 (docs.perplexity.ai/api-reference/chat-completions-post).
    quirks: { usageInStream: "always", topK: true, defaultFields: USUAL_TEMPERATURE },
    // Source: docs.perplexity.ai/api-reference/embeddings-post.
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
    statesCost: true,
    quirks: { ...AS_OPENAI, maxChoices: 4, topK: true },
    operations: OPEN_SOUND,
  },
  {
    id: "nvidia",
    name: "NVIDIA",
    baseUrl: "https://integrate.api.nvidia.com/v1",
    keyVariables: ["NVIDIA_API_KEY", "NVIDIA_NIM_API_KEY"],
    // Unsupported parameters are rejected (build.nvidia.com).
    quirks: {
      dropFields: ["prompt_cache_key", "prompt_cache_retention", "safety_identifier", "verbosity"],
    },
  },
  {
    id: "huggingface",
    name: "Hugging Face",
    baseUrl: "https://router.huggingface.co/v1",
    keyVariables: ["HF_TOKEN", "HUGGINGFACE_API_KEY"],
    quirks: { reasoningField: "reasoning" },
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
    id: "vercel",
    name: "Vercel AI Gateway",
    baseUrl: "https://ai-gateway.vercel.sh/v1",
    keyVariables: ["AI_GATEWAY_API_KEY", "VERCEL_AI_GATEWAY_API_KEY"],
    // Vercel bills each value of `user` for reports (vercel.com/docs/ai-gateway/capabilities/custom-reporting,
    // "Pricing").
    quirks: { dropFields: ["user"] },
    embedding: { user: false },
  },
  {
    id: "upstage",
    name: "Upstage",
    baseUrl: "https://api.upstage.ai/v1",
    keyVariables: ["UPSTAGE_API_KEY"],
    embedding: { maxInputs: 100 },
  },
  {
    id: "requesty",
    name: "Requesty",
    baseUrl: "https://router.requesty.ai/v1",
    keyVariables: ["REQUESTY_API_KEY"],
  },
  {
    id: "databricks",
    name: "Databricks",
    // Source: docs.databricks.com/aws/machine-learning/foundation-model-apis/api-reference.
    baseUrl: "https://{account}/serving-endpoints",
    accountVariables: ["DATABRICKS_HOST"],
    keyVariables: ["DATABRICKS_TOKEN"],
  },
  {
    id: "snowflake",
    name: "Snowflake Cortex",
    baseUrl: "https://{account}.snowflakecomputing.com/api/v2/cortex/v1",
    accountVariables: ["SNOWFLAKE_ACCOUNT", "SNOWFLAKE_ACCOUNT_ID"],
    keyVariables: ["SNOWFLAKE_CORTEX_PAT", "SNOWFLAKE_PAT"],
    embedding: "none",
    // `max_tokens` is deprecated (docs.snowflake.com/user-guide/snowflake-cortex/open_ai_sdk).
    quirks: { maxTokensField: "max_completion_tokens" },
  },
  {
    id: "cloudflare",
    name: "Cloudflare Workers AI",
    // Source: developers.cloudflare.com/workers-ai/configuration/open-ai-compatibility.
    baseUrl: "https://api.cloudflare.com/client/v4/accounts/{account}/ai/v1",
    accountVariables: ["CLOUDFLARE_ACCOUNT_ID"],
    keyVariables: ["CLOUDFLARE_API_TOKEN"],
  },
  {
    id: "scaleway",
    name: "Scaleway",
    // Source of the unsupported parameters: www.scaleway.com/en/docs/generative-apis/api-cli/using-chat-api.
    baseUrl: "https://api.scaleway.ai/v1",
    keyVariables: ["SCALEWAY_API_KEY"],
    quirks: { dropFields: ["frequency_penalty", "logit_bias", "top_logprobs", "user"] },
  },
  {
    id: "ovhcloud",
    name: "OVHcloud AI Endpoints",
    // Source: ovh.github.io/apache-airflow-provider-ovhcloud-ai/ai-endpoints.
    baseUrl: "https://oai.endpoints.kepler.ai.cloud.ovh.net/v1",
    keyVariables: ["OVHCLOUD_API_KEY", "OVH_AI_ENDPOINTS_ACCESS_TOKEN"],
  },
  ...CHINESE_VENDORS,
  ...OWN_SERVERS,
]
