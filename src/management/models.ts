import { GatewayError } from "../canon/errors.ts"
import { inOwnTurns } from "../canon/next-turn.ts"
import { catalogSteps } from "../catalog/build-catalog.ts"
import type { Catalog } from "../catalog/catalog.ts"
import type { LearnedRules } from "../catalog/learned-rules.ts"
import { isPriced, type Model } from "../catalog/model.ts"
import { entryFindings, namedProviders } from "../config/console-entry.ts"
import type { RawEntry } from "../config/console-settings.ts"
import type { Health } from "../routing/health.ts"
import { vendors } from "../vendors/index.ts"
import { type Actor, requireOperator, requireRole } from "./actor.ts"
import { multiplierText } from "../ledger/money.ts"
import { type ConsoleChanges, locked } from "./console-changes.ts"
import type { Model as ModelDocument, NewerModel } from "#contract/catalog.ts"
import type { Page } from "#contract/common.ts"
import { pageFrom, type PageQuery, positionOf } from "./cursor.ts"
import { rejected, rejectFindings } from "./entry-rejection.ts"
import type { LiveSettings } from "./live-settings.ts"
import { ModelDocuments } from "./model-documents.ts"
import { MAX_READ_REQUESTS, newerModels, UNKNOWN_MODEL } from "./newer-models.ts"
import { priceDocument, customerModel } from "./price-document.ts"
import type { FailureLog } from "../store/failure-log.ts"

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

/** Manages the catalog and the console's entries for its models. */
export class Models {
  readonly #changes: ConsoleChanges
  readonly #live: LiveSettings
  readonly #catalog: () => Catalog
  readonly #documents: ModelDocuments
  readonly #failures: Pick<FailureLog, "list">
  readonly #priceGroupOf: (account: string) => Promise<string | undefined>

  constructor({ changes, health, catalog, learnedRules, failures, priceGroupOf }: ModelParts) {
    this.#changes = changes
    this.#live = changes.live
    this.#catalog = catalog
    this.#documents = new ModelDocuments({ live: changes.live, health, catalog, learnedRules })
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
          ...(actor.isOperator ? this.#documents.of(model, true) : this.#documents.publicOf(model)),
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
    const document = this.#documents.of(model, actor.isOperator)
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
