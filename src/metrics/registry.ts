import {
  AggregatorRegistry,
  Counter,
  Gauge,
  Histogram,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from "prom-client"
import {
  COUNTERS,
  type CounterName,
  GAUGES,
  GEN_AI_HISTOGRAMS,
  type GaugeName,
  type HistogramName,
  HISTOGRAMS,
  type MetricDefinition,
} from "./definitions.ts"

/** The metrics of one process, to be sent to another one. */
export type Snapshot = readonly MetricObjectWithValues<MetricValue<string>>[]

/** One value of a metric; of a histogram, one bucket, the sum or the count. */
export type MetricSample = MetricValue<string> & { readonly metricName?: string }

/** Every metric of one process. */
export class MetricRegistry {
  readonly #registry = new Registry()
  readonly #counters = new Map<string, Counter>()
  readonly #histograms = new Map<string, Histogram>()
  readonly #gauges = new Map<string, Gauge>()

  /** @param hasGenAi whether it has the metrics of OpenTelemetry's conventions too. */
  constructor(hasGenAi = false) {
    const registers = [this.#registry]
    for (const [name, definition] of entriesOf(COUNTERS)) {
      const { help, labels = [] } = definition
      this.#counters.set(name, new Counter({ name, help, labelNames: [...labels], registers }))
    }
    const histograms = { ...HISTOGRAMS, ...(hasGenAi && GEN_AI_HISTOGRAMS) }
    for (const [name, definition] of entriesOf(histograms)) {
      const { help, labels = [], buckets = [] } = definition
      const options = { name, help, labelNames: [...labels], buckets: [...buckets], registers }
      this.#histograms.set(name, new Histogram(options))
    }
    for (const [name, definition] of entriesOf(GAUGES)) {
      const { help, labels = [], together: aggregator = "sum" as const } = definition
      const options = { name, help, labelNames: [...labels], aggregator, registers }
      this.#gauges.set(name, new Gauge(options))
    }
  }

  counter(name: CounterName): Counter {
    return found(this.#counters, name)
  }

  histogram(name: HistogramName): Histogram {
    return found(this.#histograms, name)
  }

  gauge(name: GaugeName): Gauge {
    return found(this.#gauges, name)
  }

  snapshot(): Promise<Snapshot> {
    return this.#registry.getMetricsAsJSON()
  }
}

/** The snapshots of several processes as one text in Prometheus' format. */
export function textOf(snapshots: readonly Snapshot[]): Promise<string> {
  return aggregated(snapshots).metrics()
}

/** The same as one snapshot. */
export function sumOf(snapshots: readonly Snapshot[]): Promise<Snapshot> {
  return aggregated(snapshots).getMetricsAsJSON()
}

/** It would change what it is given. */
function aggregated(snapshots: readonly Snapshot[]): Registry {
  const copies = structuredClone(snapshots) as Snapshot[]
  return AggregatorRegistry.aggregate(copies.map((snapshot) => [...snapshot]))
}

function entriesOf(
  definitions: Readonly<Record<string, MetricDefinition>>,
): [string, MetricDefinition][] {
  return Object.entries(definitions)
}

function found<Metric>(metrics: ReadonlyMap<string, Metric>, name: string): Metric {
  const metric = metrics.get(name)
  if (metric === undefined) throw new Error(`there is no metric ${name}`)
  return metric
}
