import type { PeriodTimes } from "#contract/price-periods.ts"
import { PeriodCalendar, type Stretch } from "../accounting/period-calendar.ts"
import {
  type DecimalPeriod,
  type DecimalPrice,
  type DecimalServices,
  parsePrice,
  type Price,
} from "./price.ts"

/** A time for which a price is in force. */
export interface InForce extends Stretch {
  /** What the period is called; absent where it has no name, or where the price holds outside of all periods. */
  readonly name?: string
}

/** A time with prices of its own. */
export interface PricePeriod {
  readonly name?: string
  readonly times: PeriodTimes
  readonly price: Price
}

/** The periods of a price, and the price outside of them. */
export class PricePeriods {
  readonly base: Price
  readonly periods: readonly PricePeriod[]
  readonly #calendar: PeriodCalendar
  /** The one that was asked for last: it is worked out once for each time in which it is in force. */
  #last: { readonly from: number; readonly until: number; readonly price: Price } | undefined

  constructor(base: Price, periods: readonly PricePeriod[]) {
    this.base = base
    this.periods = periods
    this.#calendar = new PeriodCalendar(periods.map(({ times }) => times))
  }

  /** The price outside of all periods, then theirs. */
  get prices(): readonly Price[] {
    return [this.base, ...this.periods.map(({ price }) => price)]
  }

  /** The price that is in force at a moment, Unix milliseconds. */
  at(now: number): Price {
    const last = this.#last
    if (last !== undefined && last.from <= now && now < last.until) return last.price
    const { index, from, until } = this.#calendar.stretchAt(now)
    const { name, price = this.base } = this.periods[index] ?? {}
    const inForce = { index, from, until, ...(name !== undefined && { name }) }
    const inForceNow = { ...price, inForce }
    this.#last = { from, until, price: inForceNow }
    return inForceNow
  }

  /** The beginnings and ends with a date that are still to come. */
  datesAfter(now: number): readonly number[] {
    return this.#calendar.datesAfter(now)
  }

  /** The next moment at which another price is in force; infinite where none is known. */
  changeAfter(now: number): number {
    return this.#calendar.stretchAt(now).until
  }

  /** The period that applies at a moment; undefined outside of all. */
  periodAt(now: number): PricePeriod | undefined {
    return this.periods[this.#calendar.indexAt(now)]
  }

  /** The same with other prices. */
  map(change: (price: Price) => Price): PricePeriods {
    const periods = this.periods.map((period) => ({ ...period, price: change(period.price) }))
    return new PricePeriods(change(this.base), periods)
  }
}

/**
 * Parses a price with its periods.
 * @throws RangeError as `parsePrice`.
 */
export function parsePeriods(
  price: DecimalPrice,
  multiplier: string,
  services: DecimalServices = {},
): Price {
  const { periods: written = [], ...own } = price
  const base = parsePrice(own, multiplier, services)
  if (written.length === 0) return base
  const periods = written.map((period) => {
    const { name, times, card } = periodParts(period)
    const modes = { ...own.modes, ...card.modes }
    const parsed = parsePrice({ ...own, ...card, modes }, multiplier, services)
    return { ...(name !== undefined && { name }), times, price: parsed }
  })
  return { ...base, periods: new PricePeriods(base, periods) }
}

/** A period as what it is called, when it applies, and its prices. */
export function periodParts({ name, from, until, zone, days, hours, ...card }: DecimalPeriod) {
  const times = {
    ...(from !== undefined && { from }),
    ...(until !== undefined && { until }),
    ...(zone !== undefined && { zone }),
    ...(days !== undefined && { days }),
    ...(hours !== undefined && { hours }),
  }
  return { name, times, card }
}
