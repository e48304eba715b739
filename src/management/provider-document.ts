import type { Catalog } from "../catalog/catalog.ts"
import { placeOf, type RawEntry, secretNames, splitSecrets } from "../config/console-settings.ts"
import type { ProviderSettings } from "../config/settings.ts"
import type { Health } from "../routing/health.ts"
import { vendors } from "../vendors/index.ts"
import type { Provider } from "#contract/catalog.ts"
import { healthDocument, summedReport } from "./health-document.ts"
import type { LiveSettings } from "./live-settings.ts"
import { toSentence } from "./sentence.ts"

/** The numbers of a provider's models and deployments. */
export interface ProviderTally {
  models: number
  unpriced: number
  /** The ids of the provider's deployments. */
  readonly deployments: Set<string>
}

/** Counts the models of all providers. */
export function tallyProviders(catalog: Catalog): Map<string, ProviderTally> {
  const tallies = new Map<string, ProviderTally>()
  for (const model of catalog.list()) {
    if (model.members !== undefined) continue
    for (const provider of new Set(model.deployments.map((one) => one.provider))) {
      const tally = tallies.get(provider) ?? { models: 0, unpriced: 0, deployments: new Set() }
      const own = model.deployments.filter((one) => one.provider === provider)
      tally.models++
      if (own.every(({ price }) => price === undefined)) tally.unpriced++
      for (const { id } of own) tally.deployments.add(id)
      tallies.set(provider, tally)
    }
  }
  return tallies
}

/** Returns the parts of a provider's entry that may be shown, for the API and the audit log. */
export function shownEntry(id: string, entry: RawEntry): RawEntry {
  return { id, ...splitSecrets(entry).open, secrets: secretNames(entry) }
}

interface ProviderFacts {
  readonly live: LiveSettings
  readonly health: Health
  readonly tally: ProviderTally | undefined
}

/** Returns a provider as operators see it; undefined if it does not exist. */
export function providerDocument(id: string, facts: ProviderFacts): Provider | undefined {
  const { live, health, tally } = facts
  const settings = settingsOf(live, id)
  const entry = live.entry("provider", id)
  if (settings === undefined && live.record("provider", id) === undefined) return undefined
  const origin = settings?.origin ?? "console"
  const vendor = settings?.vendor ?? textOf(entry?.["vendor"]) ?? ""
  const reports = [...(tally?.deployments ?? [])].map((deployment) => health.report(deployment))
  return {
    id,
    vendor,
    vendor_name: vendors.get(vendor)?.name ?? vendor,
    base_url: settings?.baseUrl ?? textOf(entry?.["base_url"]) ?? null,
    region: settings?.region ?? textOf(entry?.["region"]) ?? null,
    secrets: settings === undefined ? secretNames(entry ?? {}) : secretsOf(settings),
    credentials: (settings?.apiKeys ?? []).map(({ name, weight }) => ({ name, weight })),
    known_models: settings?.knownModels ?? true,
    origin,
    is_locked: origin !== "console",
    models: tally?.models ?? 0,
    unpriced_models: tally?.unpriced ?? 0,
    health: healthDocument(summedReport(reports), true),
    problem:
      settings === undefined
        ? toSentence(live.reading.faults.get(placeOf("provider", id)) ?? "it is not used")
        : null,
    entry: origin === "console" ? splitSecrets(entry ?? {}).open : null,
  }
}

/** Returns the parts of a provider that everyone may see, which are its identity and its health. */
export function publicProvider(provider: Provider): Provider {
  return {
    ...provider,
    base_url: null,
    region: null,
    secrets: [],
    credentials: [],
    is_locked: true,
    health: { ...provider.health, last_error: null },
    problem: null,
    entry: null,
  }
}

/** Returns the settings of a provider. Also correct for a provider named `constructor`. */
export function settingsOf(live: LiveSettings, id: string): ProviderSettings | undefined {
  const { providers } = live.effective
  return Object.hasOwn(providers, id) ? providers[id] : undefined
}

function secretsOf(settings: ProviderSettings): string[] {
  const set = {
    api_key: settings.apiKey,
    credentials: settings.credentials,
    access_key_id: settings.accessKeyId,
    secret_access_key: settings.secretAccessKey,
    session_token: settings.sessionToken,
  }
  const names = Object.entries(set).filter(([, value]) => value !== undefined)
  return [
    ...names.map(([name]) => name),
    ...(settings.apiKeys ?? []).map(({ name }) => `api_keys.${name}`),
    ...Object.keys(settings.headers).map((header) => `headers.${header}`),
  ]
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined
}
