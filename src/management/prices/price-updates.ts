import { GatewayError } from "../../canon/errors.ts"
import type { Facts } from "../../catalog/facts.ts"
import { type PriceChange, priceChanges, withIncreases } from "../../catalog/prices/changes.ts"
import { readFeed, PROJECT_KEYS } from "../../catalog/prices/feed.ts"
import type { ApplyRule } from "../../config/sections/price-list.ts"
import type { SettingChange, SettingsState } from "../../store/settings.ts"
import { StoreError } from "../../store/store-error.ts"
import type { Store } from "../../store/store.ts"
import type { PriceNews } from "../../telemetry/events.ts"
import { type Actor, COMMAND_LINE, requireOperator } from "../actor.ts"
import type { Audit } from "../audit.ts"
import { countsOf } from "./price-view.ts"
import {
  bodyOf,
  dayOf,
  type ListRole,
  type PriceLists,
  readLists,
  type StoredList,
} from "./stored-lists.ts"

export interface PriceUpdateParts {
  readonly store: Pick<Store, "settings">
  readonly audit: Audit
  /** Returns the public keys that the operator trusts in addition to the project's keys. */
  readonly ownKeys: () => readonly string[]
  /** Called with the stored settings after a change, so that they are active when the change returns. */
  readonly taken?: (state: SettingsState) => Promise<void>
  /** Called after this process has activated a list or stored a pending one. */
  readonly onChange?: (news: PriceNews) => void
}

/** The role of a list, and the new list in this role; null for no list. */
type Entry = readonly [ListRole, string | null]

/** The actor of automatic changes in the audit log. */
const AUTOMATIC: Actor = { ...COMMAND_LINE, name: "prices.refresh" }

/** An offered list, and the changes that it would make. */
export interface Offer {
  readonly facts: Facts
  readonly changes: readonly PriceChange[]
}

/**
 * Accepts new price lists. Each must have a valid signature and must not be older than the active list. Each change is
 * recorded in the audit log.
 */
export class PriceUpdates {
  readonly #parts: PriceUpdateParts

  constructor(parts: PriceUpdateParts) {
    this.#parts = parts
  }

  /** Reads the stored lists. */
  async lists(): Promise<PriceLists> {
    return readLists((await this.#parts.store.settings.read()).records)
  }

  /**
   * Verifies a signed list and returns its changes.
   * @throws FeedError if the list is not trusted. GatewayError `conflict` if it is older than the active list.
   */
  async examine(text: string): Promise<Offer> {
    const facts = readFeed(text, [...PROJECT_KEYS, ...this.#parts.ownKeys()])
    const { facts: inForce } = await this.lists()
    if (dayOf(facts) < dayOf(inForce)) {
      throw new GatewayError(
        "conflict",
        `The list of ${dayOf(facts)} is older than the active one of ${dayOf(inForce)}.`,
      )
    }
    return { facts, changes: priceChanges(inForce, facts) }
  }

  /**
   * Activates a signed list.
   * @throws as in `examine`.
   */
  async update(actor: Actor, text: string, source: string): Promise<Offer> {
    requireOperator(actor)
    const offer = await this.examine(text)
    if (offer.changes.length > 0) await this.#take(actor, offer, source)
    return offer
  }

  /**
   * Applies a signed list by the operator's rule: all changes, only price increases, or nothing. The rest becomes the
   * pending list. If the list is older than the active or the pending list, it is ignored.
   * @throws FeedError if the list is not trusted.
   */
  async offer(text: string, source: string, rule: ApplyRule): Promise<void> {
    const facts = readFeed(text, [...PROJECT_KEYS, ...this.#parts.ownKeys()])
    const { facts: inForce, pending } = await this.lists()
    const newest = pending === undefined ? dayOf(inForce) : dayOf(pending.facts)
    if (dayOf(facts) < newest) return
    const changes = priceChanges(inForce, facts)
    if (changes.length === 0) return
    if (rule === "all") return this.#take(AUTOMATIC, { facts, changes }, source)
    // The applied part gets the date of the list, because later lists are compared with this date.
    const taken =
      rule === "increases" ? { ...withIncreases(inForce, facts), date: dayOf(facts) } : inForce
    const [applied, rest] = [priceChanges(inForce, taken), priceChanges(taken, facts)]
    const waits: Entry = ["pending", rest.length === 0 ? null : bodyOf(facts, source)]
    if (applied.length > 0) {
      const offer = { facts: taken, changes: applied }
      await this.#store(AUTOMATIC, "prices.apply", offer, [["kept", bodyOf(taken, source)], waits])
      this.#report("applied", offer, source)
    } else if (pending !== undefined && priceChanges(pending.facts, facts).length === 0) {
      return
    } else {
      await this.#store(AUTOMATIC, "prices.offer", { facts, changes: rest }, [waits])
    }
    if (rest.length > 0) this.#report("pending", { facts, changes: rest }, source)
  }

  /**
   * Returns the pending list and its changes.
   * @throws GatewayError `not_found` if there is none.
   */
  async waiting(): Promise<Offer & { readonly pending: StoredList }> {
    const { facts: inForce, pending } = await this.lists()
    const changes = pending === undefined ? [] : priceChanges(inForce, pending.facts)
    if (pending === undefined || changes.length === 0) {
      throw new GatewayError("not_found", "There is no pending price list.")
    }
    return { facts: pending.facts, changes, pending }
  }

  /**
   * Activates the pending list.
   * @param day the date of the list that the operator has reviewed.
   * @throws GatewayError `not_found` without a pending list, `conflict` if a different list is pending.
   */
  async apply(actor: Actor, day?: string): Promise<Offer> {
    requireOperator(actor)
    const { pending, ...offer } = await this.waiting()
    const { facts, source } = pending
    if (day !== undefined && day !== dayOf(facts)) {
      throw new GatewayError(
        "conflict",
        `The pending list is now that of ${dayOf(facts)}. Review it, then try again.`,
      )
    }
    await this.#take(actor, offer, source)
    return offer
  }

  async #take(actor: Actor, offer: Offer, source: string): Promise<void> {
    await this.#store(actor, "prices.apply", offer, [
      ["kept", bodyOf(offer.facts, source)],
      ["pending", null],
    ])
    this.#report("applied", offer, source)
  }

  #report(state: PriceNews["state"], { facts, changes }: Offer, source: string): void {
    this.#parts.onChange?.({ state, date: dayOf(facts), source, ...countsOf(changes) })
  }

  async #store(
    actor: Actor,
    action: string,
    { facts, changes }: Offer,
    bodies: readonly Entry[],
  ): Promise<void> {
    const { store, audit, taken } = this.#parts
    const { records } = await store.settings.read()
    const prepared = bodies.flatMap(([id, body]): SettingChange[] => {
      const there = records.find((record) => record.section === "prices" && record.id === id)
      if (body === null && there === undefined) return []
      return [{ section: "prices", id, body, encrypted: null, replaces: there?.revision ?? null }]
    })
    const before = { date: dayOf(readLists(records).facts) }
    const after = { date: dayOf(facts), ...countsOf(changes) }
    try {
      const change = { action, target: dayOf(facts), before, after }
      const state = await audit.perform(actor, change, (record) =>
        store.settings.change(prepared, Date.now(), record),
      )
      await taken?.(state)
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== "conflict") throw error
      const message = "Someone else changed the prices at the same time. Reload and try again."
      throw new GatewayError("conflict", message, { cause: error })
    }
  }
}
