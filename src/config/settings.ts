import type { ModelRules } from "#contract/model-rules.ts"
import type { PeriodTimes } from "#contract/price-periods.ts"
import type { AccountTemplate } from "#contract/accounts.ts"
import type { BackupSettings } from "./backup-settings.ts"
import type { RetentionSettings } from "./retention-settings.ts"
import type { PriceName, ServicePriceName } from "#contract/usage-classes.ts"
import type { DecimalText } from "#contract/decimal.ts"
import type { BucketSettings } from "./bucket-settings.ts"
import type { LogSettings } from "./log-settings.ts"
import type { MetricSettings } from "./metric-settings.ts"
import type { NoticeSettings } from "./notice-settings.ts"
import type { PriceListSettings } from "./price-settings.ts"
import type { PaymentSettings } from "./payment-settings.ts"
import type { SignInSettings } from "./sign-in-settings.ts"
import type { TelemetrySettings } from "./telemetry-settings.ts"

/**
 * The typed settings that the other modules read. Money stays decimal text here: no number in this file has
 * been a float on its way to the ledger.
 */

/** Credits per million units of each class. */
export type PriceTable = Readonly<Partial<Record<PriceName, DecimalText>>>

/** Factors on the token rates in a mode of service: `priority`, `flex`, `fast`. */
export type ModeTable = Readonly<Record<string, DecimalText>>

/** A vendor's prices besides those of its models, and its modes of service. */
export interface ServicePriceSettings extends Readonly<
  Partial<Record<ServicePriceName, DecimalText>>
> {
  readonly modes?: ModeTable
}

/** Prices that replace the base ones for the whole request once its input is longer than `above`. */
export interface PriceTierSettings extends PriceTable {
  readonly above: number
}

/** The prices of a model or of one of its periods. */
export interface PriceCardSettings extends PriceTable {
  /** Seconds of audio that each request is charged for at least, a whole number. */
  readonly minimum_seconds?: DecimalText
  readonly tiers?: readonly PriceTierSettings[]
  /** Of a million images, by size and quality: `1024x1024/hd`, `1024x1024` or `hd`. */
  readonly images?: Readonly<Record<string, DecimalText>>
  /** Absent: what is known of the model at its vendor, and of the vendor. */
  readonly modes?: ModeTable
}

/** Prices that replace those of the same name while the period applies. */
export interface PricePeriodSettings extends PriceCardSettings, PeriodTimes {
  readonly name?: string
}

export interface PriceSettings extends PriceCardSettings {
  /** Periods must not overlap; outside of all periods the price itself applies. */
  readonly periods?: readonly PricePeriodSettings[]
}

export const MODEL_KINDS = [
  "chat",
  "embedding",
  "rerank",
  "image",
  "speech",
  "transcription",
] as const

export type ModelKind = (typeof MODEL_KINDS)[number]

/** The key of a Google service account. Never printed. */
export interface ServiceAccount {
  readonly clientEmail: string
  /** PKCS #8, PEM. */
  readonly privateKey: string
  readonly privateKeyId?: string
  /** Where a signed claim is exchanged for a token. */
  readonly tokenUri: string
  readonly projectId?: string
}

/** A user's own credential, as `gcloud auth application-default login` stores it. Never printed. */
export interface AuthorizedUser {
  readonly clientId: string
  readonly clientSecret: string
  readonly refreshToken: string
  readonly tokenUri: string
  readonly projectId?: string
}

/** A configuration of Google's workload identity federation: another issuer's token is exchanged for Google's. */
export interface ExternalAccount {
  readonly audience: string
  readonly subjectTokenType: string
  readonly tokenUri: string
  /** Absent: the federated token is used as it is. */
  readonly impersonationUrl?: string
  /** Where the other issuer's token is; with a `field`, in a JSON document. */
  readonly source: { readonly field?: string } & (
    | { readonly file: string }
    | { readonly url: string; readonly headers: Readonly<Record<string, string>> }
  )
  readonly projectId?: string
}

