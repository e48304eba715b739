import type { ModelKind } from "tollgate-contract/model-kinds.ts"
import type { PriceName } from "tollgate-contract/usage-classes.ts"

export type Kind = ModelKind

/**
 * The classes of usage that can have a price, in the order in which they are written. Prices are in US dollars per
 * million units. The units are tokens, and for the last eight classes images, characters, seconds, searches and
 * requests.
 */
export const priceClasses = [
  "input",
  "cached_input",
  "cache_write",
  "cache_write_1h",
  "cache_write_12h",
  "output",
  "audio_input",
  "cached_audio_input",
  "image_input",
  "audio_output",
  "reasoning_output",
  "image_output",
  "image",
  "character",
  "second",
  "search",
  "map_search",
  "request",
  "request_medium",
  "request_low",
] as const satisfies readonly PriceName[]

/** One of {@link priceClasses}. */
export type PriceClass = (typeof priceClasses)[number]

/** The chat wire formats to which a model can be restricted. */
export const dialects = ["openai-chat", "openai-responses"] as const

/** One of {@link dialects}. */
export type Dialect = (typeof dialects)[number]

/** Exact decimals in US dollars per million units of the class. */
export type Rates = Partial<Record<PriceClass, string>>

/** Rates that replace the base rates for the whole request if its input exceeds `above` tokens. */
export interface Tier extends Rates {
  above: number
}

/** Rates, including those for longer inputs. */
export interface TieredRates extends Rates {
  tiers?: Tier[]
}

/** A service mode: either a factor on the token rates, or separate rates. */
export type Mode = string | TieredRates

/**
 * Returns modes with changed rates. Factors stay unchanged.
 * @param change returns undefined to omit the mode.
 */
export function mapModes<Changed extends Mode>(
  modes: Readonly<Record<string, Mode>> = {},
  change: (rates: TieredRates) => Changed | undefined,
): Record<string, Changed | string> {
  const changed = Object.entries(modes).flatMap(([name, mode]) => {
    const own = typeof mode === "string" ? mode : change(mode)
    return own === undefined ? [] : [[name, own] as const]
  })
  return Object.fromEntries(changed)
}

/** The rates of a price, or of one of its periods. */
interface Card extends TieredRates {
  /** Minimum number of seconds charged per request. */
  minimum_seconds?: string
  modes?: Record<string, Mode>
}

/** Rates that replace the base rates during a period, in the form of `tollgate.yaml`. */
export interface PricePeriod extends Card {
  name?: string
  from?: string
  until?: string
  zone?: string
  days?: string[]
  hours?: string[]
}

/** The prices of one model at one vendor. */
export interface Price extends Card {
  periods?: PricePeriod[]
}

/** A vendor's prices for services in addition to its models, by the names that `tollgate.yaml` uses. */
export interface Services {
  [name: string]: string | Record<string, string> | undefined
  modes?: Record<string, string>
  /** A factor on the prices of models released since a day, at the given hosts. */
  regional?: { factor: string; hosts: string; since: string }
}

/** The facts about one model at one vendor. */
export interface ModelFacts {
  kind: Kind
  /** Release time in Unix seconds. */
  created?: number
  owner?: string
  context?: number
  max_output?: number
  input?: string[]
  tools?: true
  reasoning?: true
  /** The effort levels that the model accepts, lowest first. */
  efforts?: string[]
  /** Set if a separate parameter can switch the model's reasoning off. */
  reasoning_switch?: true
  /** The member of an assistant message in which the model's reasoning must be sent back. */
  reasoning_field?: string
  /** Set if the model rejects a temperature. */
  temperature?: false
  /** Whether responses can follow a JSON schema; absent if the lists do not contain this. */
  structured_output?: boolean
  /** The dialects in which the model is offered; absent if it is offered in all dialects of its vendor. */
  dialects?: Dialect[]
  price?: Price
  /** The date of the newest list with this price. */
  priced?: string
  /** Maximum number of searches per response that the model makes without a tool. */
  own_searches?: number
  /** A factor on the prices at all locations of the vendor except `global`. */
  regional?: string
}

/** The complete content of facts.json. */
export interface Facts {
  /** The date of the prices. */
  date: string
  generated_from: { name: string; package: string; date: string }[]
  services: Record<string, Services>
  vendors: Record<string, Record<string, ModelFacts>>
}

/** Copies the rates of `from`, except its tiers, in the order of {@link priceClasses}. */
export function ratesOf(from: Rates): Rates {
  const rates: Rates = {}
  for (const name of priceClasses) {
    const value = from[name]
    if (value !== undefined) rates[name] = value
  }
  return rates
}
