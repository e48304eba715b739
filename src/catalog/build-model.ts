import type { DialectId } from "../canon/extra.ts"
import { SEPARATE_REASONING } from "../canon/separate-reasoning.ts"
import type { ModelKind } from "#contract/model-kinds.ts"
import type {
  Strategy,
  DeploymentSettings,
  ModelSettings,
  ModeTable,
  PriceSettings,
  ProviderSettings,
} from "../config/settings.ts"
import { credentialsOf } from "../config/provider-credentials.ts"
import { suggestion } from "../config/nearest.ts"
import { cheapestFirst } from "./cheapest-first.ts"
import { dialectsOf, type KnownVendor } from "./dialects.ts"
import { parseDecimal } from "#contract/decimal.ts"
import type { DecimalPrice, DecimalServices } from "../ledger/parse-price.ts"
import { UNIT_FACTOR } from "../ledger/price.ts"
import { priceTimes } from "../ledger/price-modes.ts"
import { periodParts } from "../ledger/price-periods.ts"
import type { ModelFacts, PriceFacts, ServiceFacts } from "./facts.ts"
import { hidesReasoning, agentsOf } from "./unlisted-facts.ts"
import { kindOf, type KnownModels } from "./known-models.ts"
import { type ResolvedRules, resolveRules } from "./model-rules.ts"
import { CREDENTIAL_MARK, type Deployment, type Model } from "./model.ts"
import { modeFactors, readPeriod, readPrice, readPriceFacts, type ReadPrice } from "./read-price.ts"

const ANY_API = "any"

export interface ModelSources {
  readonly known: Pick<KnownModels, "find" | "servicesOf">
  /** The ids of all configured providers. */
  readonly providers: readonly string[]
  provider(id: string): CallableProvider | undefined
  /** The default multiplier, as decimal text. */
  readonly multiplier: string
  /** The default rule for choosing a deployment. */
  readonly strategy: Strategy
  /** Creation time of models of unknown age, in Unix seconds. */
  readonly created: number
}

/** A provider with a known vendor. */
export interface CallableProvider {
  readonly settings: ProviderSettings
  readonly vendor: KnownVendor
}

export interface BuiltModel {
  /** Absent if the model can never have a usable deployment. */
  readonly model?: Model
  readonly warnings: readonly string[]
}

/** The settings and the known facts of one model. */
interface Draft {
  readonly id: string
  readonly kind: ModelKind
  readonly settings: ModelSettings | undefined
  readonly facts: ModelFacts | undefined
  /** Vendor of the provider in the public id; undefined if there is no such provider. */
  readonly vendor: string | undefined
  readonly multiplier: string
}

/** Splits `<provider>/<model_name>`. */
export function splitId(id: string): { readonly provider: string; readonly name: string } {
  const slash = id.indexOf("/")
  return { provider: id.slice(0, slash), name: id.slice(slash + 1) }
}

/** Builds a public model. Settings override facts field by field, but a price always as a whole. */
export function buildModel(
  id: string,
  settings: ModelSettings | undefined,
  sources: ModelSources,
): BuiltModel {
  const { provider, name } = splitId(id)
  const facts = sources.known.find(provider, name)
  const kind = settings?.kind ?? (facts === undefined ? "chat" : kindOf(facts))
  if (kind === undefined) return { warnings: [`model ${id}: its kind '${facts?.kind}' is unknown`] }
  const multiplier = settings?.multiplier ?? sources.multiplier
  const vendor = sources.provider(provider)?.settings.vendor
  const draft: Draft = { id, kind, settings, facts, vendor, multiplier }
  const wanted = settings?.deployments ?? [{ provider, model: name, weight: 1 }]
  const warnings: string[] = []
  const built = wanted.flatMap(({ isPaused = false, ...settings }) => {
    const { deployment, warning } = buildDeployment(settings, draft, sources)
    if (warning !== undefined) warnings.push(`model ${id}${warning}`)
    if (!deployment) return []
    const provider = sources.provider(deployment.provider)?.settings
    return byCredential(deployment, provider).map((each) => ({ deployment: each, isPaused }))
  })
  const active = built.filter(({ isPaused }) => !isPaused).map(({ deployment }) => deployment)
  if (active.length === 0) return { warnings }
  if (settings?.hedge === true && active.length === 1) {
    warnings.push(`model ${id}: hedge has no effect, since it has one deployment`)
  }
  const isCalledInChats = active.some(({ rules }) => rules !== undefined)
  if (kind !== "chat" && settings?.rules !== undefined && !isCalledInChats) {
    warnings.push(`model ${id}: rules have no effect, since it is not a chat model`)
  }
  const paused = built.filter(({ isPaused }) => isPaused).map(({ deployment }) => deployment)
  const described = describeModel(draft, active, provider, sources)
  const model = paused.length === 0 ? described : { ...described, paused }
  return { model, warnings: [...new Set(warnings)] }
}

