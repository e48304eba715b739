import { GatewayError } from "../canon/errors.ts"
import { inOwnTurns } from "../canon/next-turn.ts"
import { catalogSteps } from "../catalog/build-catalog.ts"
import type { Catalog } from "../catalog/catalog.ts"
import type { LearnedRules } from "../catalog/learned-rules.ts"
import { isPriced, type Model } from "../catalog/model.ts"
import { entryFindings, namedProviders } from "../config/console-entry.ts"
import type { RawEntry } from "../config/console-settings.ts"
import type { Settings } from "../config/settings.ts"
import type { Facts } from "../catalog/facts.ts"
import type { Health } from "../routing/health.ts"
import { vendors } from "../vendors/index.ts"
import { type Actor, requireOperator, requireRole } from "./actor.ts"
import { multiplierText } from "../ledger/money.ts"
import { type ConsoleChanges, locked } from "./console-changes.ts"
import type { Model as ModelDocument, NewerModel } from "#contract/catalog.ts"
import type { Page } from "#contract/common.ts"
import { customerModel } from "./customer-model.ts"
import { pageFrom, type PageQuery, positionOf } from "./cursor.ts"
import { rejected, rejectFindings } from "./entry-rejection.ts"
import { healthDocument, summedReport } from "./health-document.ts"
import { KnownPrices } from "./known-prices.ts"
import type { LiveSettings } from "./live-settings.ts"
import { deploymentsOf, endpointsOf } from "./model-deployments.ts"
import { DescribedModels } from "./model-facts.ts"
import { MAX_READ_REQUESTS, newerModels, UNKNOWN_MODEL } from "./newer-models.ts"
import { priceDocument, priceInForce } from "./price-document.ts"
import type { FailureLog } from "../store/failure-log.ts"

/** Cache time of the documents for people who are not operators, because building all documents takes long. */
const CACHE_TIME_MS = 1_000
/** Maximum length of a model id. Known models have fewer than a hundred characters. */
const MAX_ID_LENGTH = 200

export interface ModelParts {
  readonly changes: ConsoleChanges
  readonly health: Health
  /** Returns the active catalog. */
  readonly catalog: () => Catalog
  readonly learnedRules: LearnedRules
  readonly failures: Pick<FailureLog, "list">
  /** Returns the price group of an account; absent if price groups are unavailable. */
  readonly priceGroupOf?: (account: string) => Promise<string | undefined>
}

/** The filters for a list of models. A model must match all of them. */
export interface ModelQuery extends PageQuery {
  /** A part of the model's id or of its owner's name. */
  readonly search?: string | undefined
  readonly kind?: Model["kind"] | undefined
  /** The provider in the id. */
  readonly provider?: string | undefined
  readonly priced?: "true" | "false" | undefined
  /** The account whose prices are shown; if absent, the general prices. */
  readonly account?: string | undefined
}

/** Model documents for people who are not operators. */
interface PublicDocuments {
  readonly catalog: Catalog
  readonly settings: Settings
  readonly facts: Facts
  /** The end of the cache time by `performance.now()`. */
  readonly until: number
  readonly byModel: Map<Model, ModelDocument>
}

/** Manages the catalog and the console's entries for its models. */
export class Models {
  readonly #changes: ConsoleChanges
  readonly #live: LiveSettings
  readonly #health: Health
  readonly #catalog: () => Catalog
  readonly #learnedRules: LearnedRules
  readonly #failures: Pick<FailureLog, "list">
  readonly #priceGroupOf: (account: string) => Promise<string | undefined>
  #known = new KnownPrices()
  #described: DescribedModels | undefined
  #publicDocuments: PublicDocuments | undefined

  constructor({ changes, health, catalog, learnedRules, failures, priceGroupOf }: ModelParts) {
    this.#changes = changes
    this.#live = changes.live
    this.#health = health
    this.#catalog = catalog
    this.#learnedRules = learnedRules
    this.#failures = failures
    this.#priceGroupOf = priceGroupOf ?? (async () => undefined)
  }

