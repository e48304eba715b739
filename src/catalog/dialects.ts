import type { DialectId } from "../canon/extra.ts"
import type { ProviderSettings } from "../config/settings.ts"

/** What the catalog needs to know of a vendor. */
export interface KnownVendor {
  /** What its servers speak, the preferred one first. */
  readonly chat: readonly { readonly dialect: { readonly id: DialectId } }[]
  /** Those that a provider's servers speak only where its settings say so. */
  readonly optionalDialects?: readonly DialectId[]
}

/** The vendors' table, by their ids. */
export interface KnownVendors {
  get(id: string): KnownVendor | undefined
}

/**
 * The dialects that a chat model can be called in at one provider, the preferred one first. Empty when the
 * provider speaks none that the model is offered in.
 * @param written what the settings say of the model itself: it overrides everything else.
 * @param known what is known of the model at this vendor.
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

/** The operator's order is their preference. */
function inOrderOf(names: readonly string[], spoken: readonly DialectId[]): DialectId[] {
  return [...new Set(names)].flatMap((name) => spoken.find((id) => id === name) ?? [])
}
