import { USUAL_SETTINGS, completeSettings } from "../config/provider-rules.ts"
import type { VendorSetting } from "../config/vendors.ts"
import { vendors } from "../vendors/index.ts"
import type { Vendor } from "../vendors/vendor.ts"
import type { Vendor as VendorDocument } from "#contract/catalog.ts"

/** The settings in a form. The machine's identity is not one of them, because only the settings file can enable it. */
type FieldName = Exclude<VendorSetting, "identity"> | "base_url"
type Field = VendorDocument["fields"][number]

interface FieldFacts {
  readonly label: string
  readonly isSecret?: true
  readonly placeholder?: string
}

const FIELDS: Readonly<Record<FieldName, FieldFacts>> = {
  api_key: { label: "API key", isSecret: true },
  base_url: { label: "Base URL", placeholder: "https://models.example.com/v1" },
  account: { label: "Account or host", placeholder: "my-account" },
  region: { label: "Region", placeholder: "us-east-1" },
  project: { label: "Project", placeholder: "my-project" },
  location: { label: "Location", placeholder: "global" },
  credentials: {
    label: "Google credentials (JSON)",
    isSecret: true,
    placeholder: '{"type": "service_account", ...}',
  },
  access_key_id: { label: "Access key ID", isSecret: true },
  secret_access_key: { label: "Secret access key", isSecret: true },
  session_token: { label: "Session token", isSecret: true },
}

/**
 * Returns every vendor that can be added, with its form fields, sorted by name. The list is built from the vendors'
 * table.
 */
export function vendorForms(): VendorDocument[] {
  return [...vendors.values()]
    .map((vendor) => ({
      id: vendor.id,
      name: vendor.name,
      base_url: vendor.baseUrl ?? null,
      fields: fieldsOf(vendor),
    }))
    .toSorted((left, right) => left.name.localeCompare(right.name, "en"))
}

/** Returns the fields of a form. Required fields come first. The address comes last if the vendor has a fixed one. */
function fieldsOf(vendor: Vendor): Field[] {
  const ways = completeSettings(vendor)
  const names = new Set([
    ...ways.flat(),
    ...(vendor.settings ?? USUAL_SETTINGS),
    "base_url" as const,
  ])
  return [...names].filter(isField).map((name) => {
    const { label, isSecret = false, placeholder } = FIELDS[name]
    return {
      name,
      label,
      is_required: isRequired(vendor, name),
      is_secret: isSecret,
      placeholder: (name === "base_url" ? vendor.baseUrl : undefined) ?? placeholder ?? null,
    }
  })
}

function isField(name: VendorSetting | "base_url"): name is FieldName {
  return name in FIELDS
}

/**
 * Whether a field is required. The form of a vendor with its own servers requires the key, although the key is optional
 * for a provider behind a proxy.
 */
function isRequired(vendor: Vendor, name: FieldName): boolean {
  const ways = completeSettings(vendor).filter((way) => way.every(isField))
  if (ways.length > 0 && ways.every((way) => way.includes(name))) return true
  if (name !== "api_key") return false
  const { variableSets, keyVariables, baseUrl } = vendor
  if (variableSets !== undefined) return variableSets.every(({ needed }) => "api_key" in needed)
  return baseUrl !== undefined && keyVariables.length > 0
}
