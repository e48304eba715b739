import { multiplierDoubt } from "tollgate-contract/amounts.ts"
import type { PriceGroup, PriceGroupChange, PriceTerm } from "tollgate-contract/price-groups.ts"
import { fromLocalField, toLocalField } from "../../format/moments.ts"
import { decimalFault, isOne, readPrice } from "../models/prices.ts"
import { readPrices, type TypedPrices } from "../models/read-prices.ts"
import { t } from "../../languages/text.ts"

/** One line of a rate card in the form. */
export interface CardValues {
  /** Identifies the line within the form. */
  readonly key: string
  /** A model id, or a pattern of ids. */
  readonly model: string
  readonly typed: TypedPrices
  /**
   * Settings that have no field in the form, such as tiers and prices by kind of image. They are sent back unchanged.
   */
  readonly others: Readonly<Record<string, unknown>>
}

/** One term in the form. */
export interface TermValues {
  readonly key: string
  /** Value of a `datetime-local` field; empty if the term begins immediately. */
  readonly from: string
  readonly multiplier: string
  readonly prices: readonly CardValues[]
  /** The stored term; absent for a new term. */
  readonly given?: PriceTerm
}

export interface GroupValues {
  readonly id: string
  readonly name: string
  readonly terms: readonly TermValues[]
}

let made = 0

function newKey(): string {
  return String(++made)
}

export function emptyCard(): CardValues {
  return { key: newKey(), model: "", typed: {}, others: {} }
}

export function emptyTerm(): TermValues {
  return { key: newKey(), from: "", multiplier: "", prices: [] }
}

/** Returns the initial values of the form. */
export function groupValuesOf(group: PriceGroup | undefined): GroupValues {
  if (group === undefined) return { id: "", name: "", terms: [emptyTerm()] }
  return { id: group.id, name: group.name ?? "", terms: group.terms.map(termValuesOf) }
}

function termValuesOf(term: PriceTerm): TermValues {
  return {
    key: newKey(),
    from: toLocalField(term.from),
    multiplier: term.multiplier ?? "",
    prices: Object.entries(term.prices).map(([model, price]) => cardValuesOf(model, price)),
    given: term,
  }
}

function isFlat(member: readonly [string, unknown]): member is [string, string] {
  return typeof member[1] === "string"
}

function cardValuesOf(model: string, price: Readonly<Record<string, unknown>>): CardValues {
  const members = Object.entries(price)
  return {
    key: newKey(),
    model,
    typed: Object.fromEntries(members.filter(isFlat)),
    others: Object.fromEntries(members.filter((member) => !isFlat(member))),
  }
}

/**
 * Reports whether the term has begun. A term that has begun cannot be changed, because requests may have been charged
 * by it.
 */
export function hasBegun({ given }: TermValues): boolean {
  return given !== undefined && given.state !== "upcoming"
}

/** Returns the error of the list of terms; undefined if the list is valid. */
export function termsFault(terms: readonly TermValues[]): string | undefined {
  for (const term of terms) {
    if (term.multiplier.trim() !== "") {
      const fault = decimalFault(term.multiplier)
      if (fault !== undefined) return t("Multiplier: {fault}.", { fault })
    }
    const models = term.prices.map(({ model }) => model.trim())
    if (models.includes("")) return t("Name the model of each price, or remove the price.")
    if (new Set(models).size < models.length) return t("A rate card can name each model only once.")
    const empty = term.prices.find(({ typed, others }) => cardBody(typed, others) === undefined)
    if (empty)
      return t("Enter the prices of {model} as numbers, such as 0.15.", {
        model: empty.model.trim(),
      })
  }
  return undefined
}

function cardBody(
  typed: TypedPrices,
  others: Readonly<Record<string, unknown>>,
): Record<string, unknown> | undefined {
  const isEmpty = Object.values(typed).every((text) => text.trim() === "")
  if (isEmpty) return Object.keys(others).length === 0 ? undefined : { ...others }
  const prices = readPrices(typed)
  return prices && { ...others, ...prices }
}

/** Builds the API's terms from validated values. */
export function termsBodyOf(terms: readonly TermValues[]): NonNullable<PriceGroupChange["terms"]> {
  return terms.map((term) => {
    const { given } = term
    if (given !== undefined && hasBegun(term)) {
      return { from: given.from, multiplier: given.multiplier, prices: given.prices }
    }
    // The field has no seconds. If the user has not changed the time, its exact stored value is kept.
    const isSame = given !== undefined && toLocalField(given.from) === term.from
    const from = isSame ? given.from : fromLocalField(term.from)
    return {
      ...(from !== undefined && { from }),
      multiplier: readPrice(term.multiplier) ?? null,
      prices: Object.fromEntries(
        term.prices.map(({ model, typed, others }) => [
          model.trim(),
          cardBody(typed, others) ?? {},
        ]),
      ),
    }
  })
}

/** Returns the reason why a new multiplier needs a confirmation; undefined if no multiplier needs it. */
export function termsDoubt(terms: readonly TermValues[]): string | undefined {
  return terms
    .filter((term) => !hasBegun(term))
    .map(({ multiplier }) => multiplierDoubt(readPrice(multiplier) ?? "1", t))
    .find((doubt) => doubt !== undefined)
}

/** Returns the active term and the next term. */
export function currentTerms({ terms }: PriceGroup): {
  readonly active: PriceTerm | undefined
  readonly next: PriceTerm | undefined
} {
  return {
    active: terms.find(({ state }) => state === "active"),
    next: terms.find(({ state }) => state === "upcoming"),
  }
}

/** Describes the prices of a term. */
export function termText(term: PriceTerm | undefined): string {
  const multiplier = term?.multiplier ?? "1"
  const models = Object.keys(term?.prices ?? {}).length
  const factor = isOne(multiplier) ? undefined : `× ${multiplier}`
  if (models === 0) return factor ?? t("Standard prices")
  const card = t("Rate card of {models, plural, one {# price} other {# prices}}", { models })
  return factor === undefined ? card : t("{card}, otherwise {factor}", { card, factor })
}
