import type { Catalog } from "../catalog/catalog.ts"
import { MODEL_KINDS, type ModelKind } from "#contract/model-kinds.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { LineSink } from "../sinks/line-sink.ts"
import { type BackupAge, backupAge } from "../notices/backup-age.ts"
import { BatchedObserver } from "../relay/billing/batched-observer.ts"
import type { RequestObserver } from "../relay/billing/request-observer.ts"
import type { Metrics } from "../metrics/metrics.ts"
import { vendorName } from "../otlp/names.ts"
import type { Tracer } from "../otlp/tracer.ts"
import type { Events } from "../telemetry/events.ts"
import { loggedErrors, loggedRequests } from "./log-requests.ts"
import { openFailures } from "./open-failures.ts"
import { type NoticeParts, openNotices } from "./open-notices.ts"
import type { AppOptions } from "./options.ts"

export interface ObservationParts extends NoticeParts {
  readonly ledger: Ledger
}

/** Opens the monitoring of the gateway: notices, metrics, traces and request logs. */
export async function openObservation(parts: ObservationParts, building: AsyncDisposableStack) {
  const { events: noticed, ...notices } = openNotices(parts, building)
  const sinks = await openLineSinks(parts, building)
  const metrics = await openMetrics(parts, sinks)
  const tracer = await openTracer(parts, metrics, building)
  const isLogged = parts.state.settings.log.requests
  const counting: RequestObserver[] = metrics ? [...metrics.observers] : []
  const places = sinks.map((sink) => (line: string) => sink.add(line))
  if (isLogged) places.push((line) => noticed.requestEnded(line))
  if (places.length > 0) counting.push(loggedRequests(places))
  const observers: RequestObserver[] = tracer ? [tracer] : []
  if (counting.length > 0) observers.push(building.use(new BatchedObserver(counting, noticed)))
  const counted = metrics ? countedEvents(noticed, metrics) : noticed
  const logged = isLogged ? loggedErrors(counted) : counted
  const { events, failures } = openFailures(parts.database, logged, building)
  return { ...notices, metrics, tracer, observers, events, failures }
}

/**
 * Opens the destinations of request lines other than the log. Nothing is loaded if the settings name no destination.
 */
async function openLineSinks(
  { state, options: { events: alarms } }: ObservationParts,
  building: AsyncDisposableStack,
): Promise<readonly LineSink[]> {
  const { log } = state.settings
  if (!log.file && !log.http && !log.bucket) return []
  const { openSinks } = await import("./open-sinks.ts")
  return openSinks({ settings: log, alarms, skipsDrain: () => state.skipsDrain }, building)
}

/** Opens the metrics. Nothing is counted or loaded if they are neither served nor sent. */
async function openMetrics(
  parts: ObservationParts,
  sinks: readonly LineSink[],
): Promise<Metrics | undefined> {
  const { state, ledger, health } = parts
  const { metrics: read, telemetry } = state.settings
  const isSent = telemetry !== undefined && telemetry.metricsEvery > 0
  if (!read && !isSent) return undefined
  const { Metrics: Loaded } = await import("../metrics/metrics.ts")
  const catalog = (): Catalog => state.config.catalog
  const vendor = (provider: string): string =>
    vendorName(state.config.clients.get(provider)?.vendor.id ?? provider)
  const names = { operation: (kind: ModelKind) => MODEL_KINDS[kind].traceName, vendor }
  const backup = async (): Promise<BackupAge> =>
    backupAge(await parts.store.backups.list(), state.settings.backup, Date.now())
  const measured = { ledger, health, memory: state.memory, catalog, sinks, backup }
  return new Loaded(measured, isSent ? names : undefined)
}

/** Opens tracing. OpenTelemetry is only loaded if a collector is configured. */
async function openTracer(
  { state, options }: ObservationParts,
  metrics: Metrics | undefined,
  building: AsyncDisposableStack,
): Promise<Tracer | undefined> {
  const { telemetry } = state.settings
  if (telemetry === undefined || (telemetry.sample === 0 && !telemetry.propagates)) return undefined
  const { openTracing } = await import("../otlp/tracer.ts")
  const { tracer, queue } = openTracing(telemetry, {
    counted: (outcome, spans) => metrics?.requests.spans(outcome, spans),
    failed: options.events.telemetryFailed,
  })
  building.use(queue)
  return tracer
}

/** Returns a function that formats the metrics of all processes as text. */
export function metricsTextOf(metrics: Metrics, { gatherMetrics }: AppOptions) {
  return async (): Promise<string> => {
    if (gatherMetrics) return gatherMetrics()
    const { textOf } = await import("../metrics/registry.ts")
    return textOf([await metrics.snapshot()])
  }
}

function countedEvents(events: Events, { requests }: Metrics): Events {
  const counted: Pick<Events, "errorAnswered"> = {
    errorAnswered: (answered) => {
      events.errorAnswered(answered)
      requests.failed(answered.endpoint, answered.kind)
    },
  }
  return Object.assign(Object.create(events) as Events, counted)
}
