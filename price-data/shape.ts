import type { ModelKind } from "tollgate-contract/model-kinds.ts"
import type { PriceName } from "tollgate-contract/usage-classes.ts"

export type Kind = ModelKind

/**
 * The classes of usage that can carry a price, in the order they are written. US dollars per
 * million units: tokens, and for the last seven images, characters, seconds, searches, requests.
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
  "request",
  "request_medium",
  "request_low",
] as const satisfies readonly PriceName[]

/** One of {@link priceClasses}. */
export type PriceClass = (typeof priceClasses)[number]

/** The chat wire formats that a model can be restricted to. */
export const dialects = ["openai-chat", "openai-responses"] as const

/** One of {@link dialects}. */
export type Dialect = (typeof dialects)[number]

/** Exact decimals in US dollars per million units of the class. */
export type Rates = Partial<Record<PriceClass, string>>

/** Rates that replace the base ones for the whole request once its input exceeds `above` tokens. */
export interface Tier extends Rates {
  above: number
}

/** Rates, and those for longer inputs. */
export interface TieredRates extends Rates {
  tiers?: Tier[]
}

/** A mode of service: a factor on the rates of tokens, or rates of its own. */
export type Mode = string | TieredRates

/**
 * Returns modes with changed rates; factors stay.
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
  /** Minimum seconds charged per request. */
  minimum_seconds?: string
  modes?: Record<string, Mode>
}

/** Rates that replace the base rates for a time, in the form of `tollgate.yaml`. */
export interface PricePeriod extends Card {
  name?: string
  from?: string
  until?: string
  zone?: string
  days?: string[]
  hours?: string[]
}

/** The rate card of one model at one vendor. */
export interface Price extends Card {
  periods?: PricePeriod[]
}

/** A vendor's prices besides its models': as rates, by names that `tollgate.yaml` has too. */
export interface Services {
  [name: string]: string | Record<string, string> | undefined
  modes?: Record<string, string>
  /** A factor on prices, at these hosts, of models that came out since a day. */
  regional?: { factor: string; hosts: string; since: string }
}

/** The facts about one model at one vendor. */
export interface ModelFacts {
  kind: Kind
  /** Unix seconds of the release. */
  created?: number
  owner?: string
  context?: number
  max_output?: number
  input?: string[]
  tools?: true
  reasoning?: true
  /** The efforts that it accepts, the lowest first. */
  efforts?: string[]
  /** Whether its reasoning can be switched off by a parameter of its own. */
  reasoning_switch?: true
  /** The member of an assistant message that must bring its reasoning back. */
  reasoning_field?: string
  /** Set if it rejects a temperature. */
  temperature?: false
  /** Whether answers can follow a JSON schema; absent if the lists do not state it. */
  structured_output?: boolean
  /** Set if the vendor speaks others too. */
  dialects?: Dialect[]
  price?: Price
  /** The date of the newest list with this price. */
  priced?: string
  /** Maximum searches that it makes by itself in an answer. */
  own_searches?: number
}

/** The whole of facts.json. */
export interface Facts {
  /** The date of the prices. */
  date: string
  generated_from: { name: string; package: string; date: string }[]
  services: Record<string, Services>
  vendors: Record<string, Record<string, ModelFacts>>
}

/** Copies the rates of `from` without its tiers, in the order of {@link priceClasses}. */
export function ratesOf(from: Rates): Rates {
  const rates: Rates = {}
  for (const name of priceClasses) {
    const value = from[name]
    if (value !== undefined) rates[name] = value
  }
  return rates
}
