import type { ProviderSettings } from "./settings.ts"

/** One of the credentials of a provider that has several. */
export interface ProviderCredential {
  readonly name: string
  /** Its share of the provider's requests. */
  readonly weight: number
  /** The provider, with this credential alone. */
  readonly settings: ProviderSettings
}

/** The credentials of a provider; none where it has only one, or needs none. */
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

/** Each way in which a provider can be called: with each of its credentials, or as it is. */
export function signingSettings(provider: ProviderSettings): readonly ProviderSettings[] {
  const credentials = credentialsOf(provider)
  return credentials.length === 0 ? [provider] : credentials.map(({ settings }) => settings)
}
