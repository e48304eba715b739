import { CLASS_OF_NAME, PRICE_NAMES } from "#contract/usage-classes.ts"
import { formatCredits, multiplierText } from "../../ledger/money.ts"
import {
  type ModeRates,
  type Price,
  type PricePeriods,
  rateOf,
  type Rates,
  ratesFor,
  UNIT_FACTOR,
} from "../../ledger/price.ts"
import { modeOf } from "../../ledger/price-modes.ts"
import { type Model, placeOf } from "../model.ts"
import { hasPeriods } from "../prices-in-force.ts"
import type { PartChange } from "./changes.ts"

export interface UpcomingChange {
  readonly model: string
  /** The affected deployment of the model; absent if the model has only one. */
  readonly deployment?: string
  /** Unix milliseconds. */
  readonly at: number
  /** Whether the change recurs every week. Other changes have a date. */
  readonly isRecurring: boolean
  /** The period that begins, or null if the period has no name; absent if the price outside of all periods begins. */
  readonly period?: string | null
  /**
   * Changed rates, including those of modes, in credits per million units before the multiplier, and changed factors of
   * modes.
   */
  readonly parts: readonly PartChange[]
}

/** Maximum consecutive weekly windows that are searched for a different price. */
const MAX_WINDOWS = 20

/**
 * Returns all dated price changes, and the next recurring change of each price, in ascending order.
 * @param now Unix milliseconds.
 */
export function upcomingChanges(models: readonly Model[], now: number): UpcomingChange[] {
  return models
    .filter((model) => model.members === undefined && hasPeriods(model))
    .flatMap(({ id, deployments }) => {
      // Deployments with different credentials have the same price.
      const places = new Map(deployments.map((each) => [placeOf(each), each.price?.periods]))
      return [...places].flatMap(([deployment, periods]) => {
        const named = places.size > 1 ? { model: id, deployment } : { model: id }
        return periods ? changesOf(periods, now).map((change) => ({ ...named, ...change })) : []
      })
    })
    .toSorted((left, right) => left.at - right.at)
}

type Change = Omit<UpcomingChange, "model" | "deployment">

function changesOf(periods: PricePeriods, now: number): Change[] {
  const dates = periods.datesAfter(now)
  const dated = dates.map((at) => changeAt(periods, at, false))
  let next = periods.changeAfter(now)
  let recurring: Change | undefined
  for (let count = 0; count < MAX_WINDOWS && next < Infinity; count++) {
    const change = dates.includes(next) ? undefined : changeAt(periods, next, true)
    if (change !== undefined && change.parts.length > 0) {
      recurring = change
      break
    }
    next = periods.changeAfter(next)
  }
  return [...dated, ...(recurring ? [recurring] : [])].filter(({ parts }) => parts.length > 0)
}

function changeAt(periods: PricePeriods, at: number, isRecurring: boolean): Change {
  const [before, after] = [periods.periodAt(at - 1), periods.periodAt(at)]
  const parts = partChanges(before?.price ?? periods.base, after?.price ?? periods.base)
  return { at, isRecurring, ...(after && { period: after.name ?? null }), parts }
}

function partChanges(before: Price, after: Price): PartChange[] {
  const [old, fresh] = [partsOf(before), partsOf(after)]
  return [...new Set([...old.keys(), ...fresh.keys()])].flatMap((name) => {
    const change = { name, before: valueOf(before, old, name), after: valueOf(after, fresh, name) }
    return change.before === change.after ? [] : [change]
  })
}

const ABOVE = " above "
const MODE = "mode "

/** Returns the listed parts of a price. Tiers only contain parts that differ from the base price. */
function partsOf(price: Price): Map<string, string> {
  const parts = cardParts(price)
  for (const [mode, own] of price.modes ?? []) {
    const name = `${MODE}${mode}`
    if (typeof own === "bigint") parts.set(name, multiplierText(own))
    else for (const [part, rate] of cardParts(own)) parts.set(`${name}: ${part}`, rate)
  }
  return parts
}

function cardParts({ rates, tiers }: ModeRates): Map<string, string> {
  const parts = new Map<string, string>()
  for (const [name, rate] of namedRates(rates)) parts.set(name, formatCredits(rate))
  for (const { above, rates: own } of tiers) {
    for (const [name, rate] of namedRates(own)) {
      if (rate !== rates[CLASS_OF_NAME[name]]) {
        parts.set(`${name}${ABOVE}${above}`, formatCredits(rate))
      }
    }
  }
  return parts
}

function namedRates(rates: Rates) {
  return PRICE_NAMES.flatMap((name) => {
    const rate = rates[CLASS_OF_NAME[name]]
    return rate === undefined ? [] : [[name, rate] as const]
  })
}

/** Returns the rate of a part, even if the price does not list it. */
function valueOf(price: Price, parts: ReadonlyMap<string, string>, name: string): string {
  const own = parts.get(name)
  if (own !== undefined) return own
  const [mode = "", inMode] = name.split(": ")
  const priced = mode.startsWith(MODE) ? modeOf(price, mode.slice(MODE.length)) : undefined
  if (inMode !== undefined) return rateText(priced?.price ?? price, inMode)
  return mode.startsWith(MODE)
    ? multiplierText(priced?.factor ?? UNIT_FACTOR)
    : rateText(price, name)
}

function rateText(price: Price, name: string): string {
  const [part = "", above] = name.split(ABOVE)
  const usageClass = PRICE_NAMES.find((known) => known === part)
  if (usageClass === undefined) return "0"
  const rates = above === undefined ? price.rates : ratesFor(price, Number(above) + 1)
  return formatCredits(rateOf(rates, CLASS_OF_NAME[usageClass]))
}

/** Formats the relative change of a part: `+100 %`, `-50 %`; empty if the part was free. */
export function percentOf({ before, after }: PartChange): string {
  const [old, fresh] = [Number(before), Number(after)]
  if (!(old > 0)) return ""
  const percent = Math.round((fresh / old - 1) * 100)
  return `${percent > 0 ? "+" : ""}${percent} %`
}
