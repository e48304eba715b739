/**
 * The content of facts.json. The types are deliberately loose, because the file is generated and tested, and reading it
 * at startup must take little time.
 */

/** Classes of usage with their price per million units, as decimal text in credits. */
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

/** Service modes. Each has a factor on the token rates as decimal text, or its own rates of token classes. */
export type ModesFacts = Readonly<Record<string, string | ModeRateFacts>>

/** A class or tier that is not listed costs the same as outside of the mode, or more (see `modeOf`). */
export interface ModeRateFacts {
  readonly [name: string]: string | readonly TierFacts[] | undefined
  readonly tiers?: readonly TierFacts[]
}

/** Rates that replace the base rates if the input exceeds `above` tokens. */
export interface TierFacts extends RateFacts {
  readonly above: number
}

interface CardFacts extends RateFacts {
  readonly tiers?: readonly TierFacts[]
  readonly modes?: ModesFacts
}

/** Prices that temporarily replace the prices of the same names, in the format of the settings. */
export interface PeriodFacts extends CardFacts {
  readonly name?: string
  /** Start and end as times, or as days in UTC. */
  readonly from?: string
  readonly until?: string
  readonly zone?: string
  readonly days?: readonly string[]
  readonly hours?: readonly string[]
}

export interface PriceFacts extends CardFacts {
  readonly periods?: readonly PeriodFacts[]
}

/** Charges of a vendor in addition to the prices of its models. */
export interface ServiceFacts {
  readonly [name: string]: string | Readonly<Record<string, string>> | undefined
  /** Factors on the token rates, as decimal text. */
  readonly modes?: Readonly<Record<string, string>>
  /** A factor on prices at these hosts (separated by spaces), for models released since the given day. */
  readonly regional?: Readonly<Record<"factor" | "hosts" | "since", string>>
}

/** The known facts of one model at one vendor. */
export interface ModelFacts {
  readonly kind: string
  /** Unix seconds. */
  readonly created?: number
  readonly owner?: string
  readonly context?: number
  readonly max_output?: number
  /** Input types other than text: `image`, `pdf`, `audio`, `video`; absent if unknown. */
  readonly input?: readonly string[]
  readonly tools?: boolean
  readonly reasoning?: boolean
  /** Supported reasoning efforts, lowest first; absent if unknown. */
  readonly efforts?: readonly string[]
  /** Whether a separate parameter can switch off the model's reasoning. */
  readonly reasoning_switch?: boolean
  /** The member of an assistant message in which callers must return the model's reasoning. */
  readonly reasoning_field?: string
  /** False if the model rejects a temperature. */
  readonly temperature?: boolean
  /** Whether the model supports JSON schemas for responses; absent if unknown. */
  readonly structured_output?: boolean
  /** Maximum searches per response that the model makes on its own; absent if it never searches. */
  readonly own_searches?: number
  /** A factor on the prices at all locations of the vendor except `global`, as decimal text. */
  readonly regional?: string
  /** The supported dialects; absent if the model supports all dialects of its vendor. */
  readonly dialects?: readonly string[]
  readonly price?: PriceFacts
  /** The date of the newest list with this price. */
  readonly priced?: string
}

export interface Facts {
  /** The date of the prices. */
  readonly date?: string
  readonly generated_from: readonly { readonly name: string; readonly date: string }[]
  /** Other services of vendors, by vendor id; absent if unknown. */
  readonly services?: Readonly<Record<string, ServiceFacts | undefined>>
  /** Models by vendor id and by the vendor's name for the model. */
  readonly vendors: Readonly<Record<string, Readonly<Record<string, ModelFacts>> | undefined>>
}

/** Returns the newest date of the lists in Unix seconds. A model without a date is assumed to have this date. */
export function factsDate(facts: Facts): number {
  let newest = 0
  for (const { date } of facts.generated_from) {
    const seconds = Date.parse(date) / 1000
    if (seconds > newest) newest = seconds
  }
  return newest
}
