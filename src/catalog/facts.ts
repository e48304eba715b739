/**
 * The content of facts.json, as it is read. The types are loose on purpose: the file is generated and tested,
 * and reading it at start-up must cost next to nothing.
 */

/** Classes of usage and the price of a million units of each, decimal text in credits. */
interface RateFacts {
  readonly [name: string]:
    | string
    | number
    | readonly TierFacts[]
    | readonly PeriodFacts[]
    | readonly string[]
    | ModesFacts
    | undefined
}

/** Modes of service: a factor on the token rates as decimal text, or the rates of token classes. */
export type ModesFacts = Readonly<Record<string, string | ModeRateFacts>>

/** A class or tier that is not named costs as much as outside of the mode, or more (`modeOf`). */
export interface ModeRateFacts {
  readonly [name: string]: string | readonly TierFacts[] | undefined
  readonly tiers?: readonly TierFacts[]
}

/** Rates that replace the base ones once the input exceeds `above` tokens. */
export interface TierFacts extends RateFacts {
  readonly above: number
}

interface CardFacts extends RateFacts {
  readonly tiers?: readonly TierFacts[]
  readonly modes?: ModesFacts
}

/** Prices that replace those of the same name for a time, in the form of the settings. */
export interface PeriodFacts extends CardFacts {
  readonly name?: string
  /** Moments, or days in UTC. */
  readonly from?: string
  readonly until?: string
  readonly zone?: string
  readonly days?: readonly string[]
  readonly hours?: readonly string[]
}

export interface PriceFacts extends CardFacts {
  readonly periods?: readonly PeriodFacts[]
}

/** What a vendor charges besides its models' own prices. */
export interface ServiceFacts {
  readonly [name: string]: string | Readonly<Record<string, string>> | undefined
  /** Factors on the token rates, decimal text. */
  readonly modes?: Readonly<Record<string, string>>
  /** A factor on prices at these hosts, apart by blanks, of models that came out since a day. */
  readonly regional?: Readonly<Record<"factor" | "hosts" | "since", string>>
}

/** What is known of one model at one vendor. */
export interface ModelFacts {
  readonly kind: string
  /** Unix seconds. */
  readonly created?: number
  readonly owner?: string
  readonly context?: number
  readonly max_output?: number
  /** What it takes besides text: `image`, `pdf`, `audio`, `video`; absent: nobody says. */
  readonly input?: readonly string[]
  readonly tools?: boolean
  readonly reasoning?: boolean
  /** The efforts that it accepts, the lowest first; absent: unknown. */
  readonly efforts?: readonly string[]
  /** Whether its reasoning can be switched off by a parameter of its own. */
  readonly reasoning_switch?: boolean
  /** The member of an assistant message that has to bring its reasoning back. */
  readonly reasoning_field?: string
  /** False: it rejects a temperature. */
  readonly temperature?: boolean
  /** Whether answers can follow a JSON schema; absent: unknown. */
  readonly structured_output?: boolean
  /** Searches that it makes by itself in an answer, at most; absent: none. */
  readonly own_searches?: number
  /** Absent: all that its vendor speaks. */
  readonly dialects?: readonly string[]
  readonly price?: PriceFacts
  /** The day of the newest list that says this price. */
  readonly priced?: string
}

export interface Facts {
  /** The day that the prices are of. */
  readonly date?: string
  readonly generated_from: readonly { readonly name: string; readonly date: string }[]
  /** The vendors' other services, by the vendor's id; absent: nothing is known. */
  readonly services?: Readonly<Record<string, ServiceFacts | undefined>>
  /** By the vendor's id, then by the vendor's own name for the model. */
  readonly vendors: Readonly<Record<string, Readonly<Record<string, ModelFacts>> | undefined>>
}

/** The newest date in the registry, Unix seconds: the age of a model without one. */
export function factsDate(facts: Facts): number {
  let newest = 0
  for (const { date } of facts.generated_from) {
    const seconds = Date.parse(date) / 1000
    if (seconds > newest) newest = seconds
  }
  return newest
}
