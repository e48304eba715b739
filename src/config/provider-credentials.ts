import type { ProviderSettings } from "./settings.ts"

/** One of several credentials of a provider. */
export interface ProviderCredential {
  readonly name: string
  /** The credential's share of the provider's requests. */
  readonly weight: number
  /** The provider's settings with only this credential. */
  readonly settings: ProviderSettings
}

/** Returns the credentials of a provider; empty if it has at most one. */
export function credentialsOf({
  apiKeys = [],
  ...provider
}: ProviderSettings): readonly ProviderCredential[] {
  return apiKeys.map(({ name, weight, ...credential }) => ({
    name,
    weight,
    settings: { ...provider, ...credential },
  }))
}

/** Returns a provider's settings once for each of its credentials, or unchanged if it has at most one. */
export function signingSettings(provider: ProviderSettings): readonly ProviderSettings[] {
  const credentials = credentialsOf(provider)
  return credentials.length === 0 ? [provider] : credentials.map(({ settings }) => settings)
}