export type GoogleCredentials = ServiceAccount | AuthorizedUser | ExternalAccount

/** What a provider's requests are signed with, in the form that its vendor has. Never printed. */
export interface VendorCredential {
  /** Absent for servers that ask for none. */
  readonly apiKey?: string
  readonly accessKeyId?: string
  readonly secretAccessKey?: string
  readonly sessionToken?: string
  readonly credentials?: GoogleCredentials
  /** Signs with the role or the service account of the machine, container or pod that the gateway runs on. */
  readonly identity?: "machine"
}

/** One of several credentials of a provider. */
export interface NamedCredential extends VendorCredential {
  readonly name: string
  readonly weight: number
  /** Where it is another than the provider's. */
  readonly project?: string
}

export interface ProviderSettings extends VendorCredential {
  /** The vendor's id in the vendors' table: `openai`, `groq`, `openai-compatible`. */
  readonly vendor: string
  /** Several credentials in the place of one, each with a name of its own; never empty. */
  readonly apiKeys?: readonly NamedCredential[]
  /** The customer's part of the vendor's address: the id of an account, or the host of a workspace. */
  readonly account?: string
  /** Where the vendor's servers are, for a vendor with a name for each place: `us-east-1`. */
  readonly region?: string
  readonly project?: string
  readonly location?: string
  /** The dialects that this provider's servers speak; absent: the vendor's usual ones. */
  readonly dialects?: readonly string[]
  /** Absent where the vendor has a fixed address. */
  readonly baseUrl?: string
  /** Further headers for every upstream request. Values may be secret. */
  readonly headers: Readonly<Record<string, string>>
  /** Where they differ from the vendor's known prices. */
  readonly prices?: ServicePriceSettings
  /** Whether the vendor's known models are included. */
  readonly knownModels: boolean
  /** Where the entry comes from, for `doctor` and the console. */
  readonly origin: "file" | "environment" | "sandbox" | "console"
}

export interface DeploymentSettings {
  readonly provider: string
  /** The provider's own name for the model. */
  readonly model: string
  readonly weight: number
  /** Whether no request goes there until the operator says so. */
  readonly isPaused?: boolean
  /** Absent: the model's price. */
  readonly price?: PriceSettings
  /** Absent: the model's dialects. */
  readonly dialects?: readonly string[]
  /** Rules that differ from those of the model's other deployments. */
  readonly rules?: ModelRules
}

/** A model of a group. */
export interface MemberSettings {
  readonly model: string
  /** Its share of the group's requests, where they are shared by weight. */
  readonly weight: number
}

export interface ModelSettings {
  readonly kind?: ModelKind
  readonly price?: PriceSettings
  readonly multiplier?: DecimalText
  readonly context?: number
  readonly maxOutput?: number
  /** Characters of text that a model of speech takes. */
  readonly maxInput?: number
  /** Searches that the model makes by itself in an answer, at most. */
  readonly ownSearches?: number
  readonly ownedBy?: string
  /** Absent: the setting for all models. */
  readonly disconnect?: Disconnect
  /** Absent: the setting for all models. */
  readonly choice?: Choice
  /** Absent: the setting for all models. */
  readonly hedge?: boolean
  /** The dialects it can be called in; absent: the known ones, else all of its provider. */
  readonly dialects?: readonly string[]
  readonly deployments?: readonly DeploymentSettings[]
  /** Rules that override the known rules of the model. */
  readonly rules?: ModelRules
  /** Set for a group: the models of which any may answer. It has no deployments and no price of its own. */
  readonly members?: readonly MemberSettings[]
}

/**
 * Handling of a response whose caller has disconnected. `cancel` closes the connection to the provider and charges the
 * known usage. `drain` reads until the provider reports its usage and charges that. `auto` drains responses that the
 * provider bills anyway.
 */
export const DISCONNECTS = ["auto", "cancel", "drain"] as const

export type Disconnect = (typeof DISCONNECTS)[number]

/**
 * Which of a model's deployments is tried first: one drawn by weight, the first of the settings, the cheapest, one that
 * answers quickly, or the one with the fewest requests.
 */
