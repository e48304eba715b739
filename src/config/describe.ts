import type { BucketSettings } from "./bucket-settings.ts"
import { databasePlace } from "../database-address.ts"
import type { LineAddressSettings, LineBucketSettings, LogSettings } from "./log-settings.ts"
import type { MetricSettings } from "./metric-settings.ts"
import type { NoticeSettings } from "./notice-settings.ts"
import type { PaymentSettings } from "./payment-settings.ts"
import type { SignInSettings, OidcSettings } from "./sign-in-settings.ts"
import type { TelemetrySettings } from "./telemetry-settings.ts"
import type {
  DatabaseSettings,
  DeadlineSettings,
  ImageSettings,
  ModelSettings,
  NamedCredential,
  ProviderSettings,
  Settings,
  VendorStateRule,
} from "./settings.ts"

/** All that may be shown of a secret. */
export type Presence = "set" | "not set"

type Secret = "apiKey" | "credentials" | "accessKeyId" | "secretAccessKey" | "sessionToken"

/** A provider without its secrets; settings that few vendors have are described where they are declared. */
export interface ProviderDescription
  extends
    Omit<ProviderSettings, Secret | "apiKeys" | "headers">,
    Readonly<Partial<Record<Secret, Presence>>> {
  readonly apiKey: Presence
  readonly apiKeys?: readonly Pick<NamedCredential, "name" | "weight">[]
  readonly headers: Readonly<Record<string, Presence>>
}

export interface BucketDescription extends Omit<BucketSettings, "accessKeyId" | "secretAccessKey"> {
  readonly accessKeyId: Presence
  readonly secretAccessKey: Presence
}

export interface ImageDescription extends Omit<ImageSettings, "bucket"> {
  readonly bucket?: BucketDescription
}

export interface SignInDescription extends Omit<SignInSettings, "oidc"> {
  readonly oidc: readonly (Omit<OidcSettings, "clientSecret"> & {
    readonly clientSecret: Presence
  })[]
}

export interface PaymentDescription extends Omit<PaymentSettings, "secretKey" | "webhookSecret"> {
  readonly secretKey: Presence
  readonly webhookSecret: Presence
}

export interface TelemetryDescription extends Omit<TelemetrySettings, "headers"> {
  readonly headers: Readonly<Record<string, Presence>>
}

/** An address may hold a secret, of which its host says nothing. */
export interface LogDescription extends Omit<LogSettings, "http" | "bucket"> {
  readonly http?: Omit<LineAddressSettings, "url" | "headers"> & {
    readonly host: string
    readonly headers: Readonly<Record<string, Presence>>
  }
  readonly bucket?: Omit<LineBucketSettings, "place"> & { readonly place: BucketDescription }
}

export interface DatabaseDescription extends Omit<DatabaseSettings, "url" | "secret"> {
  /** Its address without user and password. */
  readonly place: string
  readonly secret: Presence
}

export interface SettingsDescription {
  readonly server: Settings["server"]
  readonly data: string
  readonly database?: DatabaseDescription
  readonly publicUrl?: string
  readonly adminToken: Presence
  readonly console?: SignInDescription
  readonly stripe?: PaymentDescription
  readonly log: LogDescription
  readonly metrics?: MetricSettings
  readonly telemetry?: TelemetryDescription
  readonly notices: NoticeSettings
  readonly limits: Settings["limits"]
  readonly deadlines: DeadlineSettings
  readonly images: ImageDescription
  readonly imageModel?: string
  readonly translationModel?: string
  readonly multiplier: string
  readonly vendorState?: VendorStateRule
  readonly providers: Readonly<Record<string, ProviderDescription>>
  readonly models: Readonly<Record<string, ModelSettings>>
  readonly priceGroups?: Settings["priceGroups"]
  readonly aliases?: Readonly<Record<string, string>>
  readonly accountTemplates?: Settings["accountTemplates"]
}

/** The settings as they may be shown to an operator: everything but the secrets. */
export function describeSettings(settings: Settings): SettingsDescription {
  const {
    publicUrl,
    adminToken,
    console,
    database,
    stripe,
    providers,
    images,
    notices,
    metrics,
    telemetry,
    log,
    ...open
  } = settings
  return {
    ...open,
    ...(publicUrl === undefined ? {} : { publicUrl }),
    adminToken: presence(adminToken),
    ...(database && { database: describeDatabase(database) }),
    ...(console && { console: describeSignIn(console) }),
    ...(stripe && { stripe: { ...stripe, secretKey: "set", webhookSecret: "set" } }),
    ...(metrics && {
      metrics: { ...metrics, ...(metrics.token !== undefined && { token: "set" }) },
    }),
    ...(telemetry && {
      telemetry: { ...telemetry, headers: mapValues(telemetry.headers, presence) },
    }),
    log: describeLog(log),
    notices: notices.mail ? { ...notices, mail: { ...notices.mail, smtp: "set" } } : notices,
    images: describeImages(images),
    providers: mapValues(providers, describeProvider),
  }
}

function describeLog({ http, bucket, ...open }: LogSettings): LogDescription {
  return {
    ...open,
    ...(http && {
      http: {
        allowsPrivate: http.allowsPrivate,
        isCompressed: http.isCompressed,
        every: http.every,
        host: URL.parse(http.url)?.host ?? "",
        headers: mapValues(http.headers, presence),
      },
    }),
    ...(bucket && { bucket: { ...bucket, place: describeBucket(bucket.place) } }),
  }
}

function describeDatabase({ url, secret, ...open }: DatabaseSettings): DatabaseDescription {
  return { ...open, place: databasePlace(url), secret: presence(secret) }
}

function describeSignIn({ oidc, ...open }: SignInSettings): SignInDescription {
  const issuers = oidc.map(({ clientSecret, ...entry }) => ({
    ...entry,
    clientSecret: presence(clientSecret),
  }))
  return { ...open, oidc: issuers }
}

function describeImages({ bucket, ...open }: ImageSettings): ImageDescription {
  if (bucket === undefined) return open
  return { ...open, bucket: describeBucket(bucket) }
}

function describeBucket(bucket: BucketSettings): BucketDescription {
  return { ...bucket, accessKeyId: "set", secretAccessKey: "set" }
}

function describeProvider(provider: ProviderSettings): ProviderDescription {
  const {
    apiKey,
    apiKeys,
    headers,
    credentials,
    accessKeyId,
    secretAccessKey,
    sessionToken,
    ...open
  } = provider
  return {
    ...open,
    apiKey: presence(apiKey),
    ...(apiKeys && { apiKeys: apiKeys.map(({ name, weight }) => ({ name, weight })) }),
    headers: mapValues(headers, presence),
    ...(credentials && { credentials: "set" }),
    ...(accessKeyId && { accessKeyId: "set" }),
    ...(secretAccessKey && { secretAccessKey: "set" }),
    ...(sessionToken && { sessionToken: "set" }),
  }
}

function presence(secret: string | undefined): Presence {
  return secret === undefined ? "not set" : "set"
}

function mapValues<Value, Result>(
  table: Readonly<Record<string, Value>>,
  map: (value: Value) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(table).map(([name, value]) => [name, map(value)]))
}
