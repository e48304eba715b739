import type { DeadlineSettings, ModelSettings, Settings } from "./settings.ts"

/** All that may be shown of a secret. */
export type Presence = "set" | "not set"

export interface ProviderDescription {
  readonly vendor: string
  readonly apiKey: Presence
  readonly baseUrl?: string
  readonly headers: Readonly<Record<string, Presence>>
  readonly knownModels: boolean
  readonly origin: string
}

export interface SettingsDescription {
  readonly server: Settings["server"]
  readonly data: string
  readonly publicUrl?: string
  readonly adminToken: Presence
  readonly limits: Settings["limits"]
  readonly deadlines: DeadlineSettings
  readonly multiplier: string
  readonly providers: Readonly<Record<string, ProviderDescription>>
  readonly models: Readonly<Record<string, ModelSettings>>
}

/** The settings as they may be shown to an operator: everything but the secrets. */
export function describeSettings(settings: Settings): SettingsDescription {
  const { publicUrl, adminToken, providers, ...open } = settings
  return {
    ...open,
    ...(publicUrl === undefined ? {} : { publicUrl }),
    adminToken: presence(adminToken),
    providers: mapValues(providers, ({ apiKey, headers, ...open }) => ({
      ...open,
      apiKey: presence(apiKey),
      headers: mapValues(headers, presence),
    })),
  }
}

function presence(secret: string | undefined): Presence {
  return secret === undefined ? "not set" : "set"
}

function mapValues<Value, Result>(
  table: Readonly<Record<string, Value>>,
  map: (value: Value) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(table).map(([name, value]) => [name, map(value)]))
}
