import type { Provider, Vendor } from "tollgate-contract/catalog.ts"
import { entriesOf, type TypedKey } from "./typed-keys.ts"
import { t } from "../../languages/text.ts"

/** The typed values of a vendor's fields, by name. */
export type TypedFields = Readonly<Record<string, string>>

/** The values of a provider's form. */
export interface TypedProvider {
  readonly fields: TypedFields
  /** The keys; undefined if the provider has a single API key, which is an ordinary field. */
  readonly keys: readonly TypedKey[] | undefined
}

/**
 * Returns vendors whose name or id contains every word of the search text. Vendors that start with the text come first.
 */
export function findVendors(vendors: readonly Vendor[], search: string): Vendor[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const found = vendors.filter((vendor) => {
    const text = `${vendor.name} ${vendor.id}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
  const [first = ""] = words
  return found.toSorted((left, right) => {
    const leftStarts = left.name.toLowerCase().startsWith(first)
    const rightStarts = right.name.toLowerCase().startsWith(first)
    if (leftStarts !== rightStarts) return leftStarts ? -1 : 1
    return left.name.localeCompare(right.name)
  })
}

/** Returns an unused id for a provider of a vendor: the vendor's id, with a number if necessary. */
export function freeId(vendor: string, taken: readonly string[]): string {
  const base = vendor.replace(/[^a-z0-9-]/g, "-").slice(0, 36)
  if (!taken.includes(base)) return base
  for (let number = 2; ; number++) {
    const id = `${base}-${number}`
    if (!taken.includes(id)) return id
  }
}

/** Returns the error of an id, with the API's message; undefined if the id is valid. */
export function idFault(id: string, taken: readonly string[]): string | undefined {
  if (!/^[a-z0-9][a-z0-9-]{0,39}$/.test(id)) {
    return t("must be lowercase letters, digits and hyphens, at most 40 characters")
  }
  return taken.includes(id) ? t("A provider with this name already exists.") : undefined
}

/** Returns the initial values for editing a provider: all settings except secrets, which are never shown. */
export function typedOf(vendor: Vendor, provider: Provider): TypedFields {
  const typed: Record<string, string> = {}
  for (const { name, is_secret: isSecret } of vendor.fields) {
    const value = provider.entry?.[name]
    if (!isSecret && typeof value === "string") typed[name] = value
  }
  return typed
}

/**
 * Builds a change from the typed values, with null for cleared fields. Empty secret fields leave the secrets unchanged.
 */
export function changeOf(
  vendor: Vendor,
  provider: Provider,
  { fields, keys }: TypedProvider,
): Record<string, unknown> {
  const before = typedOf(vendor, provider)
  const after = entryOf(vendor, { fields, keys })
  const emptied = Object.keys(before).filter((name) => after[name] === undefined)
  const taken = keys !== undefined && provider.secrets.includes("api_key") ? ["api_key"] : []
  return { ...after, ...Object.fromEntries([...emptied, ...taken].map((name) => [name, null])) }
}

/** Builds an entry from the typed values. Empty values are omitted. */
export function entryOf(vendor: Vendor, { fields, keys }: TypedProvider): Record<string, unknown> {
  const entry: Record<string, unknown> = {}
  for (const { name } of vendor.fields) {
    const value = (fields[name] ?? "").trim()
    if (value !== "") entry[name] = value
  }
  if (keys === undefined) return entry
  const { api_key: _, ...others } = entry
  return { ...others, api_keys: entriesOf(keys) }
}

/** Returns the names of required fields that are empty. */
export function missingFields(vendor: Vendor, { fields, keys }: TypedProvider): string[] {
  return vendor.fields
    .filter(({ name }) => name !== "api_key" || keys === undefined)
    .filter((field) => field.is_required && (fields[field.name] ?? "").trim() === "")
    .map(({ label }) => label)
}
