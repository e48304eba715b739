import { raiseWithInput, WRITES } from "./cache-prices.ts"
import { exceeds, fromNanos, highest, nanos } from "./decimal.ts"
import { services } from "./services.ts"
import {
  type Facts,
  type ModelFacts,
  type Price,
  type PriceClass,
  type Rates,
  ratesOf,
} from "./shape.ts"

/** Vendor ids by the maker's name in a model name of openrouter. */
export const makers: Record<string, string> = {
  anthropic: "anthropic",
  cohere: "cohere",
  deepseek: "deepseek",
  google: "google",
  mistralai: "mistral",
  moonshotai: "moonshot",
  openai: "openai",
  perplexity: "perplexity",
  "x-ai": "xai",
  "z-ai": "zai",
}

const resoldClasses: PriceClass[] = [
  "audio_input",
  "cached_audio_input",
  "audio_output",
  "reasoning_output",
  "search",
  "request",
]

/** Returns the maker's own facts about a model with an openrouter name such as `google/gemini-2.5-flash`. */
export function makersFacts(facts: Facts, name: string): ModelFacts | undefined {
  const [organization = "", bare = ""] = name.split("/")
  const models = facts.vendors[makers[organization] ?? ""]
  // So far, a preview and its release have had the same price.
  return models?.[bare] ?? models?.[`${bare}-preview`]
}

/**
 * Adds prices of audio, images and searches that a list does not contain, if they are known from another list.
 * openrouter lists only text prices but charges the maker's prices. The image prices of OpenAI's models are only in the
 * list of Azure. An image model with an unknown image price loses its price, because rejecting requests is better than
 * charging images at the price of text.
 * @returns the names of models that lost their price.
 */
export function fillFromElsewhere(facts: Facts): string[] {
  const unpriced: string[] = []
  for (const [name, model] of Object.entries(facts.vendors["openai"] ?? {})) {
    if (model.kind !== "image") continue
    withImages(model, facts.vendors["azure"]?.[undated(name)]?.price)
    const { output, image } = model.price ?? {}
    if (model.price !== undefined && output === undefined && image === undefined) {
      unpriced.push(forget(model, `openai/${name}`))
    }
  }
  for (const [name, model] of Object.entries(facts.vendors["openrouter"] ?? {})) {
    if (model.price === undefined) continue
    const known = makersFacts(facts, name)?.price
    for (const each of resoldClasses) {
      const value = known?.[each]
      if (value !== undefined && model.price[each] === undefined) model.price[each] = value
    }
    const { search } = model.price
    if (search !== undefined && !isOwnSearch(model, search)) delete model.price.search
    if (model.kind !== "image") continue
    if (known === undefined) unpriced.push(forget(model, `openrouter/${name}`))
    else withImages(model, known)
  }
  return unpriced
}

/**
 * Whether the maker's price of searches applies at openrouter. Its own search engines have one price for all models,
 * which is charged unless the maker's price is higher, or the model searches without a tool.
 */
function isOwnSearch({ own_searches: own }: ModelFacts, price: string): boolean {
  return own !== undefined || exceeds(price, String(services["openrouter"]?.["search"] ?? "0"))
}

/** Vendors that sell models of many makers at the makers' prices. Their lists lack parts of these prices. */
const resellers = ["openrouter", "requesty", "vercel"]

/**
 * Adds prices of long prompts and of cache writes that a reseller's list does not contain, if its prices of input and
 * output are the maker's, or both have the same factor.
 */
export function fillFromMakers(facts: Facts): void {
  for (const reseller of resellers) {
    for (const [name, model] of Object.entries(facts.vendors[reseller] ?? {})) {
      const { owner, price } = model
      const known = owner === undefined ? undefined : soldBy(facts.vendors[owner], name)?.price
      if (price === undefined || known === undefined || !isProportional(price, known)) continue
      const own = scaled(known, price, known)
      const writes: Rates = {}
      for (const each of WRITES) if (own[each] !== undefined) writes[each] = own[each]
      const finished: Price = { ...price, ...ratesOf({ ...writes, ...price }) }
      const tiers =
        price.tiers ??
        known.tiers?.map((tier) => ({ above: tier.above, ...scaled(tier, price, known) }))
      if (tiers !== undefined) {
        finished.tiers = tiers.map(({ above, ...rates }) => {
          raiseWithInput(rates, finished)
          return { above, ...ratesOf(rates) }
        })
      }
      model.price = finished
    }
  }
}

/** Finds a model by a reseller's name, such as `minimax/minimax-m3` or `gpt-5.6-sol@eu`. */
function soldBy(models: Facts["vendors"][string] | undefined, name: string) {
  const bare = name.slice(name.lastIndexOf("/") + 1).replace(/@.*$/, "")
  const own = Object.keys(models ?? {}).find((each) => each.toLowerCase() === bare.toLowerCase())
  return own === undefined ? undefined : models?.[own]
}

function isProportional(price: Rates, known: Rates): boolean {
  const [input, output] = [nanos(price.input ?? "0"), nanos(price.output ?? "0")]
  const [knownInput, knownOutput] = [nanos(known.input ?? "0"), nanos(known.output ?? "0")]
  return knownInput > 0n && input > 0n && input * knownOutput === output * knownInput
}

/** Multiplies the maker's rates by the factor of the reseller's input price. */
function scaled(rates: Rates, price: Rates, known: Rates): Rates {
  const result: Rates = {}
  for (const [name, rate] of Object.entries(ratesOf(rates))) {
    const value = (nanos(rate) * nanos(price.input ?? "0")) / nanos(known.input ?? "1")
    result[name as PriceClass] = fromNanos(value)
  }
  return result
}

/** Returns the name of a model without the date of a snapshot. */
export function undated(name: string): string {
  return name.replace(/-\d{4}-\d{2}-\d{2}$/, "")
}

/** Sets the image price to the higher of the listed and the known price. The text price stays as listed. */
function withImages(model: ModelFacts, known: Price | undefined): void {
  if (known === undefined) return
  const { price = known } = model
  const images = highest(price.image_output ?? price.output, known.image_output ?? known.output)
  if (images === undefined) return
  const text = price.image_output === undefined ? known : price
  const { image_output: _, ...rates } = price
  model.price =
    text.image_output === undefined
      ? { ...rates, output: images }
      : {
          ...rates,
          ...(text.output === undefined ? {} : { output: text.output }),
          image_output: images,
        }
}

function forget(model: ModelFacts, name: string): string {
  delete model.price
  return name
}
