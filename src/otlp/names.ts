import type { ModelKind } from "../config/settings.ts"

/**
 * The names of everything that is said of a span: OpenTelemetry's semantic conventions 1.45 where they have one, which
 * for GenAI are still in development, else our own below `tollgate.`.
 * @see https://opentelemetry.io/docs/specs/semconv/gen-ai
 */
export const ATTRIBUTES = {
  operation: "gen_ai.operation.name",
  outputType: "gen_ai.output.type",
  vendor: "gen_ai.provider.name",
  requestModel: "gen_ai.request.model",
  isStreamed: "gen_ai.request.stream",
  responseModel: "gen_ai.response.model",
  firstChunk: "gen_ai.response.time_to_first_chunk",
  inputTokens: "gen_ai.usage.input_tokens",
  cacheReadTokens: "gen_ai.usage.cache_read.input_tokens",
  cacheWriteTokens: "gen_ai.usage.cache_creation.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  reasoningTokens: "gen_ai.usage.reasoning.output_tokens",
  errorType: "error.type",
  method: "http.request.method",
  route: "http.route",
  status: "http.response.status_code",
  serverAddress: "server.address",
  serverPort: "server.port",
  request: "tollgate.request",
  account: "tollgate.account",
  key: "tollgate.key",
  model: "tollgate.model",
  provider: "tollgate.provider",
  deployment: "tollgate.deployment",
  outcome: "tollgate.outcome",
  attempts: "tollgate.attempts",
  losses: "tollgate.losses",
  cost: "tollgate.cost",
  charged: "tollgate.charged",
  isEstimated: "tollgate.estimated",
} as const

/** What an operation is called, by the kind of its model. */
export const OPERATION_NAMES: Readonly<Record<ModelKind, string>> = {
  chat: "chat",
  embedding: "embeddings",
  rerank: "rerank",
  image: "generate_content",
  speech: "generate_content",
  transcription: "transcription",
}

/** What comes out, where that is not plain from the operation. */
export const OUTPUT_TYPES: Readonly<Partial<Record<ModelKind, string>>> = {
  image: "image",
  speech: "speech",
}

const VENDOR_NAMES: Readonly<Record<string, string>> = {
  azure: "azure.ai.openai",
  bedrock: "aws.bedrock",
  google: "gcp.gemini",
  mistral: "mistral_ai",
  vertex: "gcp.vertex_ai",
  xai: "x_ai",
}

/** What the conventions call a vendor; by our own id where they have no name for it. */
export function vendorName(vendor: string): string {
  return VENDOR_NAMES[vendor] ?? vendor
}

/** What the instruments of spans and metrics are called. */
export const SCOPE = "tollgate"
