import { resolve } from "node:path"
import type { ModelRules } from "#contract/model-rules.ts"
import { databaseSettings } from "./database-settings.ts"
import { backupSettings } from "./backup-settings.ts"
import { retentionSettings } from "./retention-settings.ts"
import { priceSettings } from "./price-settings.ts"
import { metricSettings } from "./metric-settings.ts"
import { templateSettings } from "./template-settings.ts"
import { logSettings } from "./log-settings.ts"
import { noticeSettings } from "./notice-settings.ts"
import { paymentSettings } from "./payment-settings.ts"
import { signInSettings } from "./sign-in-settings.ts"
import { telemetrySettings } from "./telemetry-settings.ts"
import { defaultName } from "./provider-credentials.ts"
import type { Overrides } from "./environment.ts"
import type { FileModel, FilePrice, FilePriceGroup, FileProvider, FileSettings } from "./schema.ts"
import type {
  DeadlineSettings,
  DeploymentSettings,
  ImageSettings,
  ModelSettings,
  NamedCredential,
  PriceGroupSettings,
  PriceCardSettings,
  PriceSettings,
  ProviderSettings,
  RoutingSettings,
  Settings,
  VendorCredential,
} from "./settings.ts"

/** Bytes. */
export const MEBIBYTE = 1024 * 1024

export interface SettingsParts {
  readonly file: FileSettings
  /** What a relative folder in the file is relative to. */
  readonly fileDirectory: string
  readonly overrides: Overrides
  /** Entries in the file's form, made from environment variables. */
  readonly environmentProviders: Readonly<Record<string, FileProvider>>
  /** Where the part in the file's form comes from; absent: the file. */
  readonly origin?: "file" | "console"
}

const DEFAULT_ROUTING: RoutingSettings = {
  choice: "weight",
  affinity: true,
  retries: 1,
  hedge: false,
}

/** Combines checked parts and fills in the defaults. */
export function buildSettings(parts: SettingsParts): Settings {
  const { file, overrides } = parts
  return present({
    server: present({
      host: overrides.host ?? file.server?.host ?? "127.0.0.1",
      port: overrides.port ?? file.server?.port ?? 8787,
      workers: overrides.workers ?? file.server?.workers ?? 1,
      drainDelay: overrides.drainDelay ?? file.server?.drain_delay ?? 0,
      drain: overrides.drain ?? file.server?.drain ?? 30_000,
      watchdog: overrides.watchdog ?? file.server?.watchdog ?? 10_000,
      trustedProxies: overrides.trustedProxies ?? file.server?.trusted_proxies,
    }),
    data: dataDirectory(parts),
    database: databaseSettings(file.database, overrides),
    publicUrl: file.server?.public_url,
    adminToken: overrides.adminToken ?? file.admin_token,
    corsOrigins: file.cors?.origins,
    console: signInSettings(file.console),
    stripe: paymentSettings(file.stripe),
    log: logSettings(file.log, parts.fileDirectory),
    metrics: metricSettings(file.metrics),
    telemetry: telemetrySettings(file.telemetry, overrides.telemetry),
    prices: priceSettings(file.prices),
    notices: noticeSettings(file.notices),
    limits: present({
      bodyBytes: Math.round((file.limits?.body_mb ?? 32) * MEBIBYTE),
      answerBytes: Math.round((file.limits?.answer_mb ?? 128) * MEBIBYTE),
      memoryBytes: bytesOf(overrides.memory ?? file.limits?.memory_mb),
      mediaBytes: Math.round((file.limits?.media_mb ?? 20) * MEBIBYTE),
      mediaPrivate: file.limits?.media_private ?? false,
    }),
    deadlines: deadlines(file.deadlines),
    idempotency: {
      answerBytes: Math.round((file.idempotency?.answer_mb ?? 32) * MEBIBYTE),
      accountBytes: Math.round((file.idempotency?.account_mb ?? 512) * MEBIBYTE),
      totalBytes: Math.round((file.idempotency?.total_mb ?? 4_096) * MEBIBYTE),
    },
    responses: {
      keep: file.responses?.keep ?? 86_400_000,
      accountBytes: Math.round((file.responses?.account_mb ?? 256) * MEBIBYTE),
      totalBytes: Math.round((file.responses?.total_mb ?? 4_096) * MEBIBYTE),
    },
    retention: retentionSettings(file.retention),
    backup: backupSettings(file.backup),
    routing: { ...DEFAULT_ROUTING, ...present(file.routing ?? {}) },
    disconnect: file.disconnect ?? "auto",
    disconnectLimit: file.disconnect_limit ?? 300_000,
    images: images(file.images),
    imageModel: file.defaults?.image_model,
    translationModel: file.defaults?.translation_model,
    multiplier: file.multiplier ?? "1",
    unpricedFeatures: file.unpriced_features,
    unknownModels: unknownModels(file.unknown_models),
    vendorState: file.vendor_state,
    providers: named([
      ...providers(parts.environmentProviders, "environment"),
      ...providers(file.providers ?? {}, parts.origin ?? "file"),
    ]),
    models: named(Object.entries(file.models ?? {}).map(([id, entry]) => [id, model(id, entry)])),
    priceGroups: priceGroups(file.price_groups),
    aliases: file.aliases ? named(Object.entries(file.aliases)) : undefined,
    accountTemplates: file.account_templates ? templateSettings(file.account_templates) : undefined,
  })
}

