import { JsonMetricsSerializer, ProtobufMetricsSerializer } from "@opentelemetry/otlp-transformer"
import type { TelemetrySettings } from "../config/sections/telemetry.ts"
import { type Snapshot, sumOf } from "../metrics/registry.ts"
import type { MetricSample } from "../metrics/series.ts"
import { clientOf, sourceOf } from "./connection.ts"
import { LABEL_ATTRIBUTES, metricName } from "./names.ts"
import { type Source, type Time, timeOf } from "./span.ts"

/** Maximum time for sending the final metrics at shutdown. */
const SHUTDOWN_TIMEOUT_MS = 1_000

export interface MetricPushParts {
  readonly settings: TelemetrySettings
  readonly failed: (error: unknown) => void
}

/**
 * Periodically sends the metrics of all processes of this machine. The metrics are cumulative, so nothing has to be
 * stored or sent again if the collector was unavailable.
 */
export class MetricPush implements AsyncDisposable {
  readonly #parts: MetricPushParts
  readonly #client
  readonly #serializer
  readonly #source
  readonly #startedAt = Date.now()
  #snapshots: (() => Promise<readonly Snapshot[]>) | undefined
  #timer: ReturnType<typeof setInterval> | undefined
  #sending: Promise<void> | undefined

  constructor(parts: MetricPushParts) {
    const { settings } = parts
    this.#parts = parts
    this.#client = clientOf(settings, "/v1/metrics")
    this.#source = sourceOf(settings)
    this.#serializer =
      settings.protocol === "http/json" ? JsonMetricsSerializer : ProtobufMetricsSerializer
  }

  /**
   * Starts sending.
   * @param snapshots collects the metrics of all processes.
   */
  begin(snapshots: () => Promise<readonly Snapshot[]>): void {
    this.#snapshots = snapshots
    this.#timer = setInterval(() => this.#send(), this.#parts.settings.metricsEvery)
  }

  /** Sends the final counts. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    const finished = (this.#sending ?? Promise.resolve()).then(() => this.#send())
    await this.#client.endIn(SHUTDOWN_TIMEOUT_MS, finished)
  }

  /** Sends only one snapshot at a time, so that the newest one arrives last. */
  #send(): Promise<void> {
    this.#sending ??= this.#sendOnce()
      .catch(this.#parts.failed)
      .finally(() => (this.#sending = undefined))
    return this.#sending
  }

  async #sendOnce(): Promise<void> {
    const snapshots = await this.#snapshots?.()
    if (snapshots === undefined) return
    const sum = await sumOf(snapshots)
    const period = { startedAt: this.#startedAt, endedAt: Date.now() }
    const bytes = this.#serializer.serializeRequest(resourceMetrics(this.#source, sum, period))
    if (bytes !== undefined) await this.#client.send(bytes)
  }
}

/** Metrics in the format that the serializers of OpenTelemetry accept. */
type ResourceMetrics = Parameters<typeof ProtobufMetricsSerializer.serializeRequest>[0]
type MetricData = ResourceMetrics["scopeMetrics"][number]["metrics"][number]

/** Constants of OpenTelemetry. */
const CUMULATIVE = 1
const TYPES = { histogram: 0, gauge: 2, sum: 3 } as const
const DOUBLE = 1

/** The period in which values were counted. */
interface Period {
  /** Start of the period in Unix milliseconds. */
  readonly startedAt: number
  readonly endedAt: number
}

interface Times {
  readonly startTime: Time
  readonly endTime: Time
}

type Attributes = Record<string, string>

/** Converts a snapshot to the format for a collector. */
function resourceMetrics(
  { resource, instrumentationScope: scope }: Source,
  snapshot: Snapshot,
  { startedAt, endedAt }: Period,
): ResourceMetrics {
  const times = { startTime: timeOf(startedAt), endTime: timeOf(endedAt) }
  const metrics = snapshot.map((metric) => metricData(metric, times))
  return { resource, scopeMetrics: [{ scope, metrics }] }
}

function metricData({ name, help, type, values }: Snapshot[number], times: Times): MetricData {
  const descriptor = { ...metricName(name), description: help, valueType: DOUBLE } as const
  const common = { descriptor, aggregationTemporality: CUMULATIVE } as const
  const points = () =>
    values.map(({ value, labels }) => ({ ...times, value, attributes: attributesOf(labels) }))
  // In prom-client's types `type` is an enumeration, but its value is a string.
  switch (String(type)) {
    case "histogram":
      return { ...common, dataPointType: TYPES.histogram, dataPoints: histograms(values, times) }
    case "counter":
      return { ...common, dataPointType: TYPES.sum, isMonotonic: true, dataPoints: points() }
    default:
      return { ...common, dataPointType: TYPES.gauge, dataPoints: points() }
  }
}

/** The samples of a histogram in prom-client, which are cumulative buckets, the sum and the count of values. */
interface Samples {
  readonly attributes: Attributes
  readonly buckets: { readonly bound: number; readonly count: number }[]
  sum: number
  count: number
}

function histograms(values: readonly MetricSample[], times: Times) {
  const series = new Map<string, Samples>()
  for (const { value, labels, metricName: part = "" } of values) {
    const { le, ...others } = labels
    const attributes = attributesOf(others)
    const key = JSON.stringify(attributes)
    const samples = series.get(key) ?? { attributes, buckets: [], sum: 0, count: 0 }
    series.set(key, samples)
    if (le !== undefined) samples.buckets.push({ bound: boundOf(le), count: value })
    else if (part.endsWith("_sum")) samples.sum = value
    else samples.count = value
  }
  return [...series.values()].map(({ attributes, buckets, sum, count }) => {
    buckets.sort((left, right) => left.bound - right.bound)
    const boundaries = buckets.map(({ bound }) => bound).filter(Number.isFinite)
    const counts = buckets.map((bucket, index) => bucket.count - (buckets[index - 1]?.count ?? 0))
    return { ...times, attributes, value: { buckets: { boundaries, counts }, sum, count } }
  })
}

function boundOf(le: string | number): number {
  return le === "+Inf" ? Infinity : Number(le)
}

/**
 * Returns the labels as attributes. Empty labels are omitted, because in Prometheus they are equivalent to missing
 * labels.
 */
function attributesOf(labels: MetricSample["labels"]): Attributes {
  const attributes: Attributes = {}
  for (const [label, value] of Object.entries(labels)) {
    if (value !== undefined && value !== "") {
      attributes[LABEL_ATTRIBUTES[label] ?? label] = String(value)
    }
  }
  return attributes
}
