import { atPlaces, type Decimal, plainDecimal, readDecimal } from "#contract/decimal.ts"
import { CLASS_OF_NAME, type PriceName } from "#contract/usage-classes.ts"

/** Digits after the point of amounts: what a token costs is exact, at any price that can be set. */
export const AMOUNT_PLACES = 18
/** One credit. */
export const CREDIT = 10n ** BigInt(AMOUNT_PLACES)
/** Amounts of one row above a million credits are mistakes. */
const MAX_AMOUNT = 1_000_000n * CREDIT
const MAX_QUANTITY = 10n ** 18n
/** Digits of a number in a bill: more take long to read, and mean nothing. */
const MAX_DIGITS = 60

/** One amount of a bill. */
export interface BillRow {
  /** The beginning of the day in UTC, Unix milliseconds. */
  readonly day: number
  /** The provider's name of the model; empty for a fee of none. */
  readonly model: string
  /** Whether `model` is a text for people in which the name occurs. */
  readonly isDescription: boolean
  /** The provider's id of the key; null: the bill does not say. */
  readonly key: string | null
  /** Null: of all classes. */
  readonly class: PriceName | null
  /** Whole units of the class, or tokens of all classes; null: the bill does not say. */
  readonly quantity: bigint | null
  /** In units of 10^-18 credits. */
  readonly amount: bigint
  /** Digits after the point, as the bill writes the amount. */
  readonly places: number
  /** The service tier, if it is not the standard one. */
  readonly tiers: readonly string[]
  readonly requests: number | null
}

/** What a provider bills for some days. */
export interface Bill {
  /** The name of the file or of the cost API. */
  readonly source: string
  readonly rows: readonly BillRow[]
  /** Rows of other days or services. */
  readonly skipped: number
}

/** The days of a bill in UTC, Unix milliseconds; the end exclusive. */
export interface Days {
  readonly from: number
  readonly until: number
}

/** A bill cannot be read. Its message holds no secret. */
export class BillError extends Error {
  override readonly name = "BillError"
  /** What to do about it. */
  readonly hint: string

  constructor(message: string, hint: string) {
    super(message)
    this.hint = hint
  }
}

interface Amount {
  readonly amount: bigint
  readonly places: number
}

/**
 * @param shift digits by which the point moves to the left: 2 for cents.
 * @returns undefined for text that is no number. @throws RangeError for one that no bill has.
 */
export function readAmount(text: string, shift = 0): Amount | undefined {
  const decimal = readNumber(text)
  if (decimal === undefined) return undefined
  const places = decimal.places + shift
  const amount = rounded({ value: decimal.value, places }, AMOUNT_PLACES)
  if (amount > MAX_AMOUNT || amount < -MAX_AMOUNT) {
    throw new RangeError("is more than a million credits")
  }
  return { amount, places }
}

/** @param unit how many single units one unit of the bill is. */
export function readQuantity(text: string, unit = 1n): bigint | undefined {
  const decimal = readNumber(text)
  if (decimal === undefined) return undefined
  const quantity = rounded({ value: decimal.value * unit, places: decimal.places }, 0)
  if (quantity < 0n || quantity > MAX_QUANTITY) throw new RangeError("is no possible quantity")
  return quantity
}

function readNumber(text: string): Decimal | undefined {
  if (text.length > MAX_DIGITS) return undefined
  const plain = plainDecimal(text.replace(/^\+/, ""))
  if (plain === undefined || plain.length > 10_000) return undefined
  return readDecimal(plain)
}

/** Rounds half away from zero where there are more places. */
export function rounded(decimal: Decimal, places: number): bigint {
  if (decimal.places <= places) return atPlaces(decimal, places)
  const step = 10n ** BigInt(decimal.places - places)
  const half = decimal.value < 0n ? -step / 2n : step / 2n
  return (decimal.value + half) / step
}

/** An amount in nanocredits. */
export function nanocreditsOf(amount: bigint): bigint {
  return rounded({ value: amount, places: AMOUNT_PLACES }, 9)
}

const CACHE = /cach/
const WRITE = /write|creation/

/** In this order: the first whose words all occur is the class. */
const CLASS_WORDS: readonly (readonly [PriceName, ...RegExp[]])[] = [
  ["cache_write_12h", CACHE, WRITE, /12 ?h/],
  ["cache_write_1h", CACHE, WRITE, /1 ?h/],
  ["cache_write", CACHE, WRITE],
  ["cached_audio_input", CACHE, /audio/],
  ["cached_input", CACHE],
  ["audio_input", /audio/, /input/],
  ["audio_output", /audio/, /output/],
  ["image_input", /image/, /input/],
  ["image_output", /image/, /output/],
  ["file_search", /file search/],
  ["search", /web search|search call|grounding/],
  ["code_session", /code (?:interpreter|execution)|container/],
  ["input", /input|prompt|inp\b/],
  ["output", /output|completion|response|outp\b/],
]

/** The class of usage that a text of a bill means; null if it names none. */
export function classOf(text: string): PriceName | null {
  if (isPriceName(text)) return text
  const words = text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, " ")
    .replaceAll(/\b(?:uncached|non cached)\b/g, "")
  const found = CLASS_WORDS.find(([, ...patterns]) => patterns.every((one) => one.test(words)))
  return found?.[0] ?? null
}

export function isPriceName(text: string): text is PriceName {
  return Object.hasOwn(CLASS_OF_NAME, text)
}

const TIER = /\b(batch|flex|priority|fast|ultrafast|scale)\b/i

/** The service tiers that a text of a bill names. */
export function tiersOf(text: string): readonly string[] {
  const tier = TIER.exec(text)?.[1]
  return tier === undefined ? [] : [tier.toLowerCase()]
}
