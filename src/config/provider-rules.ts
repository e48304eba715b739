import { entries, type Finding, member, numberIn } from "./finding.ts"
import { defaultName } from "./sections/providers.ts"
import { type KnownVendor, VENDOR_SETTINGS, type VendorSetting } from "./vendors.ts"
import type { SettingPath } from "./yaml-value.ts"

/** The settings that providers of all vendors have. */
const COMMON_SETTINGS = [
  "vendor",
  "api_keys",
  "base_url",
  "headers",
  "known_models",
  "dialects",
  "extra_fields",
]

/** The settings that `api_keys` replaces. */
const CREDENTIAL_SETTINGS: readonly VendorSetting[] = [
  "api_key",
  "access_key_id",
  "secret_access_key",
  "session_token",
  "credentials",
  "identity",
]

/** The settings of vendors that do not list their own. */
export const USUAL_SETTINGS: readonly VendorSetting[] = ["api_key"]

/** Returns the problems of a provider's entry, which depend on its vendor. */
export function providerFindings(
  path: SettingPath,
  provider: unknown,
  vendors: readonly KnownVendor[],
): Finding[] {
  const vendor = vendors.find((vendor) => vendor.id === member(provider, "vendor"))
  if (!vendor) return []
  const credentials = member(provider, "api_keys")
  return [
    ...foreignSettings(path, provider, vendor),
    ...(Array.isArray(credentials)
      ? credentialFindings(path, provider, credentials, vendor)
      : missingSettings(path, provider, vendor)),
    ...foreignDialects(path, provider, vendor),
    ...doubledVersion(path, provider, vendor),
  ]
}

/** Returns the problems of the credentials, both individually and together. */
function credentialFindings(
  path: SettingPath,
  provider: unknown,
  credentials: readonly unknown[],
  vendor: KnownVendor,
): Finding[] {
  const list = [...path, "api_keys"]
  const both = CREDENTIAL_SETTINGS.filter((name) => member(provider, name) !== undefined)
  const names = new Set<string>()
  const secrets = new Set<string>()
  const findings = credentials.flatMap((entry: unknown, index): Finding[] => {
    const place = [...list, index]
    const written = typeof entry === "string" ? { api_key: entry } : entry
    const name = String(member(written, "name") ?? defaultName(index))
    const secret = secretOf(written)
    const isNamed = names.has(name)
    const isKnown = secret !== undefined && secrets.has(secret)
    names.add(name)
    if (secret !== undefined) secrets.add(secret)
    const whole = {
      ...Object.fromEntries(entries(provider)),
      ...Object.fromEntries(entries(written)),
    }
    const lacking = { path: place, message: "holds no credential: give it an api_key" }
    const needsOne =
      secret === undefined && completeSettings(vendor).every(([first]) => first === "base_url")
    return [
      ...foreignSettings(place, written, vendor),
      ...missingSettings(place, whole, vendor),
      ...(needsOne ? [lacking] : []),
      ...(isNamed ? [{ path: place, message: "has the same name as another entry" }] : []),
      ...(isKnown ? [{ path: place, message: "is the same credential as another entry" }] : []),
    ]
  })
  const hasNoWeight = credentials.every((entry) => numberIn(member(entry, "weight")) === 0)
  return [
    ...both.map((name) => ({
      path: [...path, name],
      message: "cannot be combined with api_keys. Put it into the list, or remove the list",
    })),
    ...findings,
    ...(hasNoWeight && credentials.length > 0
      ? [{ path: list, message: "need at least one with a weight above 0" }]
      : []),
  ]
}

/** Returns the secret that distinguishes a credential from others. */
function secretOf(credential: unknown): string | undefined {
  const [secret] = ["api_key", "access_key_id", "credentials"].flatMap((name) => {
    const value = member(credential, name)
    return typeof value === "string" ? [value.trim()] : []
  })
  return secret
}

/** Returns the names of the dialects that a vendor's servers support. */
export function dialectsOf(vendor: KnownVendor): string[] {
  return vendor.chat?.map(({ dialect }) => dialect.id) ?? []
}

function foreignSettings(path: SettingPath, provider: unknown, vendor: KnownVendor): Finding[] {
  const taken = vendor.settings ?? USUAL_SETTINGS
  const known = [...COMMON_SETTINGS, ...taken].join(", ")
  return VENDOR_SETTINGS.filter(
    (name) => !taken.includes(name) && member(provider, name) !== undefined,
  ).map((name) => ({
    path: [...path, name],
    message: `is not a setting of vendor '${vendor.id}', which accepts ${known}`,
  }))
}

/** Returns the lists of settings that complete a provider. All settings of one list are required. */
export function completeSettings(
  vendor: KnownVendor,
): readonly (readonly (VendorSetting | "base_url")[])[] {
  return vendor.needs ?? (vendor.baseUrl === undefined ? [["base_url"]] : [])
}

/**
 * Returns the missing settings. Each list starts with the credential. If the entry has settings of one list, only that
 * list is reported.
 */
function missingSettings(path: SettingPath, provider: unknown, vendor: KnownVendor): Finding[] {
  const lacks = (name: string) => member(provider, name) === undefined
  const ways = completeSettings(vendor)
  if (ways.length === 0 || ways.some((way) => !way.some(lacks))) return []
  const begun = ways.filter(([credential = ""]) => !lacks(credential))
  const wanted = (begun.length > 0 ? begun : ways).map((way) => way.filter(lacks))
  const lacking = wanted[0]?.[0] ?? ""
  if (wanted.join() === "base_url") {
    const message = `needs a base_url: '${vendor.id}' has no address of its own`
    return [{ path, message, lacking }]
  }
  const complete = wanted.map((way) => way.join(" and "))
  return [{ path, message: `needs ${complete.join(", or ")}`, lacking }]
}

function foreignDialects(path: SettingPath, provider: unknown, vendor: KnownVendor): Finding[] {
  const written = member(provider, "dialects")
  const spoken = dialectsOf(vendor)
  if (!Array.isArray(written)) return []
  return written.flatMap((dialect, index) =>
    typeof dialect !== "string" || spoken.includes(dialect)
      ? []
      : [
          {
            path: [...path, "dialects", index],
            message: `is not spoken by vendor '${vendor.id}', which speaks ${spoken.join(", ") || "none"}`,
          },
        ],
  )
}

/**
 * Reports an API version that would occur twice in addresses. Vendors with their own API have the version in their
 * endpoint paths.
 */
function doubledVersion(path: SettingPath, provider: unknown, vendor: KnownVendor): Finding[] {
  const written = member(provider, "base_url")
  const isOwnApi = vendor.baseUrl !== undefined && !dialectsOf(vendor).includes("openai-chat")
  if (typeof written !== "string" || !isOwnApi) return []
  if (URL.parse(vendor.baseUrl ?? "")?.pathname !== "/") return []
  const [, base, version] = /^(.+?)(\/v\d\w*)\/*$/.exec(written.trim()) ?? []
  if (base === undefined) return []
  const message = `ends in ${version}, which the gateway adds itself. Write ${base}`
  return [{ path: [...path, "base_url"], message }]
}
