import { AggregatorRegistry, Gauge, Registry } from "prom-client"
import {
  COUNTERS,
  GAUGES,
  GEN_AI_HISTOGRAMS,
  HISTOGRAMS,
  type MetricDefinition,
} from "./definitions.ts"
import {
  type Count,
  counter,
  type Distribution,
  histogram,
  type MetricSnapshot,
  type SeriesMetric,
} from "./series.ts"

/** The metrics of one process, in a form that can be sent to another process. */
export type Snapshot = readonly MetricSnapshot[]

/** All metrics of one process. */
export class MetricRegistry {
  readonly #counters = new Map<string, SeriesMetric<Count>>()
  readonly #histograms = new Map<string, SeriesMetric<Distribution>>()
  readonly #gauges = new Map<string, Gauge>()
  readonly #registry = new Registry()

  /** @param hasGenAi whether to include the metrics of OpenTelemetry's conventions. */
  constructor(hasGenAi = false) {
    for (const [name, definition] of entriesOf(COUNTERS)) {
      this.#counters.set(name, counter(name, definition))
    }
    const histograms = { ...HISTOGRAMS, ...(hasGenAi && GEN_AI_HISTOGRAMS) }
    for (const [name, definition] of entriesOf(histograms)) {
      this.#histograms.set(name, histogram(name, definition))
    }
    const registers = [this.#registry]
    for (const [name, definition] of entriesOf(GAUGES)) {
      const { help, labels = [], together: aggregator = "sum" as const } = definition
      const options = { name, help, labelNames: [...labels], aggregator, registers }
      this.#gauges.set(name, new Gauge(options))
    }
  }

  counter(name: keyof typeof COUNTERS): SeriesMetric<Count> {
    return found(this.#counters, name)
  }

  histogram(
    name: keyof typeof HISTOGRAMS | keyof typeof GEN_AI_HISTOGRAMS,
  ): SeriesMetric<Distribution> {
    return found(this.#histograms, name)
  }

  gauge(name: keyof typeof GAUGES): Gauge {
    return found(this.#gauges, name)
  }

  async snapshot(): Promise<Snapshot> {
    const gauges = await this.#registry.getMetricsAsJSON()
    const counted = [...this.#counters.values(), ...this.#histograms.values()]
    return [...counted.map((metric) => metric.snapshot()), ...gauges]
  }
}

/** Combines the snapshots of several processes into one text in Prometheus' format. */
export function textOf(snapshots: readonly Snapshot[]): Promise<string> {
  return aggregated(snapshots).metrics()
}

/** Combines the snapshots of several processes into one snapshot. */
export function sumOf(snapshots: readonly Snapshot[]): Promise<Snapshot> {
  return aggregated(snapshots).getMetricsAsJSON()
}

/** The snapshots are copied first, because prom-client modifies its input. */
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
