import { AS_OPENAI, BOTH_LIMITS, type CompatibleRow, CUTS_STOPS } from "./compatible-row.ts"

/** Quirks of servers that may support every field of a caller. */
const PASSES_ALL = {
  ...BOTH_LIMITS,
  developerRole: "developer",
  topK: true,
  reasoningHistory: "details",
} as const

/** Servers that operators run themselves. */
export const OWN_SERVERS: readonly CompatibleRow[] = [
  {
    id: "ollama",
    name: "Ollama",
    baseUrl: "http://127.0.0.1:11434/v1",
    keyVariables: [],
    quirks: { ...CUTS_STOPS, reasoningField: "reasoning", reasoningHistory: "text" },
    isSelfHosted: true,
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
    isSelfHosted: true,
    embedding: { tokens: true },
    rerank: {},
  },
  {
    id: "lm-studio",
    name: "LM Studio",
    baseUrl: "http://127.0.0.1:1234/v1",
    keyVariables: [],
    quirks: { topK: true },
    isSelfHosted: true,
    embedding: { tokens: true },
  },
  {
    id: "llama-cpp",
    name: "llama.cpp",
    baseUrl: "http://127.0.0.1:8080/v1",
    keyVariables: [],
    quirks: { ...BOTH_LIMITS, topK: true, reasoningHistory: "text" },
    isSelfHosted: true,
    embedding: { tokens: true },
    rerank: {},
  },
  {
    id: "litellm",
    name: "LiteLLM proxy",
    // LiteLLM adjusts requests to its providers (docs.litellm.ai/docs/simple_proxy).
    baseUrl: "http://127.0.0.1:4000/v1",
    keyVariables: [],
    quirks: PASSES_ALL,
    isSelfHosted: true,
    embedding: { tokens: true },
    rerank: {},
  },
  {
    // Another installation of this gateway, which also adjusts requests to its providers.
    id: "tollgate",
    name: "Tollgate",
    keyVariables: [],
    quirks: { ...PASSES_ALL, ...AS_OPENAI, customTools: true },
    isSelfHosted: true,
    embedding: { tokens: true },
    rerank: {},
  },
  {
    // The server is unknown, so all fields that servers document are passed on.
    id: "openai-compatible",
    name: "OpenAI-compatible server",
    keyVariables: [],
    quirks: PASSES_ALL,
    isSelfHosted: true,
    embedding: { tokens: true },
    rerank: {},
  },
]
