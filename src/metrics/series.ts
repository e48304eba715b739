import type { MetricObjectWithValues, MetricValue } from "prom-client"
import type { MetricDefinition } from "./definitions.ts"

/** A metric with its values, in the format that prom-client aggregates and prints. */
export type MetricSnapshot = MetricObjectWithValues<MetricValue<string>>
/** One value of a metric. In a histogram, it is one bucket, the sum or the count. */
export type MetricSample = MetricValue<string> & { readonly metricName?: string }
export type Labels = Readonly<Record<string, string>>

interface Kind<Series> {
  readonly type: "counter" | "histogram"
  begin(): Series
  samples(name: string, labels: Labels, series: Series): MetricSample[]
}

/**
 * A metric with one series per set of labels. Frequent callers look up their series once and then only increment a
 * number. prom-client would check and hash the labels each time.
 */
export class SeriesMetric<Series> {
  readonly #name: string
  readonly #definition: MetricDefinition
  readonly #kind: Kind<Series>
  readonly #series = new Map<string, readonly [Labels, Series]>()

  constructor(name: string, definition: MetricDefinition, kind: Kind<Series>) {
    this.#name = name
    this.#definition = definition
    this.#kind = kind
    // A metric without labels has its series from the start.
    if (definition.labels === undefined) this.labels({})
  }

  /** Returns the series of these labels. Missing labels are empty, so that counting never fails. */
  labels(labels: Labels): Series {
    const { labels: names = [] } = this.#definition
    const values = names.map((name) => [name, labels[name] ?? ""] as const)
    const key = JSON.stringify(values)
    const known = this.#series.get(key)
    if (known) return known[1]
    const series = this.#kind.begin()
    this.#series.set(key, [Object.fromEntries(values), series])
    return series
  }

  snapshot(): MetricSnapshot {
    const { type } = this.#kind
    const { help } = this.#definition
    const values = [...this.#series.values()].flatMap(([labels, series]) =>
      this.#kind.samples(this.#name, labels, series),
    )
    // In prom-client's types `type` is an enumeration, but its value is a string.
    const snapshot: unknown = { name: this.#name, help, type, aggregator: "sum", values }
    return snapshot as MetricSnapshot
  }
}

export class Count {
  value = 0

  add(value = 1): void {
    this.value += value
  }
}

export function counter(name: string, definition: MetricDefinition): SeriesMetric<Count> {
  return new SeriesMetric(name, definition, {
    type: "counter",
    begin: () => new Count(),
    samples: (_name, labels, { value }) => [{ value, labels }],
  })
}

/** The distribution of values over buckets. */
export class Distribution {
  sum = 0
  count = 0
  /** Counts per bucket, which are not cumulative. */
  readonly counts: number[]
  readonly #bounds: readonly number[]

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
    this.counts = bounds.map(() => 0)
  }

  observe(value: number): void {
    const bounds = this.#bounds
    this.sum += value
    this.count += 1
    for (let index = 0; index < bounds.length; index++) {
      if (value <= (bounds[index] ?? 0)) {
        this.counts[index] = (this.counts[index] ?? 0) + 1
        return
      }
    }
  }
}

export function histogram(name: string, definition: MetricDefinition): SeriesMetric<Distribution> {
  const { buckets = [] } = definition
  return new SeriesMetric(name, definition, {
    type: "histogram",
    begin: () => new Distribution(buckets),
    samples: (metric, labels, { sum, count, counts }) => {
      let reached = 0
      const samples: MetricSample[] = buckets.map((le, index) => {
        reached += counts[index] ?? 0
        return { value: reached, labels: { ...labels, le }, metricName: `${metric}_bucket` }
      })
      samples.push(
        { value: count, labels: { ...labels, le: "+Inf" }, metricName: `${metric}_bucket` },
        { value: sum, labels, metricName: `${metric}_sum` },
        { value: count, labels, metricName: `${metric}_count` },
      )
      return samples
    },
  })
}
