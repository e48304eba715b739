import { Redactor } from "../canon/redactor.ts"
import { atOnce, inOwnTurns, ownTurn, type Steps } from "../canon/next-turn.ts"
import { catalogSteps } from "../catalog/build-catalog.ts"
import type { Facts } from "../catalog/facts.ts"
import { LearnedRules } from "../catalog/learned-rules.ts"
import { secretsOf } from "../config/secret-values.ts"
import type { Settings } from "../config/settings.ts"
import { TrustedProxies } from "../http/trusted-proxies.ts"
import { defaultMemory } from "../limits/machine-memory.ts"
import { MemoryBudget } from "../limits/memory-budget.ts"
import { clientsOf } from "../relay/request/provider-client.ts"
import type { ActiveSettings } from "../management/live-settings.ts"
import { BUILT_IN } from "../management/prices/stored-lists.ts"
import type { RuntimeConfig } from "../relay/request/runtime-config.ts"
import type { Events } from "../telemetry/events.ts"
import { vendors } from "../vendors/index.ts"
import { proxyWarnings } from "../wire/http/proxies.ts"

/** The state that changes while the gateway runs. */
export interface State {
  settings: Settings
  config: RuntimeConfig
  readonly memory: MemoryBudget
  readonly redactor: Redactor
  proxies: TrustedProxies
  /** Whether to stop waiting for running requests. */
  skipsDrain: boolean
  /** Warnings about all active settings, including settings from the file and the environment. */
  warnings: readonly string[]
  /** The address that the gateway listens on; empty before that. */
  url: string
}

export function initialState(active: ActiveSettings, events: Events, redactor: Redactor): State {
  const { settings, facts } = active
  redactor.addSecrets(secretsOf(settings))
  const learnedRules = new LearnedRules(events.ruleLearned)
  const { config, warnings: built } = runtimeConfigOf(settings, { facts, redactor, learnedRules })
  const warnings = [...active.warnings, ...built]
  for (const warning of warnings) events.warning(warning)
  const memory = new MemoryBudget(memoryOf(settings))
  const proxies = proxiesOf(settings, events)
  return { settings, config, memory, redactor, proxies, warnings, skipsDrain: false, url: "" }
}

/**
 * Builds the configuration for settings and known prices, in several turns of the event loop.
 * @returns a function that activates them for new requests.
 */
export async function prepareSettings(
  state: State,
  { settings, facts, warnings: loaded }: ActiveSettings,
  events: Events,
): Promise<() => void> {
  state.redactor.addSecrets(secretsOf(settings))
  const { redactor, config: previous } = state
  const { learnedRules } = previous
  const steps = runtimeConfigSteps(settings, { facts, redactor, learnedRules })
  const { config, warnings: built } = await inOwnTurns(steps)
  await ownTurn()
  return () => {
    const warnings = [...loaded, ...built]
    const known = new Set(state.warnings)
    for (const warning of warnings) if (!known.has(warning)) events.warning(warning)
    state.warnings = warnings
    state.memory.limit = memoryOf(settings)
    state.proxies = proxiesOf(settings, events)
    state.settings = settings
    state.config = config
  }
}

function proxiesOf({ server }: Settings, events: Events): TrustedProxies {
  return new TrustedProxies(server.trustedProxies, (proxy) =>
    events.warning(
      `ignoring x-forwarded-for from ${proxy}: add it to server.trusted_proxies if it is a proxy of yours`,
    ),
  )
}

/** Returns this process's share of the gateway's memory limit, in bytes. */
function memoryOf({ limits, server }: Settings): number {
  return Math.floor((limits.memoryBytes ?? defaultMemory()) / server.workers)
}

interface ConfigParts {
  readonly facts?: Facts
  readonly redactor?: Redactor
  readonly learnedRules?: LearnedRules
}

interface BuiltConfig {
  readonly config: RuntimeConfig
  readonly warnings: readonly string[]
}

/** Builds the configuration that serves requests from the settings and the known prices. */
export function runtimeConfigOf(settings: Settings, parts: ConfigParts = {}): BuiltConfig {
  return atOnce(runtimeConfigSteps(settings, parts))
}

function* runtimeConfigSteps(
  settings: Settings,
  {
    facts = BUILT_IN.facts,
    redactor = new Redactor(),
    learnedRules = new LearnedRules(),
  }: ConfigParts,
): Steps<BuiltConfig> {
  const { catalog, warnings: built } = yield* catalogSteps({ settings, facts, vendors })
  const warnings = [...proxyWarnings(process.env), ...built]
  const clients = new Map(
    Object.entries(settings.providers).flatMap(([provider, settings]) => {
      const vendor = vendors.get(settings.vendor)
      return vendor ? clientsOf({ provider, settings, vendor, redactor }) : []
    }),
  )
  const { timeouts, limits, routing, disconnect, disconnectLimit } = settings
  const media = { bytes: limits.mediaBytes, allowsPrivate: limits.mediaPrivate }
  const config: RuntimeConfig = {
    catalog,
    clients,
    timeouts,
    responseBytes: limits.responseBytes,
    routing,
    disconnect,
    disconnectLimit,
    media,
    learnedRules,
    passesUnpriced: settings.unpricedFeatures === "allow",
    passesUnknownState: settings.vendorState === "any",
    ...(settings.imageModel !== undefined && { imageModel: settings.imageModel }),
    ...(settings.translationModel !== undefined && {
      translationModel: settings.translationModel,
    }),
  }
  return { config, warnings }
}
