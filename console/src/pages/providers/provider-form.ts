import type { Provider, Vendor } from "tollgate-contract/catalog.ts"
import { entriesOf, type TypedKey } from "./typed-keys.ts"

/** What is typed into the fields of a vendor, by name. */
export type TypedFields = Readonly<Record<string, string>>

/** All that a provider's form holds. */
export interface TypedProvider {
  readonly fields: TypedFields
  /** Undefined: it has one API key, which is a field like others. */
  readonly keys: readonly TypedKey[] | undefined
}

/** Vendors whose name or id has every word of the search, those that begin with it first. */
export function findVendors(vendors: readonly Vendor[], search: string): Vendor[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const found = vendors.filter((vendor) => {
    const text = `${vendor.name} ${vendor.id}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
  const [first = ""] = words
  return found.toSorted((left, right) => {
    const leftBegins = left.name.toLowerCase().startsWith(first)
    const rightBegins = right.name.toLowerCase().startsWith(first)
    if (leftBegins !== rightBegins) return leftBegins ? -1 : 1
    return left.name.localeCompare(right.name)
  })
}

/** A free id for a provider of a vendor: its own, or with a number. */
export function freeId(vendor: string, taken: readonly string[]): string {
  const base = vendor.replace(/[^a-z0-9-]/g, "-").slice(0, 36)
  if (!taken.includes(base)) return base
  for (let number = 2; ; number++) {
    const id = `${base}-${number}`
    if (!taken.includes(id)) return id
  }
}

/** What is wrong with an id, as the API would say it; undefined when nothing is. */
export function idFault(id: string, taken: readonly string[]): string | undefined {
  if (!/^[a-z0-9][a-z0-9-]{0,39}$/.test(id)) {
    return "must be lowercase letters, digits and hyphens, at most 40 characters"
  }
  return taken.includes(id) ? "A provider with this name already exists." : undefined
}

/** The initial fields of the form for a change: all settings except secrets, which are never shown. */
export function typedOf(vendor: Vendor, provider: Provider): TypedFields {
  const typed: Record<string, string> = {}
  for (const { name, is_secret: isSecret } of vendor.fields) {
    const value = provider.entry?.[name]
    if (!isSecret && typeof value === "string") typed[name] = value
  }
  return typed
}

/** A change: what is typed, and null for what was emptied. A secret that is not typed stays. */
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

/** The members of an entry: what is typed. What is empty is left out. */
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

/** Names of required fields that are still empty. */
export function missingFields(vendor: Vendor, { fields, keys }: TypedProvider): string[] {
  return vendor.fields
    .filter(({ name }) => name !== "api_key" || keys === undefined)
    .filter((field) => field.is_required && (fields[field.name] ?? "").trim() === "")
    .map(({ label }) => label)
}
