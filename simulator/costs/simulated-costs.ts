/** An amount that a simulated vendor bills for a day. Tests set it. */
export interface SimulatedCost {
  /** A day in UTC, such as `2026-11-01`. */
  readonly day: string
  /** The model's name; empty for a fee without a model. */
  readonly model: string
  readonly class: "input" | "cached_input" | "cache_write" | "cache_write_1h" | "output" | "search"
  readonly quantity: number
  /** The amount in dollars as exact decimal text. */
  readonly amount: string
  /** The vendor's id of the API key. */
  readonly key?: string
  /** The service tier. Defaults to the standard tier. */
  readonly tier?: string
  readonly requests?: number
  /** The currency. Defaults to USD. */
  readonly currency?: string
}

const DAY_MS = 86_400_000
const PLACES = 18

export interface SimulatedDay {
  /** Time of the request in Unix milliseconds. */
  readonly at: number
  readonly costs: readonly SimulatedCost[]
}

export interface DayPage {
  readonly days: readonly SimulatedDay[]
  readonly nextPage: string | null
}

/** A requested page of days. Times are Unix milliseconds. */
export interface DayRange {
  readonly from: number
  readonly until: number
  readonly limit: number
  readonly page: string | null
}

const CURSOR = /^page_(\d+)$/

/** Returns a page of days, including days without costs; undefined for an unknown cursor. */
export function dayPage(
  costs: readonly SimulatedCost[],
  { from, until, limit, page }: DayRange,
): DayPage | undefined {
  const cursor = page === null ? undefined : CURSOR.exec(page)?.[1]
  if (page !== null && cursor === undefined) return undefined
  const first = cursor === undefined ? Math.floor(from / DAY_MS) * DAY_MS : Number(cursor)
  const days: SimulatedDay[] = []
  let at = first
  for (; at < until && days.length < limit; at += DAY_MS) {
    const day = new Date(at).toISOString().slice(0, "2026-11-01".length)
    days.push({ at, costs: costs.filter((cost) => cost.day === day) })
  }
  return { days, nextPage: at < until ? `page_${at}` : null }
}

/** Groups costs. The groups are in the order of their first costs. */
export function grouped<Group extends object>(
  costs: readonly SimulatedCost[],
  groupOf: (cost: SimulatedCost) => Group,
): { readonly group: Group; readonly costs: readonly SimulatedCost[] }[] {
  const groups = new Map<string, { group: Group; costs: SimulatedCost[] }>()
  for (const cost of costs) {
    const group = groupOf(cost)
    const id = JSON.stringify(group)
    const found = groups.get(id) ?? { group, costs: [] }
    groups.set(id, found)
    found.costs.push(cost)
  }
  return [...groups.values()]
}

/** Adds up amounts and returns the sum as decimal text, in dollars or in cents. */
export function amountText(costs: readonly SimulatedCost[], inCents = false): string {
  let sum = 0n
  for (const { amount } of costs) {
    const [whole = "0", fraction = ""] = amount.replace("-", "").split(".")
    const value = BigInt(whole + fraction.padEnd(PLACES, "0"))
    sum += amount.startsWith("-") ? -value : value
  }
  const places = inCents ? PLACES - 2 : PLACES
  const digits = (sum < 0n ? -sum : sum).toString().padStart(places + 1, "0")
  const fraction = digits.slice(-places).replace(/0+$/, "")
  const text = `${digits.slice(0, -places)}${fraction === "" ? "" : `.${fraction}`}`
  return sum < 0n ? `-${text}` : text
}

/** Adds up the units of the given classes. */
export function quantityOf(
  costs: readonly SimulatedCost[],
  ...classes: readonly SimulatedCost["class"][]
): number {
  const counted = costs.filter((cost) => classes.includes(cost.class))
  return counted.reduce((sum, { quantity }) => sum + quantity, 0)
}

/** Counts the requests that caused the costs. One request can have several classes. */
export function requestsOf(costs: readonly SimulatedCost[]): number {
  return Math.max(0, ...costs.map(({ requests = 0 }) => requests))
}
