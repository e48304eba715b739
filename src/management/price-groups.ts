import { isDeepStrictEqual } from "node:util"
import type { Page } from "#contract/common.ts"
import type {
  NewPriceGroup,
  PriceGroup as GroupDocument,
  PriceGroupChange,
  PriceTerm,
} from "#contract/price-groups.ts"
import { GatewayError } from "../canon/errors.ts"
import type { Catalog } from "../catalog/catalog.ts"
import { PriceGroups } from "../catalog/price-groups.ts"
import { entryFindings } from "../config/console-entry.ts"
import type { RawEntry } from "../config/console-settings.ts"
import type { PriceGroupSettings, PriceTermSettings, PriceSettings } from "../config/settings.ts"
import type { Store } from "../store/store.ts"
import { type Actor, requireOperator } from "./actor.ts"
import { type ConsoleChanges, locked } from "./console-changes.ts"
import { pageFrom, type PageQuery, positionOf } from "./cursor.ts"
import { rejected, rejectFindings } from "./entry-rejection.ts"
import type { LiveSettings } from "./live-settings.ts"
import { toSentence } from "./sentence.ts"

/** Minimum time between the creation and the start of a term, so that every process receives it before it starts. */
const LEAD_TIME_MS = 5_000

export interface PriceGroupParts {
  readonly changes: ConsoleChanges
  readonly store: Store
  /** Returns the active catalog. */
  readonly catalog: () => Catalog
  readonly now?: () => number
}

type Terms = NonNullable<PriceGroupChange["terms"]>

/** Manages price groups for operators. A term never changes after its start. */
export class PriceGroupManagement {
  readonly #changes: ConsoleChanges
  readonly #live: LiveSettings
  readonly #store: Store
  readonly #catalog: () => Catalog
  readonly #now: () => number

  constructor({ changes, store, catalog, now = Date.now }: PriceGroupParts) {
    this.#changes = changes
    this.#live = changes.live
    this.#store = store
    this.#catalog = catalog
    this.#now = now
  }

  /** Lists price groups by id. @throws GatewayError `forbidden`. */
  async list(actor: Actor, input: PageQuery): Promise<Page<GroupDocument>> {
    requireOperator(actor)
    const [after = ""] = positionOf(input.cursor) ?? []
    const ids = Object.keys(this.#groups)
      .filter((id) => id > String(after))
      .toSorted()
    const { data, next_cursor } = pageFrom(ids.slice(0, input.limit + 1), input.limit, (id) => [id])
    const members = await this.#members()
    return {
      object: "list",
      data: data.map((id) => this.#document(id, this.#require(id), members)),
      next_cursor,
    }
  }

  /**
   * Returns a price group.
   * @throws GatewayError `forbidden`, `not_found`.
   */
  async find(actor: Actor, id: string): Promise<GroupDocument> {
    requireOperator(actor)
    return this.#document(id, this.#require(id), await this.#members())
  }

  /**
   * Creates a price group.
   * @throws GatewayError `forbidden`, `conflict`, `invalid_value` with the name of the field.
   */
  async create(actor: Actor, { id, ...group }: NewPriceGroup): Promise<GroupDocument> {
    requireOperator(actor)
    await this.#live.refresh()
    if (this.#found(id)) {
      throw new GatewayError("conflict", `There is a price group '${id}' already.`, {
        parameter: "id",
      })
    }
    await this.#set(actor, "price_group.create", id, group)
    return this.find(actor, id)
  }

  /**
   * Changes a price group.
   * @throws GatewayError `forbidden`, `not_found`, `conflict`, `invalid_value` with the name of the field.
   */
  async change(actor: Actor, id: string, change: PriceGroupChange): Promise<GroupDocument> {
    requireOperator(actor)
    await this.#live.refresh()
    const { name = null, terms } = this.#require(id)
    this.#rejectLocked(id)
    await this.#set(actor, "price_group.change", id, {
      name: change.name === undefined ? name : change.name,
      terms: change.terms ?? terms.map(writtenTerm),
    })
    return this.find(actor, id)
  }

