/** The calls that a vendor ends and stops billing if their connection is closed. */
export type EndedWhenClosed = "all" | "streams" | "none"

interface AbandonedCalls {
  readonly ends: EndedWhenClosed
  readonly source: string
}

/**
 * Source of OpenRouter's list of providers that stop "model processing and billing" of closed streams, read on
 * 2026-11-27.
 */
const OPENROUTER = "https://openrouter.ai/docs/api-reference/streaming#stream-cancellation"
const ENDS_STREAMS: AbandonedCalls = { ends: "streams", source: OPENROUTER }
const ENDS_NOTHING: AbandonedCalls = { ends: "none", source: OPENROUTER }

/**
 * How vendors handle calls whose connection is closed before the response is complete. A vendor that only ends streams
 * completes and bills all other calls. Vendors that are not listed do not document this.
 */
export const ABANDONED_CALLS: Readonly<Record<string, AbandonedCalls>> = {
  alibaba: ENDS_NOTHING,
  anthropic: ENDS_STREAMS,
  azure: ENDS_STREAMS,
  // Bedrock's cost and usage reports include the whole response, whether it was streamed or not.
  bedrock: { ends: "none", source: "https://github.com/BerriAI/litellm/issues/34147" },
  cohere: ENDS_STREAMS,
  deepinfra: ENDS_STREAMS,
  deepseek: ENDS_STREAMS,
  fireworks: ENDS_STREAMS,
  google: ENDS_NOTHING,
  groq: ENDS_NOTHING,
  huggingface: ENDS_NOTHING,
  hyperbolic: ENDS_STREAMS,
  // Servers that operators run do not bill. The following servers abort calls whose connection is closed.
  "llama-cpp": { ends: "all", source: "https://github.com/ggml-org/llama.cpp/pull/18459" },
  "lm-studio": {
    ends: "streams",
    source: "https://lmstudio.ai/docs/python/llm-prediction/cancelling-predictions",
  },
  mistral: ENDS_NOTHING,
  nebius: ENDS_NOTHING,
  novita: ENDS_STREAMS,
  ollama: { ends: "all", source: "https://github.com/ollama/ollama/issues/2876" },
  openai: ENDS_STREAMS,
  // OpenRouter cancels calls at providers that support it. All others bill the whole response.
  openrouter: ENDS_NOTHING,
  perplexity: ENDS_NOTHING,
  sambanova: ENDS_NOTHING,
  together: ENDS_STREAMS,
  vertex: ENDS_NOTHING,
  vllm: { ends: "all", source: "https://github.com/vllm-project/vllm/pull/32442" },
  xai: ENDS_STREAMS,
}

/**
 * Whether a vendor may bill a whole call although its connection was closed; true for vendors that do not document
 * this.
 */
export function billsAbandoned(vendor: string, isStream: boolean): boolean {
  const { ends = "none" } = ABANDONED_CALLS[vendor] ?? {}
  return ends === "none" || (ends === "streams" && !isStream)
}
