import { PeriodCalendar } from "../accounting/period-calendar.ts"
import {
  type DecimalPeriod,
  type DecimalPrice,
  type DecimalServices,
  parsePrice,
} from "./parse-price.ts"
import type { Price, PricePeriod, PricePeriods } from "./price.ts"

class Periods implements PricePeriods {
  readonly base: Price
  readonly periods: readonly PricePeriod[]
  readonly #calendar: PeriodCalendar
  /** The last result, which is valid during an interval. */
  #last: { readonly from: number; readonly until: number; readonly price: Price } | undefined

  constructor(base: Price, periods: readonly PricePeriod[]) {
    this.base = base
    this.periods = periods
    this.#calendar = new PeriodCalendar(periods.map(({ times }) => times))
  }

  get prices(): readonly Price[] {
    return [this.base, ...this.periods.map(({ price }) => price)]
  }

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

  periodAt(now: number): PricePeriod | undefined {
    return this.periods[this.#calendar.indexAt(now)]
  }

  changeAfter(now: number): number {
    return this.#calendar.stretchAt(now).until
  }

  datesAfter(now: number): readonly number[] {
    return this.#calendar.datesAfter(now)
  }

  map(change: (price: Price) => Price): PricePeriods {
    const periods = this.periods.map((period) => ({ ...period, price: change(period.price) }))
    return new Periods(change(this.base), periods)
  }
}

/**
 * Parses a price with its periods.
 * @throws RangeError as in `parsePrice`.
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
  return { ...base, periods: new Periods(base, periods) }
}

/** Returns the name, the times and the prices of a period. */
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
