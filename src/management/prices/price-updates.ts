import { GatewayError } from "../../canon/errors.ts"
import type { Facts } from "../../catalog/facts.ts"
import { type PriceChange, priceChanges } from "../../catalog/prices/changes.ts"
import { readFeed } from "../../catalog/prices/feed.ts"
import { PROJECT_KEYS } from "../../catalog/prices/feed-keys.ts"
import type { SettingChange, SettingsState } from "../../store/settings.ts"
import { StoreError } from "../../store/store-error.ts"
import type { Store } from "../../store/store.ts"
import { type Actor, requireOperator } from "../actor.ts"
import type { Audit } from "../audit.ts"
import { bodyOf, dayOf, type ListRole, type PriceLists, readLists } from "./stored-lists.ts"

export interface PriceUpdateParts {
  readonly store: Pick<Store, "settings">
  readonly audit: Audit
  /** Public keys that the operator trusts besides the project's. */
  readonly ownKeys: () => readonly string[]
  /** Called with what is stored after a change, so that it is in force when the change returns. */
  readonly taken?: (state: SettingsState) => void
}

/** A list that was offered, and what it would change. */
export interface Offer {
  readonly facts: Facts
  readonly changes: readonly PriceChange[]
}

/** Takes new lists of prices: verified, never older than the one in force, audited. */
export class PriceUpdates {
  readonly #parts: PriceUpdateParts

  constructor(parts: PriceUpdateParts) {
    this.#parts = parts
  }

  /** The lists as they are stored now. */
  async lists(): Promise<PriceLists> {
    return readLists((await this.#parts.store.settings.read()).records)
  }

  /**
   * What a signed list would change.
   * @throws FeedError when it is not to be trusted. GatewayError `conflict` when it is older than the one in force.
   */
  async examine(text: string): Promise<Offer> {
    const facts = readFeed(text, [...PROJECT_KEYS, ...this.#parts.ownKeys()])
    const { facts: inForce } = await this.lists()
    if (dayOf(facts) < dayOf(inForce)) {
      throw new GatewayError(
        "conflict",
        `The list is of ${dayOf(facts)}, older than the one in force, which is of ${dayOf(inForce)}.`,
      )
    }
    return { facts, changes: priceChanges(inForce, facts) }
  }

  /** Puts a signed list in force. @throws as `examine`. */
  async update(actor: Actor, text: string, source: string): Promise<Offer> {
    requireOperator(actor)
    const offer = await this.examine(text)
    if (offer.changes.length > 0) await this.#take(actor, offer, source)
    return offer
  }

  /**
   * Puts the list in force that waits.
   * @param day of the list that the operator has looked at.
   * @throws GatewayError `not_found` when none waits, `conflict` when another one waits by now.
   */
  async apply(actor: Actor, day?: string): Promise<Offer> {
    requireOperator(actor)
    const { facts: inForce, pending } = await this.lists()
    if (pending === undefined) throw new GatewayError("not_found", "No price list waits.")
    const { facts, source } = pending
    if (day !== undefined && day !== dayOf(facts)) {
      throw new GatewayError(
        "conflict",
        `The list that waits is of ${dayOf(facts)} by now. Look at it again, then repeat your change.`,
      )
    }
    const offer = { facts, changes: priceChanges(inForce, facts) }
    await this.#take(actor, offer, source)
    return offer
  }

  #take(actor: Actor, offer: Offer, source: string): Promise<void> {
    return this.#store(actor, "prices.apply", offer, [
      ["kept", bodyOf(offer.facts, source)],
      ["pending", null],
    ])
  }

  async #store(
    actor: Actor,
    action: string,
    { facts, changes }: Offer,
    bodies: readonly (readonly [ListRole, string | null])[],
  ): Promise<void> {
    const { store, audit, taken } = this.#parts
    const { records } = await store.settings.read()
    const prepared = bodies.flatMap(([id, body]): SettingChange[] => {
      const there = records.find((record) => record.section === "prices" && record.id === id)
      if (body === null && there === undefined) return []
      return [{ section: "prices", id, body, sealed: null, replaces: there?.revision ?? null }]
    })
    const before = { date: dayOf(readLists(records).facts) }
    const after = { date: dayOf(facts), ...countsOf(changes) }
    try {
      const change = { action, target: dayOf(facts), before, after }
      const state = await audit.perform(actor, change, (record) =>
        store.settings.change(prepared, Date.now(), record),
      )
      taken?.(state)
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== "conflict") throw error
      const message = "Somebody else has changed the prices at the same moment. Look again."
      throw new GatewayError("conflict", message, { cause: error })
    }
  }
}

/** How many prices change, by kind. */
export function countsOf(changes: readonly PriceChange[]): Record<PriceChange["kind"], number> {
  const count = (kind: PriceChange["kind"]): number =>
    changes.filter((change) => change.kind === kind).length
  return {
    dearer: count("dearer"),
    cheaper: count("cheaper"),
    added: count("added"),
    removed: count("removed"),
  }
}