function describeModel(
  draft: Draft,
  deployments: readonly Deployment[],
  provider: string,
  sources: ModelSources,
): Model {
  const { settings, facts } = draft
  const strategy = settings?.strategy ?? sources.strategy
  const context = settings?.context ?? facts?.context
  const maxOutput = settings?.maxOutput ?? facts?.max_output
  return {
    id: draft.id,
    kind: draft.kind,
    created: facts?.created ?? sources.created,
    ownedBy: settings?.ownedBy ?? facts?.owner ?? provider,
    ...(context === undefined ? {} : { context }),
    ...(maxOutput === undefined ? {} : { maxOutput }),
    ...(settings?.maxInput === undefined ? {} : { maxInput: settings.maxInput }),
    ...(settings?.disconnect === undefined ? {} : { disconnect: settings.disconnect }),
    ...(strategy === "weight" ? {} : { strategy }),
    ...(settings?.hedge === undefined ? {} : { hedge: settings.hedge }),
    deployments: strategy === "price" ? cheapestFirst(deployments) : deployments,
  }
}

/** A deployment, and a warning that is worded as the end of a sentence about the model. */
interface BuiltDeployment {
  readonly deployment?: Deployment
  readonly warning?: string
}

function buildDeployment(
  wanted: DeploymentSettings,
  draft: Draft,
  sources: ModelSources,
): BuiltDeployment {
  const { provider, model: upstreamModel, weight } = wanted
  const callable = sources.provider(provider)
  if (!callable) {
    const hint = suggestion(provider, sources.providers) || " Add it under 'providers'."
    return { warning: `: provider '${provider}' is not set up.${hint}` }
  }
  const own = sources.known.find(provider, upstreamModel)
  const facts = own ?? (draft.vendor === callable.settings.vendor ? draft.facts : undefined)
  const known = rulesFor(wanted, draft, callable, facts)
  // If a model of another kind has rules, they apply to its chats.
  const rules = draft.kind === "chat" || known.rules?.modalities !== undefined ? known : undefined
  const chats = draft.kind === "chat" || rules !== undefined
  const dialects = chats ? chatDialects(wanted, draft, callable, own) : undefined
  if (dialects?.length === 0 && draft.kind === "chat") {
    return { warning: `: provider '${provider}' supports none of its dialects` }
  }
  const written = wanted.price ?? draft.settings?.price
  const services = servicesOf(callable.settings, own, sources.known.servicesOf(provider))
  const ownModes = callable.settings.prices?.modes
  const read = priceOf(written, draft, own, { services, ownModes })
  const { reason } = read
  const price =
    read.price && written === undefined
      ? priceTimes(
          read.price,
          regionalFactor(callable.settings, own, sources.known.servicesOf(provider)),
        )
      : read.price
  const agents = chats ? agentsOf(upstreamModel) : undefined
  const ownSearches = draft.settings?.ownSearches ?? own?.own_searches ?? draft.facts?.own_searches
  return {
    deployment: {
      id: `${provider}/${upstreamModel}`,
      provider,
      upstreamModel,
      weight,
      ...(dialects === undefined ? {} : { dialects }),
      ...rules,
      ...(draft.kind === "chat" &&
        hidesReasoning(upstreamModel, facts) && { hidesReasoning: true }),
      ...(agents !== undefined && { agents }),
      ...(chats && separateReasoningOf(callable.settings.vendor, upstreamModel, known)),
      ...(price === undefined ? {} : { price }),
      ...(ownSearches === undefined ? {} : { ownSearches }),
    },
    ...warningOf(reason, rules ?? {}, dialects),
  }
}

/** Ignores reasoning budgets of models that do not respect them, so that the hold is high enough. */
function separateReasoningOf(
  vendor: string,
  model: string,
  { rules }: ResolvedRules,
): Pick<Deployment, "separateReasoning"> {
  const own = SEPARATE_REASONING[vendor]
  if (own === undefined || rules?.reasoning === "unsupported") return {}
  const isKept = own.keeping?.test(model) ?? true
  return { separateReasoning: isKept ? own : { ...own, max: 0 } }
}

/** Returns the reason why a deployment is rejected, or a warning about rules that cannot be applied. */
function warningOf(
  reason: string | undefined,
  { enforced = {} }: ResolvedRules,
  dialects: readonly DialectId[] | undefined,
): Pick<BuiltDeployment, "warning"> {
  if (reason !== undefined) return { warning: ` is rejected: ${reason}` }
  const { api = ANY_API, tool_api: toolApi = ANY_API } = enforced
  const unspoken = [api, toolApi].find((one) => one !== ANY_API && dialects?.includes(one) !== true)
  if (unspoken === undefined) return {}
  return { warning: `: its rules require '${unspoken}', which a deployment does not support` }
}

