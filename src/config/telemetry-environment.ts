import { address } from "./addresses.ts"
import { Fault, type Reader, readingText } from "./reading.ts"
import { number, oneOf, text, wholeNumber } from "./scalars.ts"
import type { Environment } from "./substitute.ts"

/** The supported encodings of OTLP over HTTP. */
export const OTLP_PROTOCOLS = ["http/protobuf", "http/json"] as const

export type OtlpProtocol = (typeof OTLP_PROTOCOLS)[number]

/** The values of OpenTelemetry's own environment variables. */
export interface TelemetryEnvironment {
  /** Set by `OTEL_SDK_DISABLED`. Nothing is sent, regardless of other settings. */
  readonly isDisabled?: true
  readonly collector?: {
    readonly endpoint: string
    readonly headers?: Readonly<Record<string, string>>
    readonly protocol?: OtlpProtocol
  }
  readonly sample?: number
  readonly serviceName?: string
  readonly resource?: Readonly<Record<string, string>>
  readonly metricsEvery?: number
}

/**
 * Reads OpenTelemetry's own variables. They may be set for other programs, so problems with them only cause warnings,
 * and a collector with an unsupported protocol is ignored.
 * @see https://opentelemetry.io/docs/specs/otel/protocol/exporter
 */
export function telemetryEnvironment(environment: Environment): {
  readonly values: TelemetryEnvironment
  readonly warnings: readonly string[]
} {
  const warnings: string[] = []
  const read = <Value>(name: string, reader: Reader<Value>): Value | undefined => {
    const text = environment[name]
    if (text === undefined || text.trim() === "") return undefined
    const value = reader.readOne(text)
    if (!(value instanceof Fault)) return value
    warnings.push(`${name}: ${value.message}. It is ignored`)
    return undefined
  }
  if (environment["OTEL_SDK_DISABLED"]?.toLowerCase() === "true") {
    return { values: { isDisabled: true }, warnings }
  }
  const values = {
    collector: collectorOf(environment, read),
    sample: read("OTEL_TRACES_SAMPLER_ARG", number(0, 1)),
    serviceName: read("OTEL_SERVICE_NAME", text()),
    resource: read("OTEL_RESOURCE_ATTRIBUTES", readingText(readPairs)),
    metricsEvery:
      environment["OTEL_METRICS_EXPORTER"] === "none"
        ? 0
        : read("OTEL_METRIC_EXPORT_INTERVAL", wholeNumber(1_000, 86_400_000)),
  }
  const known = Object.entries(values).filter(([, value]) => value !== undefined)
  return { values: Object.fromEntries(known), warnings }
}

function collectorOf(
  environment: Environment,
  read: <Value>(name: string, reader: Reader<Value>) => Value | undefined,
): TelemetryEnvironment["collector"] {
  const endpoint = read("OTEL_EXPORTER_OTLP_ENDPOINT", address())
  if (endpoint === undefined) return undefined
  const name = "OTEL_EXPORTER_OTLP_PROTOCOL"
  const protocol = read(name, oneOf(OTLP_PROTOCOLS, "protocol"))
  if (protocol === undefined && environment[name]) return undefined
  const headers = read("OTEL_EXPORTER_OTLP_HEADERS", readingText(readPairs))
  return { endpoint, ...(protocol && { protocol }), ...(headers && { headers }) }
}

/** Parses pairs such as `name=value,name=value`, percent-encoded as in W3C baggage. */
function readPairs(text: string): Readonly<Record<string, string>> | Fault {
  const pairs: [string, string][] = []
  for (const entry of text.split(",").filter((one) => one.trim() !== "")) {
    const [name = "", ...rest] = entry.split("=")
    const value = decoded(rest.join("=").trim())
    if (rest.length === 0 || !/^[\w.!#$%&'*+^`|~-]+$/.test(name.trim()) || value === undefined) {
      return new Fault("must be names with values, such as name=value,other=value")
    }
    pairs.push([name.trim(), value])
  }
  return Object.fromEntries(pairs)
}

/** Decodes a value. Returns undefined if it is not one line of printable characters. */
function decoded(value: string): string | undefined {
  try {
    const text = decodeURIComponent(value)
    return /^[\t -~\u0080-\u00ff]*$/.test(text) ? text : undefined
  } catch {
    return undefined
  }
}
