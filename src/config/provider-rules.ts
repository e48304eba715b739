import { type Finding, member } from "./finding.ts"
import { type KnownVendor, VENDOR_SETTINGS, type VendorSetting } from "./vendors.ts"
import type { SettingPath } from "./yaml-file.ts"

/** The settings of every vendor's providers. */
const COMMON_SETTINGS = ["vendor", "base_url", "headers", "known_models", "dialects"]

/** The settings of a vendor that does not list its own. */
export const USUAL_SETTINGS: readonly VendorSetting[] = ["api_key"]

/** What is invalid in a provider's entry, depending on its vendor. */
export function providerFindings(
  path: SettingPath,
  provider: unknown,
  vendors: readonly KnownVendor[],
): Finding[] {
  const vendor = vendors.find((vendor) => vendor.id === member(provider, "vendor"))
  if (!vendor) return []
  return [
    ...foreignSettings(path, provider, vendor),
    ...missingSettings(path, provider, vendor),
    ...foreignDialects(path, provider, vendor),
  ]
}

/** The names of the dialects that a vendor's servers speak. */
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
    message: `is no setting of vendor '${vendor.id}', which takes ${known}`,
  }))
}

/** The settings that a provider requires: all of one of these lists. */
export function waysToBeComplete(
  vendor: KnownVendor,
): readonly (readonly (VendorSetting | "base_url")[])[] {
  return vendor.needs ?? (vendor.baseUrl === undefined ? [["base_url"]] : [])
}

/** Each list starts with the credential; if one was started, only its settings are reported as missing. */
function missingSettings(path: SettingPath, provider: unknown, vendor: KnownVendor): Finding[] {
  const lacks = (name: string) => member(provider, name) === undefined
  const ways = waysToBeComplete(vendor)
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
