import { until } from "../support/until.ts"
import { decodeMessage, type Decoded, METRICS, TRACES } from "./wire.ts"

type Value = string | number | boolean | readonly Value[]

/** A span in the form that the collector has decoded. */
export interface ReceivedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string
  readonly traceState: string
  readonly name: string
  readonly kind: "internal" | "server" | "client"
  readonly isFailed: boolean
  /** Start time in Unix milliseconds. */
  readonly startedAt: number
  readonly endedAt: number
  readonly attributes: Readonly<Record<string, Value>>
  readonly resource: Readonly<Record<string, Value>>
}

export interface ReceivedPoint {
  readonly attributes: Readonly<Record<string, Value>>
  readonly value?: number
  readonly count?: number
  readonly sum?: number
  readonly buckets?: readonly number[]
  readonly bounds?: readonly number[]
  readonly startedAt: number
}

export interface ReceivedMetric {
  readonly name: string
  readonly unit: string
  readonly type: "sum" | "gauge" | "histogram"
  readonly isMonotonic: boolean
  readonly temporality: number
  readonly points: readonly ReceivedPoint[]
  readonly resource: Readonly<Record<string, Value>>
}

interface Received {
  readonly path: string
  readonly headers: Headers
  readonly body: Uint8Array
}

/** A collector for OTLP over HTTP that supports both encodings. */
export class Collector implements Disposable {
  readonly received: Received[] = []
  /** Returns the collector's response. By default, it accepts everything. */
  response: (request: Request) => Response | Promise<Response> = () => new Response()
  readonly #server: Bun.Server<undefined>

  constructor() {
    this.#server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      idleTimeout: 0,
      fetch: async (request) => {
        const body = new Uint8Array(await request.arrayBuffer())
        const { pathname: path } = new URL(request.url)
        this.received.push({ path, headers: new Headers(request.headers), body })
        return this.response(request)
      },
    })
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}`
  }

  get spans(): ReceivedSpan[] {
    return this.#decoded("/v1/traces").flatMap(spansOf)
  }

  /** Waits until there are the given number of spans. */
  async spansOf(count: number): Promise<ReceivedSpan[]> {
    await until(() => this.spans.length >= count)
    return this.spans
  }

  /** Returns the metrics of the last export. */
  get metrics(): ReceivedMetric[] {
    const last = this.#decoded("/v1/metrics").at(-1)
    return last === undefined ? [] : metricsOf(last)
  }

  [Symbol.dispose](): void {
    void this.#server.stop(true)
  }

  #decoded(path: string): Decoded[] {
    const message = path === "/v1/traces" ? TRACES : METRICS
    return this.received
      .filter((one) => one.path === path)
      .map(({ headers, body }) =>
        headers.get("content-type") === "application/json"
          ? (JSON.parse(new TextDecoder().decode(body)) as Decoded)
          : decodeMessage(body, message),
      )
  }
}

const KINDS = { 1: "internal", 2: "server", 3: "client" } as const
const FAILED = 2

function spansOf(request: Decoded): ReceivedSpan[] {
  return list(request["resourceSpans"]).flatMap((one) => {
    const resource = attributesOf(object(one["resource"])["attributes"])
    const spans = list(one["scopeSpans"]).flatMap((scope) => list(scope["spans"]))
    return spans.map((span) => ({
      traceId: String(span["traceId"]),
      spanId: String(span["spanId"]),
      parentSpanId: String(span["parentSpanId"] ?? ""),
      traceState: String(span["traceState"] ?? ""),
      name: String(span["name"]),
      kind: KINDS[Number(span["kind"]) as keyof typeof KINDS],
      isFailed: object(span["status"])["code"] === FAILED,
      startedAt: millisecondsOf(span["startTimeUnixNano"]),
      endedAt: millisecondsOf(span["endTimeUnixNano"]),
      attributes: attributesOf(span["attributes"]),
      resource,
    }))
  })
}

function metricsOf(request: Decoded): ReceivedMetric[] {
  return list(request["resourceMetrics"]).flatMap((one) => {
    const resource = attributesOf(object(one["resource"])["attributes"])
    const metrics = list(one["scopeMetrics"]).flatMap((scope) => list(scope["metrics"]))
    return metrics.map((metric) => {
      const type = (["sum", "gauge", "histogram"] as const).find((name) => metric[name]) ?? "gauge"
      const data = object(metric[type])
      return {
        name: String(metric["name"]),
        unit: String(metric["unit"] ?? ""),
        type,
        isMonotonic: data["isMonotonic"] === true,
        temporality: Number(data["aggregationTemporality"] ?? 0),
        points: list(data["dataPoints"]).map(pointOf),
        resource,
      }
    })
  })
}

function pointOf(point: Decoded): ReceivedPoint {
  const number = point["asDouble"] ?? point["asInt"]
  return {
    attributes: attributesOf(point["attributes"]),
    startedAt: Number(point["startTimeUnixNano"] ?? 0) / 1e6,
    ...(number !== undefined && { value: Number(number) }),
    ...(point["count"] !== undefined && { count: Number(point["count"]) }),
    ...(point["sum"] !== undefined && { sum: Number(point["sum"]) }),
    ...(point["bucketCounts"] !== undefined && {
      buckets: (point["bucketCounts"] as unknown[]).map(Number),
      bounds: (point["explicitBounds"] as unknown[]).map(Number),
    }),
  }
}

function attributesOf(pairs: unknown): Record<string, Value> {
  return Object.fromEntries(
    list(pairs).map(({ key, value }) => [String(key), valueOf(object(value))]),
  )
}

function valueOf(any: Decoded): Value {
  if (any["arrayValue"]) return list(object(any["arrayValue"])["values"]).map(valueOf)
  if (any["intValue"] !== undefined) return Number(any["intValue"])
  const value = any["stringValue"] ?? any["boolValue"] ?? any["doubleValue"]
  if (value === undefined) throw new Error("an attribute without a value")
  return value as Value
}

function list(value: unknown): Decoded[] {
  return (value ?? []) as Decoded[]
}

function object(value: unknown): Decoded {
  return (value ?? {}) as Decoded
}

/**
 * Converts nanoseconds since 1970 to milliseconds. A number cannot represent these nanoseconds exactly, but it can
 * represent microseconds.
 */
function millisecondsOf(nanoseconds: unknown): number {
  return Number(BigInt(String(nanoseconds)) / 1_000n) / 1_000
}
