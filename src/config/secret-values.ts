import { DECLARED_SETTINGS } from "./declared-settings.ts"
import type { GoogleCredentials } from "./google-credentials.ts"
import { valueAt } from "./places.ts"
import { signingSettings } from "./provider-credentials.ts"
import { headerSecrets } from "./secret-forms.ts"
import type { ProviderSettings } from "./sections/providers.ts"
import type { Settings } from "./settings.ts"

export function secretsOf(settings: Settings): string[] {
  const declared = DECLARED_SETTINGS.flatMap(({ at, secret }) => {
    const value = valueAt(settings, at) ?? undefined
    return secret === undefined || value === undefined ? [] : secret.textsOf(value)
  })
  return [
    ...declared.filter((text) => text !== ""),
    ...Object.values(settings.providers).flatMap(providerSecrets),
  ]
}

function providerSecrets(provider: ProviderSettings): string[] {
  return [
    ...signingSettings(provider).flatMap(credentialSecrets),
    ...Object.values(provider.headers).flatMap(headerSecrets),
  ]
}

function credentialSecrets(credential: ProviderSettings): string[] {
  const { apiKey, accessKeyId, secretAccessKey, sessionToken, credentials } = credential
  const plain = [apiKey, accessKeyId, secretAccessKey, sessionToken]
  const google = credentials === undefined ? [] : googleSecrets(credentials)
  return [...plain, ...google].filter((secret) => secret !== undefined)
}

function googleSecrets(credentials: GoogleCredentials): (string | undefined)[] {
  if ("refreshToken" in credentials) return [credentials.clientSecret, credentials.refreshToken]
  if ("source" in credentials) {
    const { source } = credentials
    return "headers" in source ? Object.values(source.headers).flatMap(headerSecrets) : []
  }
  return [
    credentials.clientEmail,
    credentials.privateKeyId,
    // Error messages may contain single lines of a private key.
    ...credentials.privateKey.split("\n").filter((line) => !line.startsWith("-----")),
  ]
}
