import { atPlaces, type Decimal, plainDecimal, readDecimal } from "#contract/decimal.ts"
import { CLASS_OF_NAME, type PriceName } from "#contract/usage-classes.ts"

/** Decimal places of amounts, which are enough for the exact cost of one token at any price. */
export const AMOUNT_PLACES = 18
export const CREDIT = 10n ** BigInt(AMOUNT_PLACES)
export const NANOCREDIT = CREDIT / 1_000_000_000n
/** Maximum amount in one row. Larger amounts are mistakes. */
const MAX_AMOUNT = 1_000_000n * CREDIT
const MAX_QUANTITY = 10n ** 18n
/** Maximum length of a number in a bill, because long numbers are slow to read. */
const MAX_DIGITS = 60

/** One row of a bill with a single amount. */
export interface BillRow {
  /** The start of the day in UTC, in Unix milliseconds. */
  readonly day: number
  /** The provider's name for the model; empty for a fee without a model. */
  readonly model: string
  /** Whether `model` is a description for people that contains the model's name. */
  readonly isDescription: boolean
  /** The provider's id of the key; null if the bill does not contain it. */
  readonly key: string | null
  /** The class of usage; null if the amount covers all classes. */
  readonly class: PriceName | null
  /** Number of units of the class, or of tokens of all classes; null if the bill does not contain it. */
  readonly quantity: bigint | null
  /** The amount in units of 10^-18 credits. */
  readonly amount: bigint
  /** Decimal places of the amount in the bill. */
  readonly places: number
  /** Service tiers with the provider's names, unless they are part of a description. */
  readonly tiers: readonly string[]
  readonly requests: number | null
}

export interface Bill {
  /** The name of the file or of the cost API. */
  readonly source: string
  readonly rows: readonly BillRow[]
  /** Number of rows for other days or services. */
  readonly skipped: number
}

/** The error for a bill that cannot be read or compared. The message contains no secret. */
export class BillError extends Error {
  override readonly name = "BillError"
  /** Advice for fixing the problem. */
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
 * Reads an amount.
 * @param shift number of digits by which the decimal point moves to the left: 2 for cents.
 * @throws RangeError with a predicate, such as `is not a number`.
 */
export function readAmount(text: string, shift = 0): Amount {
  const decimal = readNumber(text)
  const places = decimal.places + shift
  const amount = rounded({ value: decimal.value, places }, AMOUNT_PLACES)
  if (amount > MAX_AMOUNT || amount < -MAX_AMOUNT) {
    throw new RangeError("is more than a million credits")
  }
  return { amount, places }
}

/**
 * Reads a quantity.
 * @param unit number of single units in one unit of the bill.
 * @throws RangeError with a predicate, such as `is not a number`.
 */
export function readQuantity(text: string, unit = 1n): bigint {
  const decimal = readNumber(text)
  const quantity = rounded({ value: decimal.value * unit, places: decimal.places }, 0)
  if (quantity < 0n || quantity > MAX_QUANTITY) throw new RangeError("is not a possible quantity")
  return quantity
}

function readNumber(text: string): Decimal {
  const plain = text.length > MAX_DIGITS ? undefined : plainDecimal(text.replace(/^\+/, ""))
  if (plain === undefined || plain.length > 10_000) throw new RangeError("is not a number")
  return readDecimal(plain)
}

/** Rounds a decimal to units of 10^-`places`; halves are rounded away from zero. */
function rounded(decimal: Decimal, places: number): bigint {
  if (decimal.places <= places) return atPlaces(decimal, places)
  const step = 10n ** BigInt(decimal.places - places)
  const half = decimal.value < 0n ? -step / 2n : step / 2n
  return (decimal.value + half) / step
}

/** Rounds an amount from units of 10^-18 credits to nanocredits. */
export function nanocreditsOf(amount: bigint): bigint {
  return rounded({ value: amount, places: AMOUNT_PLACES }, 9)
}

/** Formats a day in UTC, such as `2026-11-21`. */
export function dayText(day: number): string {
  return new Date(day).toISOString().slice(0, "2026-11-21".length)
}

const CACHE = /cach/
const WRITE = /write|creation/

/** Patterns of classes. A text belongs to the first class with matching patterns. */
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

/** Returns the class of usage that the text of a bill names; null if it names no class. */
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