  /**
   * Lists models by id.
   * @throws GatewayError `not_found` for an account that the caller may not see.
   */
  async list(actor: Actor, input: ModelQuery): Promise<Page<ModelDocument>> {
    const account = input.account ?? onlyAccount(actor)
    if (account !== undefined) requireRole(actor, account, "viewer")
    const priceGroup = account === undefined ? undefined : await this.#priceGroupOf(account)
    const [after = ""] = positionOf(input.cursor) ?? []
    const catalog = this.#catalog()
    const found = catalog
      .list()
      .filter((model) => model.id > String(after) && fits(model, input))
      .slice(0, input.limit + 1)
    const { data, next_cursor } = pageFrom(found, input.limit, ({ id }) => [id])
    return {
      object: "list",
      data: data.map((model) => {
        const shown = {
          ...(actor.isOperator ? this.#document(model, true) : this.#publicDocument(model)),
          ...(priceGroup !== undefined && groupPrice(catalog.priced(model, { priceGroup }))),
        }
        return actor.hidesCosts === true ? customerModel(shown) : shown
      }),
      next_cursor,
    }
  }

  /** Lists requested models that are newer than the price list. @throws GatewayError `forbidden`. */
  async newer(actor: Actor): Promise<{ object: "list"; data: NewerModel[] }> {
    requireOperator(actor)
    const failed = await this.#failures.list(UNKNOWN_MODEL, null, MAX_READ_REQUESTS)
    return { object: "list", data: newerModels(this.#catalog(), failed) }
  }

  /**
   * Returns a model.
   * @throws GatewayError `model_not_found`.
   */
  async find(actor: Actor, id: string): Promise<ModelDocument> {
    const catalog = this.#catalog()
    const model = catalog.listed(id)
    const document = this.#document(model, actor.isOperator)
    if (actor.hidesCosts !== true) return document
    const account = onlyAccount(actor)
    const priceGroup = account === undefined ? undefined : await this.#priceGroupOf(account)
    return customerModel({
      ...document,
      ...(priceGroup !== undefined && groupPrice(catalog.priced(model, { priceGroup }))),
    })
  }

  /**
   * Sets a model's entry in the console, replacing the previous one. An unknown model is added.
   * @throws GatewayError `forbidden`, `invalid_value` with the name of the field, `conflict`.
   */
  async set(actor: Actor, id: string, entry: RawEntry): Promise<ModelDocument> {
    requireOperator(actor)
    await this.#live.refresh()
    this.#rejectLocked(id)
    await this.#check(id, entry)
    const before = this.#live.entry("model", id)
    const audit = { action: "model.set", target: id, before, after: entry }
    await this.#changes.make(actor, audit, [{ section: "model", id, entry }])
    return this.find(actor, id)
  }

  /** Deletes the console's entry for a model. @throws GatewayError `forbidden`, `not_found`, `conflict`. */
  async reset(actor: Actor, id: string): Promise<void> {
    requireOperator(actor)
    await this.#live.refresh()
    if (this.#live.record("model", id) === undefined) {
      this.#rejectLocked(id)
      const shown = id.slice(0, 200)
      throw new GatewayError("not_found", `The console has no settings of a model '${shown}'.`)
    }
    const audit = { action: "model.reset", target: id, before: this.#live.entry("model", id) }
    await this.#changes.make(actor, audit, [{ section: "model", id, entry: null }])
  }

  #rejectLocked(id: string): void {
    if (!Object.hasOwn(this.#live.base.settings.models, id)) return
    throw locked(`The entry of the model '${id}'`, "file")
  }

  async #check(id: string, entry: RawEntry): Promise<void> {
    if (id.length > MAX_ID_LENGTH) {
      throw rejected("name", `The id of a model must have at most ${MAX_ID_LENGTH} characters.`)
    }
    const providers = Object.keys(this.#live.effective.providers)
    const findings = entryFindings(
      { section: "model", id, value: entry },
      { vendors: [...vendors.values()], providers },
    )
    rejectFindings(findings, "The model", "name")
    const named = entry["deployments"] === undefined ? namedProviders(id, entry) : []
    const missing = named.find((provider) => !providers.includes(provider))
    if (missing !== undefined) {
      throw rejected(
        "provider",
        `There is no provider '${missing}'. Add it first, or give the model deployments at others.`,
      )
    }
    const settings = this.#live.preview(this.#live.prepare([{ section: "model", id, entry }]))
    const { facts } = this.#live.lists
    const { catalog, warnings } = await inOwnTurns(catalogSteps({ settings, facts, vendors }))
    const own = warnings.filter((warning) => warning.startsWith(`model ${id}`))
    const built = catalog.find(id)
    if (entry["members"] !== undefined && own.length > 0) {
      throw rejected("members", `${own.join("; ").replace(/^m/, "M")}.`)
    }
    if (built === undefined) {
      throw rejected("deployments", `No deployment could serve it: ${own.join("; ")}.`)
    }
    if (entry["price"] !== undefined && !isPriced(built)) {
      throw rejected("price", `${own.join("; ").replace(/^m/, "M")}.`)
    }
  }

  #publicDocument(model: Model): ModelDocument {
    const catalog = this.#catalog()
    const { effective: settings, lists } = this.#live
    const { facts } = lists
    const now = performance.now()
    let known = this.#publicDocuments
    const isCurrent =
      known?.catalog === catalog && known.settings === settings && known.facts === facts
    if (known === undefined || !isCurrent || known.until <= now) {
      known = { catalog, settings, facts, until: now + CACHE_TIME_MS, byModel: new Map() }
      this.#publicDocuments = known
    }
    let document = known.byModel.get(model)
    if (document === undefined) {
      document = this.#document(model, false)
      known.byModel.set(model, document)
    }
    return document
  }

  #document(model: Model, isOperator: boolean): ModelDocument {
    const { effective } = this.#live
    const vendorOf = (provider: string): string | undefined => effective.providers[provider]?.vendor
    const origin = this.#originOf(model.id)
    const known =
      isOperator && !isPriced(model) ? this.#knownPrices().find(model, vendorOf) : undefined
    const slash = model.id.indexOf("/")
    return {
      id: model.id,
      provider: model.id.slice(0, slash),
      name: model.id.slice(slash + 1),
      kind: model.kind,
      owned_by: model.ownedBy,
      created: model.created,
      context: model.context ?? null,
      max_output: model.maxOutput ?? null,
      capabilities: this.#describedModels().capabilities(model),
      ...priceDocument(model),
      price_in_force: priceInForce(this.#catalog().priced(model)),
      price_source: this.#priceSource(model, origin, isOperator),
      multiplier: multiplierOf(effective, model.id),
      endpoints: endpointsOf(model, vendorOf),
      deployments: deploymentsOf(model, effective).map(
        ({ deployment, credentials, weight, isPaused }) => ({
          provider: deployment.provider,
          model: isOperator ? deployment.upstreamModel : "",
          weight,
          is_paused: isPaused,
          health: healthDocument(
            summedReport(credentials.map(({ id }) => this.#health.report(id))),
            isOperator,
          ),
          rules: isOperator ? this.#learnedRules.list(deployment) : [],
        }),
      ),
      group: groupOf(model, effective),
      origin,
      is_locked: origin === "file" || !isOperator,
      known_price: known ? flatPrice(known.price) : null,
      known_entry: known ?? null,
      entry: isOperator && origin === "console" ? entryOf(this.#live, model.id) : null,
    }
  }

  /** Returns the known prices of the active list. */
  #knownPrices(): KnownPrices {
    const { facts } = this.#live.lists
    if (this.#known.facts !== facts) this.#known = new KnownPrices(facts)
    return this.#known
  }

  #describedModels(): DescribedModels {
    const { effective, lists } = this.#live
    const { settings, facts } = this.#described ?? {}
    if (this.#described === undefined || settings !== effective || facts !== lists.facts) {
      this.#described = new DescribedModels(effective, lists.facts)
    }
    return this.#described
  }

  /** Returns the source of a price. Only operators see the provider's name for the model. */
  #priceSource(
    model: Model,
    origin: ModelDocument["origin"],
    isOperator: boolean,
  ): ModelDocument["price_source"] {
    const at = origin === "console" ? this.#live.record("model", model.id)?.changedAt : undefined
    const source = this.#describedModels().priceSource(model, { origin, at })
    return source && { ...source, name: isOperator ? source.name : null }
  }

  #originOf(id: string): ModelDocument["origin"] {
    if (Object.hasOwn(this.#live.base.settings.models, id)) return "file"
    return Object.hasOwn(this.#live.reading.settings.models, id) ? "console" : "known"
  }
}

/**
 * Returns the account whose prices a caller sees by default if costs are hidden; undefined if the caller has several
 * accounts.
 */
function onlyAccount({ hidesCosts, roles }: Actor): string | undefined {
  return hidesCosts === true && roles.size === 1 ? [...roles.keys()][0] : undefined
}

/**
 * Returns the prices of a model for members of a price group. They replace the general prices. A rate card has no
 * periods.
 */
function groupPrice(model: Model): Partial<ModelDocument> {
  const price = model.deployments.find((deployment) => deployment.price?.group)?.price
  if (price === undefined) return {}
  const multiplier = multiplierText(price.multiplier)
  return price.listed === undefined
    ? { multiplier }
    : { ...priceDocument(model), price_in_force: null, multiplier }
}

function fits(model: Model, { search, kind, provider, priced }: ModelQuery): boolean {
  if (kind !== undefined && model.kind !== kind) return false
  if (provider !== undefined && !model.id.startsWith(`${provider}/`)) return false
  if (priced !== undefined && isPriced(model) !== (priced === "true")) return false
  if (search === undefined) return true
  const wanted = search.toLowerCase()
  return [model.id, model.ownedBy].some((text) => text.toLowerCase().includes(wanted))
}

/** Returns the group of a model with those members that exist. */
function groupOf({ id, members }: Model, { models, routing }: Settings): ModelDocument["group"] {
  if (members === undefined) return null
  const written = Object.hasOwn(models, id) ? models[id] : undefined
  const known = new Set(members.map((member) => member.id))
  return {
    strategy: written?.strategy ?? routing.strategy,
    members: (written?.members ?? []).filter(({ model }) => known.has(model)),
  }
}

export function multiplierOf({ models, multiplier }: Settings, id: string): string {
  return (Object.hasOwn(models, id) ? models[id]?.multiplier : undefined) ?? multiplier
}

function entryOf(live: LiveSettings, id: string): Record<string, unknown> | null {
  const entry = live.entry("model", id)
  return entry === undefined ? null : { ...entry }
}

/** Returns a price as a flat table; null if the price has nested parts. */
function flatPrice(price: RawEntry): Record<string, string> | null {
  const members = Object.entries(price)
  const isFlat = members.every(([, value]) => typeof value === "string")
  return isFlat ? (Object.fromEntries(members) as Record<string, string>) : null
}
