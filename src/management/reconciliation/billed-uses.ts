import type { PriceName } from "#contract/usage-classes.ts"
import type { BillRow } from "./bill.ts"

interface UsePlace {
  readonly day: number
  readonly model: string
  readonly key: string | null
  readonly class: PriceName | null
}

interface Use extends UsePlace {
  amount: bigint
  places: number
  /** As the list of costs has it, and as the list of usage has it. */
  costed: bigint | null
  used: bigint | null
  tiers: Set<string>
  requests: number | null
}

function groupOf({ day, model, key }: UsePlace): string {
  return JSON.stringify([day, model, key])
}

/** Joins a provider's list of costs with its list of usage. */
export class BilledUses {
  readonly #uses = new Map<string, Use>()

  addCost(
    place: UsePlace,
    cost: { readonly amount: bigint; readonly places: number; readonly tiers: readonly string[] },
    quantity: bigint | null,
  ): void {
    const use = this.#at(place)
    use.amount += cost.amount
    use.places = Math.max(use.places, cost.places)
    for (const tier of cost.tiers) use.tiers.add(tier)
    if (quantity !== null) use.costed = (use.costed ?? 0n) + quantity
  }

  addUsage(
    place: Omit<UsePlace, "class">,
    quantities: Readonly<Partial<Record<PriceName, bigint>>>,
    { tiers, requests }: { readonly tiers: readonly string[]; readonly requests: number | null },
  ): void {
    for (const [name, quantity] of Object.entries(quantities) as [PriceName, bigint][]) {
      if (quantity === 0n) continue
      const use = this.#at({ ...place, class: name })
      use.used = (use.used ?? 0n) + quantity
      for (const tier of tiers) use.tiers.add(tier)
      if (requests !== null) use.requests = (use.requests ?? 0) + requests
    }
  }

  rows(): BillRow[] {
    const all = [...this.#uses.values()]
    const withUsage = new Set(all.filter(({ used }) => used !== null).map(groupOf))
    return all.map((use) => {
      const { costed, used, tiers, ...row } = use
      // Its class is unknown, and the list of usage counts it under another one.
      const isCounted = row.class === null && withUsage.has(groupOf(use))
      const quantity = used ?? (isCounted ? 0n : costed)
      return { ...row, isDescription: false, quantity, tiers: [...tiers] }
    })
  }

  #at(place: UsePlace): Use {
    const id = JSON.stringify([place.day, place.model, place.key, place.class])
    let use = this.#uses.get(id)
    if (use === undefined) {
      const nothing = { amount: 0n, places: 0, costed: null, used: null, requests: null }
      use = { ...place, ...nothing, tiers: new Set() }
      this.#uses.set(id, use)
    }
    return use
  }
}
