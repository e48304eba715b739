import { exceeds, highest } from "./decimal.ts"
import { services } from "./services.ts"
import type { Facts, ModelFacts, Price, PriceClass } from "./shape.ts"

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
