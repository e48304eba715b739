import { DECLARED_SETTINGS } from "./declared-settings.ts"
import { valueAt, withValueAt } from "./places.ts"
import type { ProviderSettings } from "./sections/providers.ts"
import { describeHeaders, type Presence, presence } from "./secret-forms.ts"
import type { Settings } from "./settings.ts"

/** The settings without secrets, in the structure of `Settings`. */
export interface SettingsDescription extends Readonly<Record<string, unknown>> {
  readonly adminToken: Presence
  readonly providers: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly models: Settings["models"]
}

/** Returns the settings without secrets, for display to operators. */
export function describeSettings(settings: Settings): SettingsDescription {
  let shown: object = settings
  for (const { at, secret } of DECLARED_SETTINGS) {
    if (secret === undefined || valueAt(settings, at.slice(0, -1)) === undefined) continue
    const description = secret.describe(valueAt(settings, at) ?? undefined)
    if (description !== undefined) shown = withValueAt(shown, at, description)
  }
  const providers = Object.entries(settings.providers).map(
    ([id, provider]) => [id, describeProvider(provider)] as const,
  )
  return { ...shown, providers: Object.fromEntries(providers) } as SettingsDescription
}

function describeProvider(provider: ProviderSettings): Readonly<Record<string, unknown>> {
  const {
    apiKey,
    apiKeys,
    headers,
    credentials,
    accessKeyId,
    secretAccessKey,
    sessionToken,
    ...open
  } = provider
  return {
    ...open,
    apiKey: presence(apiKey),
    ...(apiKeys && { apiKeys: apiKeys.map(({ name, weight }) => ({ name, weight })) }),
    headers: describeHeaders(headers),
    ...(credentials && { credentials: "set" }),
    ...(accessKeyId && { accessKeyId: "set" }),
    ...(secretAccessKey && { secretAccessKey: "set" }),
    ...(sessionToken && { sessionToken: "set" }),
  }
}