function deadlines(section: FileSettings["deadlines"]): DeadlineSettings {
  return {
    connect: section?.connect ?? 5_000,
    firstByte: section?.first_byte ?? 600_000,
    betweenBytes: section?.between_bytes ?? 120_000,
    whole: section?.whole ?? 1_800_000,
  }
}

function bytesOf(megabytes: number | undefined): number | undefined {
  return megabytes === undefined ? undefined : Math.round(megabytes * MEBIBYTE)
}

const MINUTE = 60_000

function images(section: FileSettings["images"]): ImageSettings {
  const bucket = section?.s3
  return present({
    linkLifetime: Math.round((section?.link_minutes ?? 60) * MINUTE),
    mask: section?.mask,
    rules: section?.rules,
    bucket:
      bucket &&
      present({
        bucket: bucket.bucket,
        endpoint: bucket.endpoint,
        region: bucket.region,
        accessKeyId: bucket.access_key_id,
        secretAccessKey: bucket.secret_access_key,
      }),
  })
}

/** A folder in the file is relative to the file; a folder from elsewhere is relative to the working directory. */
function dataDirectory({ file, fileDirectory, overrides }: SettingsParts): string {
  if (overrides.data !== undefined) return resolve(overrides.data)
  return file.data === undefined ? resolve("data") : resolve(fileDirectory, file.data)
}

function providers(
  entries: Readonly<Record<string, FileProvider>>,
  origin: ProviderSettings["origin"],
): [string, ProviderSettings][] {
  return Object.entries(entries).map(([id, entry]) => [id, provider(entry, origin)])
}

function provider(entry: FileProvider, origin: ProviderSettings["origin"]): ProviderSettings {
  const headers = Object.entries(entry.headers ?? {})
  return present({
    vendor: entry.vendor,
    ...credential(entry),
    apiKeys: entry.api_keys?.map(namedCredential),
    account: entry.account,
    region: entry.region,
    location: entry.location,
    baseUrl: entry.base_url,
    headers: named(headers.map(([name, value]) => [name.toLowerCase(), value])),
    prices: entry.prices && present(entry.prices),
    knownModels: entry.known_models ?? true,
    dialects: entry.dialects,
    origin,
  })
}

type FileCredential = NonNullable<FileProvider["api_keys"]>[number]

function namedCredential(entry: FileCredential, index: number): NamedCredential {
  const { name = defaultName(index), weight = 1 } = entry
  return { name, weight, ...credential(entry) }
}

/** What a provider or one of its credentials signs with, and for which project. */
function credential(
  entry: Partial<FileProvider>,
): VendorCredential & Pick<ProviderSettings, "project"> {
  return present({
    apiKey: entry.api_key,
    accessKeyId: entry.access_key_id,
    secretAccessKey: entry.secret_access_key,
    sessionToken: entry.session_token,
    credentials: entry.credentials,
    identity: entry.identity,
    project: entry.project,
  })
}

