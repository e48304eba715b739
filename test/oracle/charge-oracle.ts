/** Calculates charges from the prices on the providers' pages. Uses only integers, and no code of the gateway. */
import { PAGES, type PublishedPrice, type Rates } from "./price-pages.ts"

/** The usage of one request, in classes that do not overlap. */
export interface Used extends Readonly<Partial<Record<keyof Rates, number>>> {
  /** Numbers of searches and requests, by the name of the fee on the page. */
  readonly fees?: Readonly<Record<string, number>>
  readonly characters?: number
  readonly seconds?: number
}

/** The facts about a request that determine its price. */
export interface Served {
  readonly model: string
  /** Time of the request in Unix milliseconds. */
  readonly at: number
  /** The tiers that the response reports. */
  readonly tiers?: readonly string[]
  readonly used: Used
}

/** An amount in dollars as a fraction of two integers. */
interface Fraction {
  readonly over: bigint
  readonly under: bigint
}

const NANOS = 1_000_000_000n
const PROMPT = ["input", "cached", "write", "write1h", "write12h", "audio", "image"] as const
const TOKENS = [...PROMPT, "output", "reasoning"] as const

function decimal(text: string): Fraction {
  const [whole = "0", digits = ""] = text.split(".")
  return { over: BigInt(whole + digits), under: 10n ** BigInt(digits.length) }
}

const times = (left: Fraction, right: Fraction): Fraction => ({
  over: left.over * right.over,
  under: left.under * right.under,
})
const plus = (left: Fraction, right: Fraction): Fraction => ({
  over: left.over * right.under + right.over * left.under,
  under: left.under * right.under,
})
const of = (count: number, each: bigint): Fraction => ({ over: BigInt(count), under: each })

/** Returns the charge for one request in nanocredits, rounded up once. */
export function chargeOf(served: Served): bigint {
  const page = PAGES[served.model]
  if (page === undefined) throw new Error(`no page for ${served.model}`)
  const { used } = served
  let sum: Fraction = plus(tokensOf(page, served), { over: 0n, under: 1n })
  for (const [name, count] of Object.entries(used.fees ?? {})) {
    sum = plus(sum, times(of(count, 1_000n), decimal(known(page.perThousand?.[name], name))))
  }
  if (used.characters !== undefined) {
    const price = known(page.perMillionCharacters, "characters")
    sum = plus(sum, times(of(used.characters, 1_000_000n), decimal(price)))
  }
  if (used.seconds !== undefined) {
    const [price, each] =
      page.perHour === undefined ? [known(page.perMinute, "minutes"), 60n] : [page.perHour, 3_600n]
    const seconds = Math.max(used.seconds, page.minimumSeconds ?? 0)
    sum = plus(sum, times(of(seconds, each), decimal(price)))
  }
  const nanos = sum.over * NANOS
  return (nanos + sum.under - 1n) / sum.under
}

function tokensOf(page: PublishedPrice, { at, tiers = [], used }: Served): Fraction {
  const later =
    page.change !== undefined && at >= Date.parse(page.change.from) ? page.change : undefined
  const prompt = PROMPT.reduce((count, name) => count + (used[name] ?? 0), 0)
  let rates = { ...page.rates, ...later?.rates }
  if (page.peak !== undefined && isPeak(at)) rates = page.peak
  if (page.long !== undefined && prompt >= page.long.from) rates = page.long.rates
  let factor: Fraction = { over: 1n, under: 1n }
  for (const name of tiers) {
    const tier = (later?.tiers ?? page.tiers)?.[name]
    if (tier === undefined) throw new Error(`no price of the tier ${name}`)
    if ("factor" in tier) factor = times(factor, decimal(tier.factor))
    else rates = tier.long !== undefined && prompt >= tier.long.from ? tier.long.rates : tier
  }
  let sum: Fraction = { over: 0n, under: 1n }
  for (const name of TOKENS) {
    const count = used[name] ?? 0
    if (count === 0) continue
    sum = plus(sum, times(of(count, 1_000_000n), decimal(known(rates[name], name))))
  }
  return times(sum, factor)
}

/** Whether a moment is from Monday to Friday, between 01:00 and 04:00 or between 06:00 and 10:00 UTC. */
function isPeak(at: number): boolean {
  const date = new Date(at)
  const [day, hour] = [date.getUTCDay(), date.getUTCHours()]
  return day >= 1 && day <= 5 && ((hour >= 1 && hour < 4) || (hour >= 6 && hour < 10))
}

function known(price: string | undefined, name: string): string {
  if (price === undefined) throw new Error(`the page has no price for ${name}`)
  return price
}