export const CHOICES = ["weight", "order", "price", "latency", "least_busy"] as const

export type Choice = (typeof CHOICES)[number]

/** How requests find their deployments. */
export interface RoutingSettings {
  /** For models that say nothing else. */
  readonly choice: Choice
  /** Whether requests that a vendor's cache may know go where they went before. */
  readonly affinity: boolean
  /** How often an attempt is repeated where there is no other deployment to try. */
  readonly retries: number
  /** Whether a second deployment is asked as well when the first is late, for models that say nothing else. */
  readonly hedge: boolean
}

/** Milliseconds; how long the gateway waits for an upstream before it gives up. */
export interface DeadlineSettings {
  readonly connect: number
  readonly firstByte: number
  readonly betweenBytes: number
  readonly whole: number
}

/** Whether an image edit has to come with a mask. */
export const MASK_RULES = ["required", "optional"] as const

export type MaskRule = (typeof MASK_RULES)[number]

/** Whose rules an image edit has to follow. */
export const IMAGE_RULES = ["specification", "provider"] as const

export type ImageRules = (typeof IMAGE_RULES)[number]

/** Image edits, and images that are stored for callers who want links from vendors that give none. */
export interface ImageSettings {
  /** How long a link works, milliseconds. */
  readonly linkLifetime: number
  /** Absent: a folder of the data directory. */
  readonly bucket?: BucketSettings
  /** Whether an edit has to have a mask. Absent: `required`. */
  readonly mask?: MaskRule
  /** `provider`: masks, shapes, formats and sizes are up to the model. Absent: `specification`. */
  readonly rules?: ImageRules
}

export const VENDOR_STATE_RULES = ["own", "pass"] as const

export type VendorStateRule = (typeof VENDOR_STATE_RULES)[number]

/** Limits on the stored answers to requests with an idempotency key, in bytes. */
export interface IdempotencySettings {
  /** Of one answer; a larger one is not stored. */
  readonly answerBytes: number
  /** Of all answers of one account: the oldest are deleted first. */
  readonly accountBytes: number
  readonly totalBytes: number
}

/** Limits on the stored answers that callers can continue from. */
export interface ConversationSettings {
  /** How long, milliseconds; 0: not at all. */
  readonly keep: number
  /** Of all conversations of one account, in bytes: the oldest are deleted first. */
  readonly accountBytes: number
  readonly totalBytes: number
}

/** Where a charge is written before the last byte of its answer leaves: in the database, or on the node's own disk. */
export type SettleMode = "database" | "journal"

/** What members of a price group pay from a moment on. */
export interface PriceTermSettings {
  /** Unix milliseconds. */
  readonly from: number
  /** A factor on what everyone else pays; absent: 1. */
  readonly multiplier?: DecimalText
  /** The prices of models, by id or glob; no multiplier is applied to them. */
  readonly prices?: Readonly<Record<string, PriceSettings>>
}

/** Accounts with prices of their own. */
export interface PriceGroupSettings {
  readonly name?: string
  /** The earliest first. */
  readonly terms: readonly PriceTermSettings[]
}

/** A PostgreSQL database. */
export interface DatabaseSettings {
  /** `postgres://user:password@host/name?sslmode=verify-full`. Never printed. */
  readonly url: string
  /** Connections that each process opens at most. */
  readonly connections: number
  /** Whether statements are prepared; a pooler in transaction mode may not allow it. */
  readonly preparedStatements: boolean
  /** Whether it may be reached over a network without verifying who it is. */
  readonly allowInsecure: boolean
  readonly settle: SettleMode
  /** How long leases last after the node was last heard of, milliseconds: what an outage stops after with a journal. */
  readonly leaseTerm: number
  /** How long running answers wait for their charge while it is away, milliseconds. */
  readonly patience: number
  /** What callers' keys are hashed with and stored secrets are encrypted with is derived from it; absent: a secret in the database. Never printed. */
  readonly secret?: string
}

