import { Redactor } from "../canon/redactor.ts"
import { logLevel } from "../config/environment.ts"
import { secretsOf } from "../config/secret-values.ts"
import type { Settings } from "../config/settings.ts"
import type { MetricPush } from "../otlp/metric-push.ts"
import { createEvents } from "../telemetry/events.ts"
import { createLogger } from "../telemetry/logger.ts"

/**
 * Creates the export of metrics to a collector; undefined without a collector, in which case the module is not loaded.
 */
export async function openMetricPush(settings: Settings): Promise<MetricPush | undefined> {
  const { telemetry } = settings
  if (telemetry === undefined || telemetry.metricsEvery === 0) return undefined
  const redactor = new Redactor()
  redactor.addSecrets(secretsOf(settings))
  const logger = createLogger({ level: logLevel(process.env) })
  const events = createEvents(logger, (text) => redactor.clean(text))
  const { MetricPush: Loaded } = await import("../otlp/metric-push.ts")
  return new Loaded({ settings: telemetry, failed: events.telemetryFailed })
}
