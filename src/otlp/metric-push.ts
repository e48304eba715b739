import { JsonMetricsSerializer, ProtobufMetricsSerializer } from "@opentelemetry/otlp-transformer"
import type { TelemetrySettings } from "../config/sections/telemetry.ts"
import { type Snapshot, sumOf } from "../metrics/registry.ts"
import { clientOf, sourceOf } from "./connection.ts"
import { resourceMetrics } from "./metric-data.ts"

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
