import { GatewayError } from "../canon/errors.ts"
import type { Catalog } from "../catalog/catalog.ts"
import { entryFindings } from "../config/console-entry.ts"
import { placeOf, type RawEntry, secretNames } from "../config/console-settings.ts"
import { asObject } from "../config/finding.ts"
import { credentialsOf, signingSettings } from "../config/provider-credentials.ts"
import type { ProviderSettings } from "../config/settings.ts"
import type { Health } from "../routing/health.ts"
import { vendors } from "../vendors/index.ts"
import { type Actor, requireOperator } from "./actor.ts"
import { type ConsoleChanges, locked } from "./console-changes.ts"
import type { NewProvider, Provider, ProviderTest, Vendor } from "#contract/catalog.ts"
import type { Page } from "#contract/common.ts"
import { pageFrom, type PageQuery, positionOf } from "./cursor.ts"
import { rejected, rejectFindings } from "./entry-rejection.ts"
import type { EntryChange, LiveSettings } from "./live-settings.ts"
import { type ProbeFinding, probeProvider } from "./probe.ts"
import { modelCount, shownModels } from "./probed-json.ts"
import {
  type ProviderTally,
  providerDocument,
  publicProvider,
  settingsOf,
  shownEntry,
  tallyProviders,
} from "./provider-document.ts"
import { completedChange } from "./stored-credentials.ts"
import { vendorForms } from "./vendor-forms.ts"

export interface ProviderParts {
  readonly changes: ConsoleChanges
  readonly health: Health
  /** Returns the active catalog. */
  readonly catalog: () => Catalog
}

/** The result of a test with all models that the provider lists. */
export interface ListedTest extends Omit<ProviderTest, "models"> {
  readonly models: ReadonlySet<string> | null
}

/**
 * Manages providers, which are the operator's accounts at vendors. Only providers that were added in the console can be
 * changed there.
 */
export class Providers {
  readonly #changes: ConsoleChanges
  readonly #live: LiveSettings
  readonly #health: Health
  readonly #catalog: () => Catalog

  constructor({ changes, health, catalog }: ProviderParts) {
    this.#changes = changes
    this.#live = changes.live
    this.#health = health
    this.#catalog = catalog
  }

