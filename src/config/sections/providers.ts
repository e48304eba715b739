import { readGoogleCredentials } from "../google-credentials.ts"
import { accountName, baseAddress, placeName } from "../addresses.ts"
import { Fault, type Output, readingText } from "../reading.ts"
import { flag, number, oneOf, secret, text } from "../scalars.ts"
import { either, entry, headers, list, name, named, record } from "../shapes.ts"
import { servicePrices } from "./model-prices.ts"

/** Limits of a provider's credentials. Each one creates a deployment of every model of the provider. */
const CREDENTIAL_LIMITS = { max: 100, remedy: "Make another provider of the rest" }

const PROVIDER_ID = name(
  /^[a-z0-9][a-z0-9-]*$/,
  "the name of a provider must be lowercase letters, digits and hyphens, such as my-openai",
)
const CREDENTIAL_NAME = name(
  /^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/,
  "must be letters, digits, hyphens and underscores, at most 40, such as backup",
)

/**
 * Builds the settings that only some vendors have.
 * @param directory the folder that relative paths start from.
 */
export function vendorMembers(directory: string) {
  const credentials = readingText((text) => readGoogleCredentials(text, directory))
  return {
    /** The key; absent for servers without authentication. Never printed, like all credentials. */
    apiKey: secret().optional(),
    /** The customer's part of the vendor's address: an account id, or the host of a workspace. */
    account: accountName().optional(),
    /** The location of the vendor's servers, such as `us-east-1`, if the vendor has several. */
    region: placeName("us-east-1").optional(),
    project: placeName("my-project").optional(),
    location: placeName("europe-west4").optional(),
    credentials: credentials.optional(),
    accessKeyId: secret().optional(),
    secretAccessKey: secret().optional(),
    sessionToken: secret().optional(),
    /** Signs requests with the role or service account of the gateway's machine, container or pod. */
    identity: oneOf(["machine"], "identity").optional(),
  }
}

/** A key, or a credential with its own name and weight. */
function credentialReader(directory: string) {
  const {
    account: _a,
    region: _r,
    location: _l,
    identity: _i,
    ...credential
  } = vendorMembers(directory)
  const whole = entry({
    name: CREDENTIAL_NAME.optional(),
    weight: number(0, 1_000_000).orElse("1"),
    ...credential,
  })
  const alone = secret().transform((apiKey): Output<typeof whole> => ({ apiKey, weight: 1 }))
  return either(alone, whole)
}

function providerReader(vendors: readonly string[], directory: string) {
  const provider = entry({
    /** The vendor's id, such as `openai`, `groq` or `openai-compatible`. */
    vendor: oneOf(vendors, "vendor"),
    ...vendorMembers(directory),
    /** Several named credentials instead of a single one. */
    apiKeys: list(credentialReader(directory), CREDENTIAL_LIMITS)
      .transform((keys) =>
        keys.map((key, index) => ({ ...key, name: key.name ?? defaultName(index) })),
      )
      .optional(),
    /** The address of the provider; absent if the vendor has a fixed address. */
    baseUrl: baseAddress().optional(),
    /** Additional headers for every upstream request. Values may be secret. */
    headers: headers().nullish().transform(lowercased),
    /** Prices that differ from the vendor's known prices. */
    prices: servicePrices.optional(),
    /** Whether the catalog includes the vendor's known models. */
    knownModels: flag().orElse("true"),
    /** The dialects that this provider's servers support; if absent, the vendor's usual dialects. */
    dialects: list(text()).optional(),
    /** Top-level fields of requests that are passed on although their price is unknown. */
    extraFields: list(text()).optional(),
  })
  return provider.check(({ credentials, project, apiKeys = [] }) => {
    const several = apiKeys.map((key, index) => ({ path: ["api_keys", index], ...key }))
    return [{ path: [], credentials, project }, ...several].flatMap((one) => {
      if (one.credentials === undefined || one.credentials.projectId !== undefined) return []
      if ((one.project ?? project) !== undefined) return []
      return [new Fault("needs a project, because its credentials name no project", one.path)]
    })
  })
}

/**
 * Returns the name of an unnamed credential.
 * @param index its position in the list.
 */
export function defaultName(index: number): string {
  return String(index + 1)
}

function lowercased(headers: Readonly<Record<string, string>> | null | undefined) {
  return named(Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]))
}

/** Builds the reader of the table `providers`, whose names are provider ids. */
export function providersReader(vendors: readonly string[], directory: string) {
  return record(PROVIDER_ID, providerReader(vendors, directory)).nullish()
}

export type ProviderEntry = Output<ReturnType<typeof providerReader>>

export type NamedCredential = NonNullable<ProviderEntry["apiKeys"]>[number]

export interface ProviderSettings extends ProviderEntry {
  /** The source of the entry, for display in `doctor` and the console. */
  readonly origin: "file" | "environment" | "sandbox" | "console"
}