function model(id: string, entry: FileModel): ModelSettings {
  return present({
    kind: entry.kind,
    price: price(entry.price),
    multiplier: entry.multiplier,
    context: entry.context,
    maxOutput: entry.max_output,
    maxInput: entry.max_input,
    ownSearches: entry.own_searches,
    ownedBy: entry.owned_by,
    disconnect: entry.disconnect,
    choice: entry.choice,
    hedge: entry.hedge,
    dialects: entry.dialects,
    rules: rules(entry.rules),
    deployments: entry.deployments?.map((deployment) => buildDeployment(id, deployment)),
    members: entry.members?.map((member) =>
      typeof member === "string"
        ? { model: member, weight: 1 }
        : { model: member.model, weight: member.weight ?? 1 },
    ),
  })
}

function buildDeployment(
  id: string,
  entry: NonNullable<FileModel["deployments"]>[number],
): DeploymentSettings {
  const slash = id.indexOf("/")
  return present({
    provider: entry.provider ?? id.slice(0, slash),
    model: entry.model ?? id.slice(slash + 1),
    weight: entry.weight ?? 1,
    isPaused: entry.paused,
    price: price(entry.price),
    dialects: entry.dialects,
    rules: rules(entry.rules),
  })
}

/** Returns only the rules that are set: an absent rule overrides nothing. */
function rules(entry: FileModel["rules"]): ModelRules | undefined {
  return entry === undefined ? undefined : present(entry)
}

function priceGroups(section: FileSettings["price_groups"]): Settings["priceGroups"] {
  if (!section) return undefined
  return named(Object.entries(section).map(([id, entry]) => [id, priceGroup(entry)]))
}

function priceGroup({ name, terms }: FilePriceGroup): PriceGroupSettings {
  return present({
    name,
    terms: terms
      .map(({ from, multiplier, prices }) =>
        present({
          from,
          multiplier,
          prices:
            prices &&
            named(
              Object.entries(prices).flatMap(([glob, entry]) => {
                const read = price(entry)
                return read === undefined ? [] : [[glob, read]]
              }),
            ),
        }),
      )
      .toSorted((left, right) => left.from - right.from),
  })
}

function unknownModels(entry: FileSettings["unknown_models"]): Settings["unknownModels"] {
  if (entry === undefined || entry === null) return undefined
  if (entry === "refuse" || entry === "family") return entry
  const known = price(entry.price)
  return known && { price: known }
}

function price(entry: FilePrice | undefined): PriceSettings | undefined {
  if (entry === undefined) return undefined
  const { periods, ...own } = entry
  const read = periods?.map(({ name, from, until, zone, days, hours, ...rates }) =>
    present({ ...priceCard(rates), name, from, until, zone, days, hours }),
  )
  return present({ ...priceCard(own), periods: read })
}

function priceCard(entry: Omit<FilePrice, "periods">): PriceCardSettings {
  const { tiers, image, ...rates } = entry
  const images = typeof image === "string" ? { default: image } : { ...image }
  const { default: other, ...kinds } = images
  return present({
    ...rates,
    image: other,
    images: Object.keys(kinds).length === 0 ? undefined : kinds,
    tiers: tiers?.map((tier) => present(tier)),
  })
}

type Present<Value> = {
  [Name in keyof Value as undefined extends Value[Name] ? never : Name]: Value[Name]
} & {
  [Name in keyof Value as undefined extends Value[Name] ? Name : never]?: Exclude<
    Value[Name],
    undefined
  >
}

/** The object without the members that are undefined. */
function present<Value extends object>(value: Value): Present<Value> {
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(members) as Present<Value>
}

/** A table whose names are the operator's: looking up `constructor` finds nothing. */
export function named<Value>(
  entries: readonly (readonly [string, Value])[],
): Record<string, Value> {
  const table: Record<string, Value> = Object.create(null)
  for (const [name, value] of entries) table[name] = value
  return table
}
