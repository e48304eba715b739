import type { ProtobufMetricsSerializer } from "@opentelemetry/otlp-transformer"
import type { Snapshot } from "../metrics/registry.ts"
import type { MetricSample } from "../metrics/series.ts"
import { LABEL_ATTRIBUTES, metricName } from "./names.ts"
import { type Source, type Time, timeOf } from "./span.ts"

/** Metrics in the format that the serializers of OpenTelemetry accept. */
export type ResourceMetrics = Parameters<typeof ProtobufMetricsSerializer.serializeRequest>[0]
type MetricData = ResourceMetrics["scopeMetrics"][number]["metrics"][number]

/** Constants of OpenTelemetry. */
const CUMULATIVE = 1
const TYPES = { histogram: 0, gauge: 2, sum: 3 } as const
const DOUBLE = 1

/** The period in which values were counted. */
export interface Period {
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
export function resourceMetrics(
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