  /**
   * Deletes a price group.
   * @throws GatewayError `forbidden`, `not_found`; `conflict` while accounts belong to the group.
   */
  async delete(actor: Actor, id: string): Promise<void> {
    requireOperator(actor)
    await this.#live.refresh()
    this.#require(id)
    this.#rejectLocked(id)
    const count = (await this.#members()).get(id) ?? 0
    if (count > 0) {
      const accounts = count === 1 ? "One account belongs" : `${count} accounts belong`
      throw new GatewayError(
        "conflict",
        `${accounts} to the price group '${id}'. Move them to another one first.`,
      )
    }
    const audit = {
      action: "price_group.delete",
      target: id,
      before: this.#live.entry("price_group", id),
    }
    await this.#changes.make(actor, audit, [{ section: "price_group", id, entry: null }])
  }

  async #set(
    actor: Actor,
    action: string,
    id: string,
    group: PriceGroupChange & { readonly terms: Terms },
  ): Promise<void> {
    const now = this.#now()
    const entry = entryOf(group, now)
    this.#check(id, entry, now)
    const before = this.#live.entry("price_group", id)
    await this.#changes.make(actor, { action, target: id, before, after: entry }, [
      { section: "price_group", id, entry },
    ])
  }

  #check(id: string, entry: RawEntry, now: number): void {
    const providers = Object.keys(this.#live.effective.providers)
    const findings = entryFindings(
      { section: "price_group", id, value: entry },
      { vendors: [], providers },
    )
    rejectFindings(findings, "The price group", "id")
    const after = this.#live.preview(
      this.#live.prepare([{ section: "price_group", id, entry }]),
    ).priceGroups
    const terms = after?.[id]?.terms ?? []
    const fresh = checkBegun(this.#found(id)?.terms ?? [], terms, now)
    const groups = new PriceGroups({ [id]: { terms: fresh } })
    const [problem] = groups.warnings(this.#catalog().list())
    if (problem !== undefined) {
      throw rejected("terms", toSentence(problem.slice(problem.indexOf(": ") + 2)))
    }
  }

  get #groups(): Readonly<Record<string, PriceGroupSettings>> {
    return this.#live.effective.priceGroups ?? {}
  }

  #found(id: string): PriceGroupSettings | undefined {
    return Object.hasOwn(this.#groups, id) ? this.#groups[id] : undefined
  }

  #require(id: string): PriceGroupSettings {
    const group = this.#found(id)
    if (group) return group
    throw new GatewayError("not_found", `There is no price group '${id.slice(0, 100)}'.`)
  }

  #rejectLocked(id: string): void {
    if (this.#isLocked(id)) throw locked(`The price group '${id}'`, "file")
  }

  #isLocked(id: string): boolean {
    return Object.hasOwn(this.#live.base.settings.priceGroups ?? {}, id)
  }

  /** Counts the accounts of each group. */
  async #members(): Promise<ReadonlyMap<string, number>> {
    const counts = new Map<string, number>()
    for (const { limits } of await this.#store.accounts.list()) {
      const { priceGroup } = limits
      if (priceGroup !== undefined) counts.set(priceGroup, (counts.get(priceGroup) ?? 0) + 1)
    }
    return counts
  }

  #document(
    id: string,
    group: PriceGroupSettings,
    members: ReadonlyMap<string, number>,
  ): GroupDocument {
    const isLocked = this.#isLocked(id)
    const problems = new PriceGroups({ [id]: group }).warnings(this.#catalog().list())
    return {
      id,
      name: group.name ?? null,
      terms: termDocuments(group.terms, this.#now()),
      members: members.get(id) ?? 0,
      origin: isLocked ? "file" : "console",
      is_locked: isLocked,
      problems,
    }
  }
}

/** Returns a group in the format of `tollgate.yaml`. */
function entryOf(
  { name, terms }: PriceGroupChange & { readonly terms: Terms },
  now: number,
): RawEntry {
  const earliestStart = new Date(now + LEAD_TIME_MS).toISOString()
  return {
    ...(name !== undefined && name !== null && { name }),
    terms: terms.map(({ from = earliestStart, multiplier, prices = {} }) => ({
      from,
      ...(multiplier !== undefined && multiplier !== null && { multiplier }),
      ...(Object.keys(prices).length > 0 && { prices }),
    })),
  }
}

/**
 * Rejects changes to terms by which requests may already have been charged.
 * @returns the new terms.
 */
function checkBegun(
  before: readonly PriceTermSettings[],
  after: readonly PriceTermSettings[],
  now: number,
): PriceTermSettings[] {
  const earliestStart = now + LEAD_TIME_MS
  const begun = before.filter(({ from }) => from < earliestStart)
  const fresh = after.filter((term) => !begun.some((one) => isDeepStrictEqual(one, term)))
  const early = fresh.find(({ from }) => from < earliestStart)
  if (early) {
    const isChanged = begun.some(({ from }) => from === early.from)
    throw rejected("terms", isChanged ? changedTerm(early) : earlyTerm(early))
  }
  const active = begun.at(-1)
  if (active && !after.some(({ from }) => from === active.from)) {
    throw rejected(
      "terms",
      `The term from ${momentOf(active)} is active or is about to begin, so it cannot be left out. Add a term that begins now.`,
    )
  }
  return fresh
}

function changedTerm(term: PriceTermSettings): string {
  return `The term from ${momentOf(term)} has begun or is about to begin, and requests are charged by it, so it cannot be changed. Add a term that begins now.`
}

function earlyTerm(term: PriceTermSettings): string {
  return `A term cannot begin at ${momentOf(term)}: past charges never change, and every process must load a term before it begins. Omit 'from' to begin now, or choose a time that is at least ${LEAD_TIME_MS / 1_000} seconds ahead.`
}

function momentOf({ from }: PriceTermSettings): string {
  return new Date(from).toISOString()
}

/**
 * Converts terms to their representation in the API.
 * @param terms earliest first.
 */
function termDocuments(terms: readonly PriceTermSettings[], now: number): PriceTerm[] {
  const active = terms.findLast(({ from }) => from <= now)
  return terms.map((term) => {
    const { from, multiplier = null, prices } = writtenTerm(term)
    const begun = term === active ? "active" : "ended"
    return { from, state: term.from > now ? "upcoming" : begun, multiplier, prices }
  })
}

/** Returns a term in the format of `tollgate.yaml`. */
function writtenTerm({ from, multiplier, prices = {} }: PriceTermSettings) {
  return {
    from: new Date(from).toISOString(),
    ...(multiplier !== undefined && { multiplier }),
    prices: Object.fromEntries(
      Object.entries(prices).map(([glob, price]) => [glob, writtenPrice(price)]),
    ),
  }
}

function writtenPrice({ image, images, ...price }: PriceSettings): Record<string, unknown> {
  if (images === undefined) return { ...price, ...(image !== undefined && { image }) }
  return { ...price, image: { ...images, ...(image !== undefined && { default: image }) } }
}