function rulesFor(
  { model, rules }: DeploymentSettings,
  { settings }: Draft,
  callable: CallableProvider,
  facts: ModelFacts | undefined,
): ResolvedRules {
  const { vendor } = callable.settings
  return resolveRules({ vendor, model, facts, written: [settings?.rules, rules] })
}

/** Returns one deployment per credential of the provider. They share the weight of the deployment. */
function byCredential(
  deployment: Deployment,
  provider: ProviderSettings | undefined,
): readonly Deployment[] {
  const credentials = provider ? credentialsOf(provider) : []
  if (credentials.length === 0) return [deployment]
  const whole = credentials.reduce((sum, { weight }) => sum + weight, 0)
  return credentials.map(({ name, weight }, index) => ({
    ...deployment,
    id: `${deployment.id}${CREDENTIAL_MARK}${name}`,
    credential: { name, isFirst: index === 0 },
    weight: (deployment.weight * weight) / whole,
  }))
}

function chatDialects(
  wanted: DeploymentSettings,
  draft: Draft,
  { settings, vendor }: CallableProvider,
  own: ModelFacts | undefined,
): readonly DialectId[] {
  const written = wanted.dialects ?? draft.settings?.dialects
  // The dialects known for the vendor in the model's id do not apply to other vendors.
  const named = draft.vendor === settings.vendor ? draft.facts : undefined
  return dialectsOf(vendor, settings, written, (own ?? named)?.dialects)
}

/** The location of Google's servers at which regional prices do not apply. */
const GLOBAL = "global"

/** Returns the factor on a vendor's prices at a provider's location or address, in millionths. */
function regionalFactor(
  { baseUrl, location = GLOBAL }: ProviderSettings,
  own: ModelFacts | undefined,
  known: ServiceFacts | undefined,
): bigint {
  if (own?.regional !== undefined && location !== GLOBAL) return parseDecimal(own.regional, 6)
  const regional = known?.regional
  if (regional === undefined || baseUrl === undefined || own === undefined) return UNIT_FACTOR
  // A chat model without a date is only in the newest lists.
  const created = own.created ?? (own.kind === "chat" ? Infinity : 0)
  const isNew = created * 1000 >= Date.parse(regional.since)
  const isDefined = regional.hosts.split(" ").includes(new URL(baseUrl).hostname)
  return isNew && isDefined ? parseDecimal(regional.factor, 6) : UNIT_FACTOR
}

/**
 * Merges the charges in addition to the model's price: those of the provider's settings, of the model at this vendor,
 * and of the vendor itself.
 */
function servicesOf(
  { prices }: ProviderSettings,
  own: ModelFacts | undefined,
  known: ServiceFacts | undefined,
): DecimalServices {
  const modes = { ...known?.modes, ...modeFactors(own?.price), ...prices?.modes }
  // `parsePrice` reads only supported names, and their values are decimal text.
  return { ...(known as DecimalServices | undefined), ...prices, modes }
}

/** Charges in addition to the model's price, including modes from the provider's settings. */
interface BesidePrice {
  readonly services: DecimalServices
  readonly ownModes: ModeTable | undefined
}

/** Returns the deployment's price, or else the model's price, or else the vendor's known price. */
function priceOf(
  written: PriceSettings | undefined,
  draft: Draft,
  own: ModelFacts | undefined,
  { services, ownModes }: BesidePrice,
): ReadPrice {
  const { kind, multiplier } = draft
  if (written !== undefined) {
    const price = withKnownModes(written, own, ownModes)
    return readPrice(kind, price, multiplier, services)
  }
  const known = draft.facts?.price ?? own?.price
  if (known === undefined) {
    return { reason: "it has no price. Set one in the console or under 'models' in the settings" }
  }
  // The provider's settings override the known modes.
  const { modes: listed, periods, ...rates } = known
  const inPeriods = periods?.map((period) =>
    period.modes === undefined ? period : { ...period, modes: { ...period.modes, ...ownModes } },
  )
  // Rates of modes belong to the price that lists them.
  const modes = known === own?.price ? { ...listed, ...ownModes } : {}
  const price: PriceFacts = { ...rates, modes, ...(inPeriods && { periods: inPeriods }) }
  return readPriceFacts(kind, price, multiplier, services)
}

/** Adds the model's known modes, with their times, to a price that has no times. */
function withKnownModes(
  written: PriceSettings,
  own: ModelFacts | undefined,
  ownModes: ModeTable | undefined,
): DecimalPrice {
  if (written.periods !== undefined) return written
  const periods = (own?.price?.periods ?? []).flatMap((period) => {
    if (period.modes === undefined) return []
    const { name, times } = periodParts(readPeriod(period))
    const modes = { ...modeFactors({ ...own?.price, ...period }), ...ownModes, ...written.modes }
    return { ...(name !== undefined && { name }), ...times, modes }
  })
  return periods.length === 0 ? written : { ...written, periods }
}
