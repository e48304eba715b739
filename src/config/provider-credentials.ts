import type { ProviderSettings } from "./settings.ts"

/** A credential of a provider that has several. */
export interface ProviderCredential {
  readonly name: string
  /** Its share of the provider's requests. */
  readonly weight: number
  /** The provider with only this credential. */
  readonly settings: ProviderSettings
}

/** Returns the credentials of a provider; empty if it has only one, or does not need any. */
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

/**
 * Returns the settings of a provider with each of its credentials, or unchanged if it has only one.
 */
export function signingSettings(provider: ProviderSettings): readonly ProviderSettings[] {
  const credentials = credentialsOf(provider)
  return credentials.length === 0 ? [provider] : credentials.map(({ settings }) => settings)
}
