import { type BuildContext, section, setting, type Values } from "../declare.ts"
import { address } from "../addresses.ts"
import { durationOrOff, flag, number, oneOf, text } from "../scalars.ts"
import { HEADER_SECRET } from "../secret-forms.ts"
import { headers } from "../shapes.ts"
import { OTLP_PROTOCOLS } from "../telemetry-environment.ts"

const SETTINGS = {
  /** The collector's base URL. Each signal has its own path under it. */
  endpoint: setting(address(), {
    needsRestart: true,
    otherVariables: ["OTEL_EXPORTER_OTLP_ENDPOINT"],
    otherwise: "none",
    documentation:
      "an OpenTelemetry collector, to which [traces](../run/tracing.md) and [metrics](metrics.md#over-otlp) are sent over OTLP. `OTEL_*` are OpenTelemetry's own variables: the file takes precedence over them",
  }),
  /** Additional headers for the collector. Values may be secret, and are never printed. */
  headers: setting(headers().transform(lowercased), {
    isNullable: true,
    needsRestart: true,
    secret: HEADER_SECRET,
    otherVariables: ["OTEL_EXPORTER_OTLP_HEADERS"],
    otherwise: "none",
    documentation:
      'headers for the collector, such as `{ authorization: "Bearer …" }`; headers from the variable are sent only to the collector from the variable',
  }),
  protocol: setting(oneOf(OTLP_PROTOCOLS, "protocol"), {
    needsRestart: true,
    otherVariables: ["OTEL_EXPORTER_OTLP_PROTOCOL"],
    default: "http/protobuf",
    documentation: "`http/protobuf` or `http/json`; with `grpc` the variables are ignored",
  }),
  /** The fraction of requests that are traced, from 0 to 1. */
  sample: setting(number(0, 1), {
    needsRestart: true,
    otherVariables: ["OTEL_TRACES_SAMPLER_ARG"],
    default: "1",
    documentation:
      "the share of requests that is traced, from 0 to 1, regardless of the caller's sampling decision",
  }),
  serviceName: setting(text(), {
    needsRestart: true,
    otherVariables: ["OTEL_SERVICE_NAME", "OTEL_RESOURCE_ATTRIBUTES"],
    default: "tollgate",
    documentation: "name of this service in traces; `OTEL_SDK_DISABLED=true` sends nothing",
  }),
  /** Whether calls to vendors contain their trace id. */
  propagates: setting(flag(), {
    name: "propagate",
    needsRestart: true,
    default: "false",
    documentation: "whether `traceparent` and `tracestate` are sent to providers",
  }),
  /** Whether traces contain the account and key of the request. */
  namesCallers: setting(flag(), {
    name: "callers",
    needsRestart: true,
    default: "true",
    documentation:
      "whether traces contain the ids of account and key, and the end user, session and tags",
  }),
  /** Interval for sending metrics in milliseconds; 0 if they are not sent. */
  metricsEvery: setting(durationOrOff(), {
    name: "metrics",
    needsRestart: true,
    otherVariables: ["OTEL_METRIC_EXPORT_INTERVAL"],
    default: "60s",
    documentation:
      "how often metrics are sent; `off`, or `OTEL_METRICS_EXPORTER=none`: never. The variable is in milliseconds",
  }),
}

/** The export of traces and metrics by OTLP; undefined without a collector. */
export const TELEMETRY = section("telemetry", SETTINGS, { build })

export type TelemetrySettings = NonNullable<ReturnType<typeof TELEMETRY.build>>

/**
 * Adds OpenTelemetry's own variables to the section. They are often set for all programs of a machine, so the file
 * takes precedence. Variables for a collector only apply to the collector that they name.
 */
function build(values: Values<typeof SETTINGS>, { set, telemetry }: BuildContext) {
  const { collector } = telemetry
  const endpoint = values.endpoint ?? collector?.endpoint
  if (endpoint === undefined || telemetry.isDisabled) return undefined
  const other = values.endpoint === undefined ? collector : undefined
  const { "service.name": named, ...resource } = telemetry.resource ?? {}
  const either = <Name extends keyof typeof values>(
    name: Name,
    variable: (typeof values)[Name] | undefined,
  ) => (set.has(name) ? values[name] : (variable ?? values[name]))
  return {
    ...values,
    endpoint,
    headers: values.headers ?? lowercased(other?.headers ?? {}),
    protocol: either("protocol", other?.protocol),
    sample: either("sample", telemetry.sample),
    serviceName: either("serviceName", telemetry.serviceName ?? named),
    /** Additional attributes of this service. */
    resource,
    metricsEvery: either("metricsEvery", telemetry.metricsEvery),
  }
}

function lowercased(headers: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(headers)
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value]))
}