  /**
   * Lists providers by id. Users who are not operators only see the identity and health of providers that serve models.
   * If the settings hide costs, they see no providers.
   */
  list(actor: Actor, input: PageQuery): Page<Provider> {
    if (actor.hidesCosts === true) return { object: "list", data: [], next_cursor: null }
    const [after = ""] = positionOf(input.cursor) ?? []
    const tallies = tallyProviders(this.#catalog())
    const found = this.#ids()
      .filter((id) => id > String(after) && (actor.isOperator || tallies.has(id)))
      .slice(0, input.limit + 1)
      .flatMap((id) => this.#document(id, tallies.get(id)) ?? [])
    const page = pageFrom(found, input.limit, ({ id }) => [id])
    return actor.isOperator ? page : { ...page, data: page.data.map(publicProvider) }
  }

  /** Lists the vendors that can be added, with their form fields. */
  vendors(actor: Actor): { readonly object: "list"; readonly data: readonly Vendor[] } {
    requireOperator(actor)
    return { object: "list", data: vendorForms() }
  }

  /**
   * Adds a provider.
   * @throws GatewayError `forbidden`, `invalid_value` with the name of the field, `conflict`.
   */
  async create(actor: Actor, input: NewProvider): Promise<Provider> {
    requireOperator(actor)
    await this.#live.refresh()
    const { id, ...written } = withLowercaseHeaders(input)
    if (this.#ids().includes(id)) {
      throw new GatewayError(
        "conflict",
        `There is a provider '${id}' already. Choose another id.`,
        {
          parameter: "id",
        },
      )
    }
    const entry = withoutNulls(written)
    this.#check(id, entry)
    const after = shownEntry(id, entry)
    const change = { action: "provider.create", target: id, after }
    await this.#changes.make(actor, change, [{ section: "provider", id, entry }])
    return this.#require(id)
  }

  /**
   * Changes a provider.
   * @throws GatewayError `forbidden`, `not_found`, `invalid_value` with the name of the field, `conflict`.
   */
  async change(actor: Actor, id: string, input: RawEntry): Promise<Provider> {
    requireOperator(actor)
    await this.#live.refresh()
    const before = this.#requireOwn(id)
    const { change, given } = completedChange(before, withLowercaseHeaders(input))
    if (change["vendor"] !== undefined && change["vendor"] !== before["vendor"]) {
      throw rejected("vendor", "A provider keeps its vendor. Remove it and add another one.")
    }
    this.#rejectLostSecrets(id, before, given)
    const entry = merged(before, change)
    const next = this.#check(id, entry)
    this.#rejectNewAddress(id, { entry, given, next })
    const audit = {
      action: "provider.change",
      target: id,
      before: shownEntry(id, before),
      after: { ...shownEntry(id, entry), secrets_given: given },
    }
    await this.#changes.make(actor, audit, [{ section: "provider", id, entry }])
    return this.#require(id)
  }

  /**
   * Deletes a provider and the console's entries for its own models.
   * @throws GatewayError `forbidden`, `not_found`; `conflict` if it serves other models.
   */
  async remove(actor: Actor, id: string): Promise<void> {
    requireOperator(actor)
    await this.#live.refresh()
    const before = this.#requireOwn(id)
    const models = this.#live.records
      .filter(({ section }) => section === "model")
      .map((record) => ({ id: record.id, entry: this.#live.entry("model", record.id) ?? {} }))
      .filter((model) => isCalledAt(id, model.id, model.entry))
    const foreign = models.filter(
      (model) => !model.id.startsWith(`${id}/`) || isCalledAtOthers(id, model.id, model.entry),
    )
    if (foreign.length > 0) {
      const names = foreign.slice(0, 5).map((model) => `'${model.id}'`)
      throw new GatewayError(
        "conflict",
        `The provider '${id}' is a deployment of ${names.join(", ")}${foreign.length > 5 ? " and others" : ""}. Take it out of these models first.`,
      )
    }
    const audit = {
      action: "provider.delete",
      target: id,
      before: {
        ...shownEntry(id, before),
        models: Object.fromEntries(models.map((model) => [model.id, model.entry])),
      },
    }
    const gone: EntryChange[] = [
      { section: "provider", id, entry: null },
      ...models.map((model) => ({ section: "model" as const, id: model.id, entry: null })),
    ]
    await this.#changes.make(actor, audit, gone)
  }

  /**
   * Tests a provider with a free request.
   * @throws GatewayError `forbidden`, `not_found`.
   */
  async test(actor: Actor, id: string): Promise<ProviderTest> {
    const { models, ...test } = await this.testWithList(actor, id)
    return { ...test, models: models === null ? null : shownModels(models) }
  }

  /** Like `test`, but returns all listed models. */
  async testWithList(actor: Actor, id: string): Promise<ListedTest> {
    requireOperator(actor)
    await this.#live.refresh()
    const settings = settingsOf(this.#live, id)
    const vendor = settings && vendors.get(settings.vendor)
    if (settings === undefined || vendor === undefined) {
      const message = this.#require(id).problem ?? "Its vendor is unknown to this version."
      return { ok: false, message, duration_ms: 0, models: null }
    }
    const begun = performance.now()
    const credentials = credentialsOf(settings)
    const findings = await Promise.all(
      signingSettings(settings).map((one) => probeProvider(one, vendor, true)),
    )
    const messages = findings.map((finding, index) => {
      const name = credentials[index]?.name
      return name === undefined ? testMessage(finding) : `${name}: ${testMessage(finding)}`
    })
    // A model that only some credentials can use counts as available.
    const models = new Set(findings.flatMap((finding) => [...(finding.models ?? [])]))
    return {
      ok: findings.every(({ result }) => result === "ok"),
      message: messages.join(" "),
      duration_ms: Math.round(performance.now() - begun),
      models: models.size === 0 ? null : models,
    }
  }

  #ids(): string[] {
    const own = this.#live.records.filter(({ section }) => section === "provider")
    const ids = new Set([
      ...Object.keys(this.#live.effective.providers),
      ...own.map(({ id }) => id),
    ])
    return [...ids].toSorted()
  }

  #document(id: string, tally: ProviderTally | undefined): Provider | undefined {
    return providerDocument(id, { live: this.#live, health: this.#health, tally })
  }

  #require(id: string): Provider {
    const found = this.#document(id, tallyProviders(this.#catalog()).get(id))
    if (found) return found
    throw new GatewayError("not_found", `There is no provider '${id.slice(0, 100)}'.`)
  }

  /** Returns the entry of a provider that was added in the console. Other providers are rejected. */
  #requireOwn(id: string): RawEntry {
    const { origin } = this.#require(id)
    if (origin !== "console") throw locked(`The provider '${id}'`, origin)
    return this.#live.entry("provider", id) ?? {}
  }

  /**
   * Validates an entry.
   * @returns the settings that result from it.
   */
  #check(id: string, entry: RawEntry): ProviderSettings {
    const context = { vendors: [...vendors.values()], providers: this.#ids() }
    const findings = entryFindings({ section: "provider", id, value: entry }, context)
    rejectFindings(findings, "The provider", "id")
    const changes = this.#live.prepare([{ section: "provider", id, entry }])
    const settings = this.#live.preview(changes).providers[id]
    const vendor = settings && vendors.get(settings.vendor)
    if (!settings || !vendor)
      throw new Error(`provider ${id} passed validation but could not be resolved`)
    if (signingSettings(settings).some((one) => vendor.baseUrlOf(one) === undefined)) {
      throw rejected("base_url", "The provider has no address: give it a base_url.")
    }
    return settings
  }

  #rejectLostSecrets(id: string, before: RawEntry, given: readonly string[]): void {
    const isLost =
      (this.#live.record("provider", id)?.encrypted ?? null) !== null &&
      secretNames(before).length === 0
    if (!isLost || given.length > 0) return
    throw rejected(
      "api_key",
      this.#live.reading.faults.get(placeOf("provider", id)) ?? "Enter its secrets again.",
    )
  }

  /** Rejects a new address without new secrets, because a stored secret must never be sent to another address. */
  #rejectNewAddress(id: string, { entry, given, next }: CheckedChange): void {
    const kept = secretNames(entry).filter((name) => !given.includes(name))
    const settings = settingsOf(this.#live, id)
    if (kept.length === 0 || settings === undefined) return
    if (originOf(settings) === originOf(next)) return
    throw rejected(
      "base_url",
      `The stored secrets would be sent to another address. Enter them again: ${kept.join(", ")}.`,
    )
  }
}

interface CheckedChange {
  /** The complete entry after the change. */
  readonly entry: RawEntry
  /** The names of the secrets that the change contains. */
  readonly given: readonly string[]
  readonly next: ProviderSettings
}

function testMessage({ result, found, fix, status, models }: ProbeFinding): string {
  const capital = found.charAt(0).toUpperCase() + found.slice(1)
  if (fix !== undefined) return `${capital}: ${fix}.`
  if (result === "ok" && status !== undefined && status !== 200) {
    return `The provider responded and did not reject the credential, but lists no models (${status}). Check base_url if calls fail.`
  }
  return models === undefined ? `${capital}.` : `${capital}, and lists ${modelCount(models)}.`
}

function originOf(provider: ProviderSettings): string | undefined {
  const [first = provider] = signingSettings(provider)
  const address = vendors.get(provider.vendor)?.baseUrlOf(first)
  return address === undefined ? undefined : URL.parse(address)?.origin
}

/** Merges a change into an entry. null deletes a member. Headers are changed individually. */
function merged(before: RawEntry, change: RawEntry): RawEntry {
  const headers = asObject(change["headers"])
  return withoutNulls({
    ...before,
    ...change,
    ...(headers && { headers: withoutNulls({ ...asObject(before["headers"]), ...headers }) }),
  })
}

/** Converts header names to lowercase, because they are case-insensitive. */
function withLowercaseHeaders<Entry extends RawEntry>(entry: Entry): Entry {
  const headers = asObject(entry["headers"])
  if (headers === undefined) return entry
  const small = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
  return { ...entry, headers: Object.fromEntries(small) }
}

function withoutNulls(entry: RawEntry): RawEntry {
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== null))
}

function isCalledAt(provider: string, model: string, entry: RawEntry): boolean {
  const deployments = entry["deployments"]
  return Array.isArray(deployments)
    ? deployments.some((one: unknown) => providerOf(one, model) === provider)
    : model.startsWith(`${provider}/`)
}

function isCalledAtOthers(provider: string, model: string, entry: RawEntry): boolean {
  const deployments = entry["deployments"]
  return (
    Array.isArray(deployments) &&
    deployments.some((one: unknown) => providerOf(one, model) !== provider)
  )
}

function providerOf(deployment: unknown, model: string): unknown {
  return asObject(deployment)?.["provider"] ?? model.split("/", 1)[0]
}