export interface Settings {
  readonly server: {
    readonly host: string
    readonly port: number
    readonly workers: number
    /** How long it still takes requests on shutdown, while `/readyz` says that it is unready, milliseconds. */
    readonly drainDelay: number
    /** How long running requests may take to finish on shutdown, milliseconds; 0: not at all. */
    readonly drain: number
    /** How long a process may hang before it is restarted, milliseconds; 0: forever. */
    readonly watchdog: number
    /** Addresses and CIDRs whose `x-forwarded-*` headers are believed; absent: none. */
    readonly trustedProxies?: readonly string[]
  }
  /** The folder that holds the database and the secrets. Absolute. */
  readonly data: string
  /** Absent: SQLite, in the data folder. */
  readonly database?: DatabaseSettings
  /** The absolute address that callers use, when it differs from host and port. */
  readonly publicUrl?: string
  readonly adminToken?: string
  /** The origins of pages that may read responses, such as `https://app.example.com`, or `*`; absent: none. */
  readonly corsOrigins?: readonly string[]
  /** Absent: passwords only. */
  readonly console?: SignInSettings
  /** Absent: credits are not sold by card. */
  readonly stripe?: PaymentSettings
  /** Where the line of each request goes. */
  readonly log: LogSettings
  /** Absent: nothing is counted. */
  readonly metrics?: MetricSettings
  /** Absent: there is no collector, and nothing is sent. */
  readonly telemetry?: TelemetrySettings
  /** Where newer lists of known prices come from. */
  readonly prices: PriceListSettings
  /** Where notices may go. */
  readonly notices: NoticeSettings
  readonly limits: {
    /** The largest JSON body that is read, in bytes. */
    readonly bodyBytes: number
    /** The largest upstream answer that is read whole, decompressed, in bytes. */
    readonly answerBytes: number
    /** The memory of all requests together, in bytes, in all processes; absent: depends on the machine. */
    readonly memoryBytes?: number
    /** The largest image or file that is fetched from a caller's address, in bytes. */
    readonly mediaBytes: number
    /** Whether such an address may be within the operator's own network. */
    readonly mediaPrivate: boolean
  }
  readonly deadlines: DeadlineSettings
  readonly idempotency: IdempotencySettings
  readonly responses: ConversationSettings
  readonly retention: RetentionSettings
  readonly backup: BackupSettings
  readonly routing: RoutingSettings
  readonly disconnect: Disconnect
  /** How long an answer is drained at most, milliseconds. */
  readonly disconnectLimit: number
  readonly images: ImageSettings
  /** The image model of requests that name none; absent: the first that the key may call. */
  readonly imageModel?: string
  /**
   * The chat model that translates transcripts into English for a model that only transcribes; absent: the
   * first that the key may call.
   */
  readonly translationModel?: string
  /**
   * Which objects stored by vendors a request may refer to: `own`, those known to be its account's, or `pass`,
   * also unknown ones. Absent: `own`.
   */
  readonly vendorState?: VendorStateRule
  /** Multiplier of every model without its own. */
  readonly multiplier: DecimalText
  /** What happens to a request for something that its vendor bills and that has no price here; absent: refused. */
  readonly unpricedFeatures?: "refuse" | "pass"
  /**
   * What a model costs that a caller names and nobody here knows: the highest price of its family, or this price.
   * `refuse`: it is refused. Absent: it is refused, and the operator is told how to offer it.
   */
  readonly unknownModels?: "refuse" | "family" | { readonly price: PriceSettings }
  readonly providers: Readonly<Record<string, ProviderSettings>>
  readonly models: Readonly<Record<string, ModelSettings>>
  /** Aliases of models, with the ids that they stand for. */
  readonly aliases?: Readonly<Record<string, string>>
  /** Accounts with prices of their own, by the id of their group. */
  readonly priceGroups?: Readonly<Record<string, PriceGroupSettings>>
  /** What new accounts begin with, by name. */
  readonly accountTemplates?: Readonly<Record<string, AccountTemplate>>
}
