import type { z } from "zod"
import { type GoogleCredentials, readGoogleCredentials } from "../google-credentials.ts"
import { defaultName } from "../provider-credentials.ts"
import {
  accountName,
  baseAddress,
  Fault,
  flag,
  number,
  oneOf,
  placeName,
  reading,
  readText,
  secret,
  text,
} from "../scalars.ts"
import { either, headers, list, name, named, present, record, strict } from "../shapes.ts"
import type { VendorSetting } from "../vendors.ts"
import { type ServicePriceSettings, servicePrices } from "./model-prices.ts"

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

/** Each makes a deployment of every model of its provider. */
const MAX_CREDENTIALS = 100
const TOO_MANY = `has more than ${MAX_CREDENTIALS} entries. Make another provider of the rest`

const PROVIDER_ID = name(
  /^[a-z0-9][a-z0-9-]*$/,
  "the name of a provider must be small letters, digits and hyphens, such as my-openai",
)
const CREDENTIAL_NAME = name(
  /^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/,
  "must be letters, digits, hyphens and underscores, at most 40, such as backup",
)

/**
 * The schema of each setting that only some vendors have.
 * @param directory what a relative path is relative to.
 */
export function vendorScalars(directory: string) {
  const credentials = reading((input) => {
    const text = readText(input)
    return text instanceof Fault ? text : readGoogleCredentials(text, directory)
  })
  return {
    api_key: secret().optional(),
    account: accountName().optional(),
    region: placeName("us-east-1").optional(),
    project: placeName("my-project").optional(),
    location: placeName("europe-west4").optional(),
    credentials: credentials.optional(),
    access_key_id: secret().optional(),
    secret_access_key: secret().optional(),
    session_token: secret().optional(),
    identity: oneOf(["machine"], "identity").optional(),
  } satisfies Record<VendorSetting, z.ZodType>
}

/** A key alone, or a credential with a name and a weight. */
function credentialSchema(directory: string) {
  const {
    account: _account,
    region: _,
    location: _location,
    identity: _identity,
    ...credential
  } = vendorScalars(directory)
  const whole = strict({
    name: CREDENTIAL_NAME.optional(),
    weight: number(0, 1_000_000).optional(),
    ...credential,
  })
  const alone = secret().transform((key): z.output<typeof whole> => ({ api_key: key }))
  return either(alone, whole)
}

function providerSchema(vendors: readonly string[], directory: string) {
  const provider = strict({
    vendor: oneOf(vendors, "vendor"),
    ...vendorScalars(directory),
    api_keys: list(credentialSchema(directory)).max(MAX_CREDENTIALS, TOO_MANY).optional(),
    base_url: baseAddress().optional(),
    headers: headers().nullish(),
    prices: servicePrices.optional(),
    known_models: flag().optional(),
    // The vendor says which ones it speaks.
    dialects: list(text()).optional(),
  })
  return provider.superRefine(({ credentials, project, api_keys = [] }, context) => {
    const several = api_keys.map((key, index) => ({ path: ["api_keys", index], ...key }))
    for (const one of [{ path: [], credentials, project }, ...several]) {
      if (one.credentials === undefined || one.credentials.projectId !== undefined) continue
      if ((one.project ?? project) !== undefined) continue
      const message = "needs a project, since its credentials name none"
      context.addIssue({ code: "custom", path: one.path, message })
    }
  })
}

/** The table `providers`, by id. */
export function providersSchema(vendors: readonly string[], directory: string) {
  return record(PROVIDER_ID, providerSchema(vendors, directory)).nullish()
}

export type FileProvider = z.output<ReturnType<typeof providerSchema>>

/** The entries of the table, by id. */
export function buildProviders(
  entries: Readonly<Record<string, FileProvider>>,
  origin: ProviderSettings["origin"],
): [string, ProviderSettings][] {
  return Object.entries(entries).map(([id, entry]) => [id, buildProvider(entry, origin)])
}

function buildProvider(entry: FileProvider, origin: ProviderSettings["origin"]): ProviderSettings {
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
