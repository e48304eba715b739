import * as z from "zod"
import type { PriceName } from "#contract/usage-classes.ts"
import type { TimeRange } from "../../store/settlements.ts"
import { BillError, type BillRow, dayText } from "./bill.ts"
import { type CostAddress, getCosts, type Query } from "./cost-request.ts"

const MAX_PAGES = 1_000
/** Number of days on a page, which is the maximum of usage lists. */
const PAGE_DAYS = "31"

/** The start of a bucket's day. OpenAI sends `start_time` in Unix seconds, and Anthropic `starting_at` in ISO 8601. */
const BUCKET_START = { start_time: z.string().optional(), starting_at: z.string().optional() }

interface CostList<Result> {
  readonly path: string
  readonly query: Query
  readonly result: z.ZodType<Result>
}

/**
 * Reads a list of daily buckets, including all its pages.
 * @param add called with each result of the requested days.
 * @returns the number of results for other days.
 * @throws BillError
 */
export async function readCostList<Result>(
  address: CostAddress,
  { from, until }: TimeRange,
  { path, query, result }: CostList<Result>,
  add: (day: number, result: Result) => void,
): Promise<number> {
  const { name } = address
  const shape = z.object({
    data: z.array(z.object({ ...BUCKET_START, results: z.array(result) })),
    has_more: z.boolean(),
    next_page: z.string().nullish(),
  })
  const daily = { ...query, bucket_width: "1d", limit: PAGE_DAYS }
  const days = new Set<number>()
  const pages = new Set<string>()
  let skipped = 0
  let page: string | undefined
  while (pages.size < MAX_PAGES) {
    const paged = page === undefined ? daily : { ...daily, page }
    const found = await getCosts(address, { path, query: paged, shape })
    for (const { start_time: seconds, starting_at: moment, results } of found.data) {
      const day = new Date(moment ?? Number(seconds) * 1_000).getTime()
      if (days.has(day) || Number.isNaN(day)) {
        const text = Number.isNaN(day) ? "a bucket without a day" : `the day ${dayText(day)} twice`
        throw new BillError(`${name} sent ${text}`, "Export the bill and use --file.")
      }
      days.add(day)
      if (day < from || day >= until) skipped += results.length
      else for (const one of results) add(day, one)
    }
    if (!found.has_more) return skipped
    page = found.next_page ?? undefined
    if (page === undefined || pages.has(page)) break
    pages.add(page)
  }
  throw new BillError(`${name} did not end its list ${path}`, "Request fewer days.")
}

interface UseGroup {
  readonly day: number
  readonly model: string
  readonly key: string | null
}

interface Use extends UseGroup {
  readonly class: PriceName | null
  amount: bigint
  places: number
  /** The quantity in the cost list. */
  costed: bigint | null
  /** The quantity in the usage list. */
  used: bigint | null
  readonly tiers: Set<string>
  requests: number | null
}

interface Cost {
  readonly class: PriceName | null
  readonly amount: bigint
  readonly places: number
  readonly quantity: bigint | null
  readonly tier: string | null
}

interface Usage {
  readonly quantities: Readonly<Partial<Record<PriceName, bigint>>>
  readonly tier: string | null
  readonly requests: number | null
}

/** Joins a provider's cost list with its usage list. */
export class BilledUses {
  readonly #uses = new Map<string, Use>()

  addCost(group: UseGroup, { class: name, amount, places, quantity, tier }: Cost): void {
    const use = this.#at(group, name)
    use.amount += amount
    use.places = Math.max(use.places, places)
    if (tier !== null) use.tiers.add(tier)
    if (quantity !== null) use.costed = (use.costed ?? 0n) + quantity
  }

  addUsage(group: UseGroup, { quantities, tier, requests }: Usage): void {
    for (const [name, quantity] of Object.entries(quantities) as [PriceName, bigint][]) {
      if (quantity === 0n) continue
      const use = this.#at(group, name)
      use.used = (use.used ?? 0n) + quantity
      if (tier !== null) use.tiers.add(tier)
      if (requests !== null) use.requests = (use.requests ?? 0) + requests
    }
  }

  rows(): BillRow[] {
    const all = [...this.#uses.values()]
    const withUsage = new Set(all.filter(({ used }) => used !== null).map(idOf))
    return all.map(({ costed, used, tiers, ...row }) => {
      // If a cost has no class, the usage list contains the quantities, each with its own class.
      const isCounted = row.class === null && withUsage.has(idOf(row))
      const quantity = used ?? (isCounted ? 0n : costed)
      return { ...row, isDescription: false, quantity, tiers: [...tiers] }
    })
  }

  #at(group: UseGroup, name: PriceName | null): Use {
    const id = `${idOf(group)} ${name}`
    let use = this.#uses.get(id)
    if (use === undefined) {
      const empty = { amount: 0n, places: 0, costed: null, used: null, requests: null }
      use = { ...group, class: name, ...empty, tiers: new Set() }
      this.#uses.set(id, use)
    }
    return use
  }
}

function idOf({ day, model, key }: UseGroup): string {
  return JSON.stringify([day, model, key])
}
