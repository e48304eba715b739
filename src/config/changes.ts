import { isDeepStrictEqual } from "node:util"
import type { Settings } from "./settings.ts"
import type { TelemetrySettings } from "./telemetry-settings.ts"

/** What a new version of the settings changes, by the names that the file uses. Holds no values. */
export interface SettingsChanges {
  /** What differs from the previous settings: `providers.openai`, `deadlines.connect`. */
  readonly changed: readonly string[]
  /** What differs from the settings at the start of the process and needs a restart to take effect. */
  readonly restartNeeded: readonly string[]
}

const RESTART_NAMES = [
  "server.host",
  "server.port",
  "server.workers",
  "server.watchdog",
  "data",
  "database.url",
  "database.connections",
  "database.allow_insecure",
  "database.prepared_statements",
  "database.secret",
  "database.settle",
  "database.patience",
  "database.lease_term",
  "log.requests",
  "log.queue_mb",
  "log.file",
  "log.http",
  "log.s3",
  "metrics.port",
  "metrics.host",
  "telemetry.endpoint",
  "telemetry.headers",
  "telemetry.protocol",
  "telemetry.sample",
  "telemetry.service_name",
  "telemetry.propagate",
  "telemetry.callers",
  "telemetry.metrics",
]

/**
 * Compares settings.
 * @param started the settings at the start of the process.
 * @param before the settings active until now.
 */
export function settingsChanges(
  started: Settings,
  before: Settings,
  after: Settings,
): SettingsChanges {
  const sinceStart = new Set(differences(started, after))
  return {
    changed: differences(before, after),
    restartNeeded: RESTART_NAMES.filter((name) => sinceStart.has(name)),
  }
}

function differences(before: Settings, after: Settings): string[] {
  const left = flatten(before)
  const right = flatten(after)
  const names = new Set([...left.keys(), ...right.keys()])
  return [...names].filter((name) => !isDeepStrictEqual(left.get(name), right.get(name)))
}

function flatten(settings: Settings): Map<string, unknown> {
  const { server, deadlines } = settings
  const values: Record<string, unknown> = {
    "server.host": server.host,
    "server.port": server.port,
    "server.workers": server.workers,
    "server.drain_delay": server.drainDelay,
    "server.drain": server.drain,
    "server.watchdog": server.watchdog,
    "server.trusted_proxies": server.trustedProxies,
    "server.public_url": settings.publicUrl,
    data: settings.data,
    "database.url": settings.database?.url,
    "database.connections": settings.database?.connections,
    "database.allow_insecure": settings.database?.allowInsecure,
    "database.prepared_statements": settings.database?.preparedStatements,
    "database.secret": settings.database?.secret,
    "database.settle": settings.database?.settle,
    "database.patience": settings.database?.patience,
    "database.lease_term": settings.database?.leaseTerm,
    admin_token: settings.adminToken,
    "cors.origins": settings.corsOrigins,
    "console.oidc": settings.console?.oidc,
    stripe: settings.stripe,
    "log.requests": settings.log.requests,
    "log.queue_mb": settings.log.queueBytes,
    "log.file": settings.log.file,
    "log.http": settings.log.http,
    "log.s3": settings.log.bucket,
    "metrics.port": settings.metrics?.port,
    "metrics.host": settings.metrics?.host,
    "metrics.token": settings.metrics?.token,
    ...telemetryValues(settings.telemetry),
    "notices.smtp": settings.notices.mail?.smtp,
    "notices.from": settings.notices.mail?.from,
    ...valuesOf("prices", settings.prices, ["refresh", "apply", "keys"]),
    "notices.private": settings.notices.allowsPrivate,
    "console.trusted_origins": settings.console?.trustedOrigins,
    "limits.body_mb": settings.limits.bodyBytes,
    "limits.answer_mb": settings.limits.answerBytes,
    "limits.memory_mb": settings.limits.memoryBytes,
    "limits.media_mb": settings.limits.mediaBytes,
    "limits.media_private": settings.limits.mediaPrivate,
    "deadlines.connect": deadlines.connect,
    "deadlines.first_byte": deadlines.firstByte,
    "deadlines.between_bytes": deadlines.betweenBytes,
    "deadlines.whole": deadlines.whole,
    ...valuesOf("routing", settings.routing, ["choice", "affinity", "retries", "hedge"]),
    disconnect: settings.disconnect,
    disconnect_limit: settings.disconnectLimit,
    "idempotency.answer_mb": settings.idempotency.answerBytes,
    "idempotency.account_mb": settings.idempotency.accountBytes,
    "idempotency.total_mb": settings.idempotency.totalBytes,
    "responses.keep": settings.responses.keep,
    "responses.account_mb": settings.responses.accountBytes,
    "responses.total_mb": settings.responses.totalBytes,
    "retention.contents": settings.retention.contents,
    "retention.receipts": settings.retention.receipts,
    "backup.every": settings.backup.every,
    "images.link_minutes": settings.images.linkLifetime,
    "images.mask": settings.images.mask,
    "images.rules": settings.images.rules,
    "images.s3": settings.images.bucket,
    "defaults.image_model": settings.imageModel,
    "defaults.translation_model": settings.translationModel,
    multiplier: settings.multiplier,
    aliases: settings.aliases,
    account_templates: settings.accountTemplates,
    unpriced_features: settings.unpricedFeatures,
    unknown_models: settings.unknownModels,
    vendor_state: settings.vendorState,
  }
  return new Map([...Object.entries(values), ...tableValues(settings)])
}

function telemetryValues(settings: TelemetrySettings | undefined): Record<string, unknown> {
  return {
    "telemetry.endpoint": settings?.endpoint,
    "telemetry.headers": settings?.headers,
    "telemetry.protocol": settings?.protocol,
    "telemetry.sample": settings?.sample,
    "telemetry.service_name": settings?.serviceName,
    "telemetry.propagate": settings?.propagates,
    "telemetry.callers": settings?.namesCallers,
    "telemetry.metrics": settings?.metricsEvery,
  }
}

/** The entries of tables by their place in the file: `models.openai/gpt-5`. */
function tableValues({ providers, models, priceGroups = {} }: Settings): [string, unknown][] {
  return Object.entries({ providers, models, price_groups: priceGroups }).flatMap(
    ([prefix, table]) =>
      Object.entries(table).map(([name, value]): [string, unknown] => [`${prefix}.${name}`, value]),
  )
}

/** Settings whose names in the file are those they have here. */
function valuesOf<Section extends object>(
  name: string,
  section: Section,
  members: readonly (keyof Section & string)[],
): Record<string, unknown> {
  return Object.fromEntries(members.map((member) => [`${name}.${member}`, section[member]]))
}
