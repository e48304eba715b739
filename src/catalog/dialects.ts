import type { DialectId } from "../canon/extra.ts"
import type { ProviderSettings } from "../config/settings.ts"

/** The facts about a vendor that the catalog needs. */
export interface KnownVendor {
  /** The dialects of the vendor's servers, with the preferred one first. */
  readonly chat: readonly { readonly dialect: { readonly id: DialectId } }[]
  /** Dialects that a provider's servers only support if its settings enable them. */
  readonly optionalDialects?: readonly DialectId[]
}

/** The vendors by id. */
export interface KnownVendors {
  get(id: string): KnownVendor | undefined
}

/**
 * Returns the dialects for calling a chat model at a provider, with the preferred one first. Empty if the provider
 * supports none of the model's dialects.
 * @param written the model's own settings, which override everything else.
 * @param known the known dialects of the model at this vendor.
 */
export function dialectsOf(
  vendor: KnownVendor,
  provider: ProviderSettings,
  written: readonly string[] | undefined,
  known: readonly string[] | undefined,
): readonly DialectId[] {
  const spoken = vendor.chat.map(({ dialect }) => dialect.id)
  if (written !== undefined) return inOrderOf(written, spoken)
  const usual =
    provider.dialects === undefined
      ? spoken.filter((id) => vendor.optionalDialects?.includes(id) !== true)
      : inOrderOf(provider.dialects, spoken)
  return known === undefined ? usual : usual.filter((id) => known.includes(id))
}

/** Sorts supported dialects by the operator's preference. */
function inOrderOf(names: readonly string[], spoken: readonly DialectId[]): DialectId[] {
  return [...new Set(names)].flatMap((name) => spoken.find((id) => id === name) ?? [])
}
