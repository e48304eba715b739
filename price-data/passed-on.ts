import { raiseWithInput, WRITES } from "./cache-prices.ts"
import type { Dispute } from "./consensus.ts"
import { fromNanos, nanos } from "./decimal.ts"
import {
  type Facts,
  type ModelFacts,
  type Price,
  type PriceClass,
  type Rates,
  ratesOf,
  type Tier,
} from "./shape.ts"

/**
 * Vendors that sell models of many makers at the makers' prices (openrouter.ai/docs/faq, vercel.com/docs/ai-gateway/
 * pricing). Their lists lack parts of these prices, and are older than the makers' lists.
 */
export const resellers = ["openrouter", "requesty", "vercel"] as const

/**
 * Classes of tokens that are added to a reseller's price. A missing price of cache reads is not added, because the
 * reseller may have no cache.
 */
const ADDED: readonly PriceClass[] = [
  ...WRITES,
  "audio_input",
  "image_input",
  "audio_output",
  "reasoning_output",
]

/**
 * Adds prices of long prompts, cache writes, audio and images that a reseller's list does not contain, if its prices of
 * input and output are the maker's, or both have the same factor.
 * @param disputes the differences between the lists. The results for cache reads are updated.
 */
export function fillFromMakers(facts: Facts, disputes: Dispute[]): void {
  for (const reseller of resellers) {
    for (const [name, model] of Object.entries(facts.vendors[reseller] ?? {})) {
      const maker = makerOf(facts, name, model)
      const known = maker?.model.price
      if (maker === undefined || known === undefined || model.price === undefined) continue
      const factor = factorOf(model.price, known)
      if (factor === undefined) continue
      if (isLongPriceOutdated(model, maker.model)) delete model.price.tiers
      model.price = filled(model.price, known, factor)
      const own = disputes.filter((dispute) => dispute.model === `${reseller}/${name}`)
      for (const dispute of disputes) {
        if (dispute.model !== maker.name || known[dispute.class] !== dispute.chosen) continue
        replaceOutdated(model.price, dispute, { facts, factor, own })
      }
    }
  }
}

/**
 * Whether a reseller's price of long prompts is that of a maker which no longer has one. Anthropic's models have had
 * one price for their whole context since 2026-03-13 (platform.claude.com/docs/en/about-claude/pricing), and models.dev
 * keeps tiers at Vercel that no one renews.
 */
function isLongPriceOutdated(reseller: ModelFacts, maker: ModelFacts): boolean {
  const { price, priced = "" } = reseller
  const isEnded = price?.tiers !== undefined && maker.price?.tiers === undefined
  return isEnded && (maker.priced ?? "") > priced
}

/** A factor on prices, as a fraction. */
export type Fraction = readonly [above: bigint, below: bigint]

function filled(price: Price, known: Price, factor: Fraction): Price {
  const all = scaled(known, factor)
  const added = (name: PriceClass): boolean =>
    ADDED.includes(name) || (name === "cached_audio_input" && price.cached_input !== undefined)
  const missing = Object.entries(all).filter(([name]) => added(name as PriceClass))
  const finished: Price = { ...price, ...ratesOf({ ...Object.fromEntries(missing), ...price }) }
  const tiers =
    price.tiers ?? known.tiers?.map((tier) => ({ above: tier.above, ...scaled(tier, factor) }))
  if (tiers === undefined) return finished
  finished.tiers = tiers.map(({ above, ...rates }): Tier => {
    raiseWithInput(rates, finished)
    return { above, ...ratesOf(rates) }
  })
  return finished
}

/**
 * Replaces a rate that the reseller copied from the maker before the maker changed it: an old list has this rate for
 * both of them, and newer lists have another one for the maker.
 */
function replaceOutdated(
  price: Price,
  { class: name, values, chosen }: Dispute,
  { facts, factor, own }: { facts: Facts; factor: Fraction; own: readonly Dispute[] },
): void {
  const dateOf = (list: string): string =>
    facts.generated_from.find((each) => each.name === list)?.date ?? ""
  const lists = Object.entries(values)
  const newest = lists.flatMap(([list, value]) => (value === chosen ? [dateOf(list)] : []))
  const isOutdated = lists.some(
    ([list, value]) =>
      value !== chosen &&
      times(value, factor) === price[name] &&
      newest.some((date) => date > dateOf(list)),
  )
  if (!isOutdated) return
  price[name] = times(chosen, factor)
  for (const dispute of own) {
    if (dispute.class === name) Object.assign(dispute, { chosen: price[name], rule: "maker" })
  }
}

/** Returns the maker's facts about a reseller's model, and the name with the maker's id. */
export function makerOf(
  facts: Facts,
  name: string,
  { owner }: ModelFacts,
): { name: string; model: ModelFacts } | undefined {
  const models = facts.vendors[owner ?? ""] ?? {}
  const wanted = bareName(name)
  // So far, a preview and its release have had the same price.
  const candidates = [wanted, `${wanted}-preview`, wanted.replace(/-preview$/, "")]
  for (const candidate of candidates) {
    const found = Object.entries(models).find(([each]) => bareName(each) === candidate)
    if (found !== undefined) return { name: `${owner}/${found[0]}`, model: found[1] }
  }
  return undefined
}

/**
 * Returns the part of a name that is equal for all vendors, such as `claude-sonnet-4-5` for
 * `anthropic/claude-sonnet-4.5` and `claude-sonnet-4-5@eu`.
 */
export function bareName(name: string): string {
  const bare = name.slice(name.lastIndexOf("/") + 1).replace(/@.*$/, "")
  return bare.toLowerCase().replaceAll(".", "-")
}

/** Returns the factor between two prices; undefined if input and output do not have the same factor. */
export function factorOf(price: Rates, known: Rates): Fraction | undefined {
  const [input, output] = [nanos(price.input ?? "0"), nanos(price.output ?? "0")]
  const [knownInput, knownOutput] = [nanos(known.input ?? "0"), nanos(known.output ?? "0")]
  const isProportional = input * knownOutput === output * knownInput
  return knownInput > 0n && input > 0n && isProportional ? [input, knownInput] : undefined
}

/** Multiplies rates by a factor. */
export function scaled(rates: Rates, factor: Fraction): Rates {
  const entries = Object.entries(ratesOf(rates))
  return Object.fromEntries(entries.map(([name, rate]) => [name, times(rate, factor)]))
}

function times(rate: string, [above, below]: Fraction): string {
  return fromNanos((nanos(rate) * above) / below)
}
