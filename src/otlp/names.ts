/**
 * Attribute names of spans. They come from OpenTelemetry's semantic conventions 1.45, whose GenAI part is still in
 * development. All other names begin with `tollgate.`.
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
  user: "user.id",
  userHash: "user.hash",
  session: "session.id",
  conversation: "gen_ai.conversation.id",
  tags: "tollgate.tags",
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

const VENDOR_NAMES: Readonly<Record<string, string>> = {
  azure: "azure.ai.openai",
  bedrock: "aws.bedrock",
  google: "gcp.gemini",
  mistral: "mistral_ai",
  vertex: "gcp.vertex_ai",
  xai: "x_ai",
}

/** Returns a vendor's name in the conventions, or the gateway's own id if the conventions define no name. */
export function vendorName(vendor: string): string {
  return VENDOR_NAMES[vendor] ?? vendor
}

/** Name of the instrumentation scope of spans and metrics. */
export const SCOPE = "tollgate"

/** Metric attributes whose name differs from the label in Prometheus. */
export const LABEL_ATTRIBUTES: Readonly<Record<string, string>> = {
  error_type: "error.type",
  gen_ai_operation_name: "gen_ai.operation.name",
  gen_ai_provider_name: "gen_ai.provider.name",
  gen_ai_request_model: "gen_ai.request.model",
  gen_ai_response_model: "gen_ai.response.model",
  gen_ai_token_type: "gen_ai.token.type",
}

/** The name and unit of a metric in OpenTelemetry. A collector derives the Prometheus name from both. */
export interface MetricName {
  readonly name: string
  /** The unit in UCUM; empty for plain counts. */
  readonly unit: string
}

const GEN_AI_METRICS: Readonly<Record<string, MetricName>> = {
  gen_ai_client_operation_duration_seconds: { name: "gen_ai.client.operation.duration", unit: "s" },
  gen_ai_client_token_usage: { name: "gen_ai.client.token.usage", unit: "{token}" },
}

const UNITS: Readonly<Record<string, string>> = { seconds: "s", bytes: "By" }
const OWN = /^tollgate_(?<name>\w+?)(?:_(?<unit>seconds|bytes))?(?:_total)?$/

/** Returns the OpenTelemetry name of a metric that has a different name in Prometheus. */
export function metricName(prometheus: string): MetricName {
  const known = GEN_AI_METRICS[prometheus]
  if (known) return known
  const { name = prometheus, unit = "" } = OWN.exec(prometheus)?.groups ?? {}
  return { name: `${SCOPE}.${name}`, unit: UNITS[unit] ?? "" }
}
