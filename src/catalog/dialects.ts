import type { DialectId } from "../canon/extra.ts"
import type { ProviderSettings } from "../config/settings.ts"

/** The facts about a vendor that the catalog needs. */
export interface KnownVendor {
  /** The dialects of its servers, the preferred one first. */
  readonly chat: readonly { readonly dialect: { readonly id: DialectId } }[]
  /** Dialects that a provider's servers support only if enabled in its settings. */
  readonly optionalDialects?: readonly DialectId[]
}

/** The vendors by id. */
export interface KnownVendors {
  get(id: string): KnownVendor | undefined
}

/**
 * Returns the dialects for calling a chat model at a provider, the preferred one first. Empty if the provider supports
 * no dialect of the model.
 * @param written the settings of the model itself, which override everything else.
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

/** Sorts supported dialects in the operator's order, which is the order of preference. */
function inOrderOf(names: readonly string[], spoken: readonly DialectId[]): DialectId[] {
  return [...new Set(names)].flatMap((name) => spoken.find((id) => id === name) ?? [])
}
