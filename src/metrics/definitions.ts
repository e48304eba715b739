/**
 * The definition of a metric. Prometheus requires base units, so times are in seconds, amounts in credits, and sizes in
 * bytes.
 */
export interface MetricDefinition {
  readonly help: string
  readonly labels?: readonly string[]
  /** Upper bounds of a histogram's buckets. */
  readonly buckets?: readonly number[]
  /** How the values of several processes are combined; if absent, they are added. */
  readonly together?: "max"
}

const SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300]
const SHORT = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5]

/** Counters, which only grow until the gateway restarts. */
export const COUNTERS = {
  tollgate_requests_total: {
    help: "Completed requests by outcome: ok, or the outcome of the last attempt on the receipt",
    labels: ["endpoint", "model", "provider", "outcome"],
  },
  tollgate_errors_total: {
    help: "Error responses by kind, for rejected and failed requests",
    labels: ["endpoint", "kind"],
  },
  tollgate_usage_total: {
    help: "Usage by class: input, output, cached_input and others, as on receipts",
    labels: ["model", "provider", "class"],
  },
  tollgate_charged_credits_total: {
    help: "Credits charged to callers",
    labels: ["model", "provider"],
  },
  tollgate_list_price_credits_total: {
    help: "Cost of the same requests at list prices without the multiplier. It equals your cost if the list prices are the providers' prices",
    labels: ["model", "provider"],
  },
  tollgate_written_off_credits_total: {
    help: "Uncharged cost of requests, in credits",
    labels: ["model", "provider"],
  },
  tollgate_attempts_total: {
    help: "Upstream calls by outcome; `credential` is empty for providers with a single credential",
    labels: ["provider", "credential", "outcome"],
  },
  tollgate_spans_total: {
    help: "Trace spans by outcome: sent, failed, or dropped because the queue was full",
    labels: ["outcome"],
  },
  tollgate_request_lines_total: {
    help: "Request lines by sink, written or dropped",
    labels: ["sink", "outcome"],
  },
  tollgate_cpu_seconds_total: { help: "CPU time of the processes" },
} as const satisfies Readonly<Record<string, MetricDefinition>>

export const HISTOGRAMS = {
  tollgate_request_duration_seconds: {
    help: "Time from the arrival of a request to the end of its response",
    labels: ["endpoint", "provider"],
    buckets: SECONDS,
  },
  tollgate_time_to_first_byte_seconds: {
    help: "Time from the arrival of a request to the first byte of its response, for streams",
    labels: ["endpoint", "provider"],
    buckets: SECONDS,
  },
  tollgate_settlement_duration_seconds: {
    help: "Time until a charge is durable",
    buckets: SHORT,
  },
} as const satisfies Readonly<Record<string, MetricDefinition>>

/**
 * Metrics of OpenTelemetry's conventions for GenAI, by their names in Prometheus. They are used only if metrics are
 * sent over OTLP.
 * @see https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-metrics
 */
export const GEN_AI_HISTOGRAMS = {
  gen_ai_client_operation_duration_seconds: {
    help: "Time from the arrival of a request to the end of its response",
    labels: [
      "gen_ai_operation_name",
      "gen_ai_provider_name",
      "gen_ai_request_model",
      "gen_ai_response_model",
      "error_type",
    ],
    buckets: [
      0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
    ],
  },
  gen_ai_client_token_usage: {
    help: "Tokens of a request and of its response",
    labels: [
      "gen_ai_operation_name",
      "gen_ai_provider_name",
      "gen_ai_request_model",
      "gen_ai_response_model",
      "gen_ai_token_type",
    ],
    buckets: [
      1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216,
      67_108_864,
    ],
  },
} as const satisfies Readonly<Record<string, MetricDefinition>>

/** Gauges, which are read when metrics are requested. */
export const GAUGES = {
  tollgate_open_requests: { help: "Requests that hold credits" },
  tollgate_held_credits: { help: "Credits held by these requests" },
  tollgate_leased_credits: { help: "Credits leased to these processes by the database" },
  tollgate_journal_pending: { help: "Charges in the journal that are not yet in the database" },
  tollgate_request_lines_pending: {
    help: "Request lines that are not yet written",
    labels: ["sink"],
  },
  tollgate_processes_ready: {
    help: "Processes that can use the ledger and therefore accept requests",
  },
  tollgate_deployment_cooling_down: {
    help: "1 while a deployment is cooling down (avoided after failures)",
    labels: ["deployment"],
    together: "max",
  },
  tollgate_request_memory_bytes: { help: "Memory used by request bodies and responses" },
  tollgate_request_memory_limit_bytes: { help: "Limit of that memory" },
  tollgate_resident_memory_bytes: { help: "Memory of the processes" },
  tollgate_event_loop_delay_seconds: {
    help: "Event-loop delay at the last measurement",
    together: "max",
  },
  tollgate_backup_overdue: { help: "1 when the next backup is overdue", together: "max" },
  tollgate_last_backup_timestamp_seconds: {
    help: "Unix time of the last recorded backup; 0 without one",
    together: "max",
  },
  tollgate_processes: { help: "Processes that reported metrics" },
} as const satisfies Readonly<Record<string, MetricDefinition>>
