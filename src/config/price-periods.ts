import { PERIOD_MEMBERS, type PeriodTimes, WEEKDAYS } from "#contract/price-periods.ts"
import { isAlways, isWeekly, isZone, minuteOfDay, overlaps } from "../accounting/period-calendar.ts"
import { entries, type Finding, member, numberIn } from "./finding.ts"
import { Fault, Faults, readingText } from "./reading.ts"
import { moment, oneOf } from "./scalars.ts"
import { list } from "./shapes.ts"
import type { SettingPath } from "./yaml-value.ts"

const HOURS = /^([01]\d|2[0-3]):[0-5]\d-(([01]\d|2[0-3]):[0-5]\d|24:00)$/

const MAX_PERIODS = 100
/** Maximum entries in the lists of one period. */
const MAX_TIMES = { days: 7, hours: 48 }

/** Members of a period that are not prices. */
const NO_PRICES: ReadonlySet<string> = new Set(PERIOD_MEMBERS)

/** A part of a day. */
const hours = readingText((text) => {
  if (!HOURS.test(text)) return new Fault("must be hours such as 09:00-12:00, at most to 24:00")
  const [start = "", end = ""] = text.split("-")
  if (minuteOfDay(start) < minuteOfDay(end)) return text
  if (minuteOfDay(end) === 0 || start === end) {
    return new Fault(`ends before it begins. Midnight at its end is 24:00: ${start}-24:00`)
  }
  return new Fault(`ends before it begins. Write two: ${start}-24:00 and 00:00-${end}`)
})

const zone = readingText((text) => {
  if (isZone(text)) return text
  return new Fault("is not a known time zone. Use one such as UTC or Asia/Shanghai")
})

/** The times of a price period. `days` and `hours` are lists of these values. */
export const periodScalars = {
  from: moment().optional(),
  until: moment().optional(),
  zone: zone.optional(),
}
export const weekday = oneOf(WEEKDAYS, "day of the week")
export { hours as dayHours }

/**
 * Checks the periods of one price in unvalidated data. Invalid moments, days and zones are reported elsewhere.
 * @param path the path of the price.
 */
export function periodFindings(path: SettingPath, price: unknown): Finding[] {
  const periods = member(price, "periods")
  if (!Array.isArray(periods)) return []
  const excess = excessFindings([...path, "periods"], periods)
  if (excess.length > 0) return excess
  const all = periods.map((period: unknown) => ({ period, times: timesIn(period) }))
  const findings = all.flatMap(({ period, times }, index) => {
    const place = [...path, "periods", index]
    return [
      ...(times === undefined ? [] : timesFindings(place, times)),
      ...rateFindings(place, price, period),
    ]
  })
  return [...findings, ...betweenFindings([...path, "periods"], all)]
}

/** Reports lists that are too long to compare all their elements. */
function excessFindings(path: SettingPath, periods: readonly unknown[]): Finding[] {
  if (periods.length > MAX_PERIODS) {
    return [{ path, message: `must have at most ${MAX_PERIODS} periods` }]
  }
  return periods.flatMap((period, index) =>
    Object.entries(MAX_TIMES).flatMap(([name, max]) => {
      const list = member(period, name)
      if (!Array.isArray(list) || list.length <= max) return []
      return [{ path: [...path, index, name], message: `must have at most ${max} entries` }]
    }),
  )
}

/** Checks a single period. */
function timesFindings(place: SettingPath, times: PeriodTimes): Finding[] {
  const { from, until, zone: named } = times
  if (from !== undefined && until !== undefined && from >= until) {
    const message = "is not after 'from'. Set a later moment, or swap the two"
    return [{ path: [...place, "until"], message }]
  }
  if (isAlways(times)) {
    const message =
      "applies always. Set from, until, days or hours, or move its prices to the model"
    return [{ path: place, message }]
  }
  if (named === undefined || isWeekly(times)) return []
  const message =
    "has no effect without days or hours. Give 'from' and 'until' an offset: 2027-01-01T00:00+08:00"
  return [{ path: [...place, "zone"], message }]
}

/**
 * Requires a period to have prices. If it changes the price of a class that also occurs in the tiers or modes of the
 * price, it must have its own tiers or modes.
 */
function rateFindings(place: SettingPath, price: unknown, period: unknown): Finding[] {
  const names = entries(period).map(([name]) => name)
  if (names.every((name) => NO_PRICES.has(name))) {
    return [{ path: place, message: "changes no price. Set at least one, such as input: 0.10" }]
  }
  return [...tierFindings(place, price, names), ...modeFindings(place, price, period)]
}

function tierFindings(place: SettingPath, price: unknown, names: readonly string[]): Finding[] {
  const tiers = member(price, "tiers")
  if (names.includes("tiers") || !Array.isArray(tiers)) return []
  const shared = names.find((name) =>
    tiers.some((tier: unknown) => member(tier, name) !== undefined),
  )
  if (shared === undefined) return []
  const message = `changes '${shared}', which the price's tiers also name. Give the period its own tiers`
  return [{ path: place, message }]
}

/**
 * Requires a period to have its own modes if it changes a price whose modes have rates. A factor adapts to the changed
 * price, but rates do not.
 */
function modeFindings(place: SettingPath, price: unknown, period: unknown): Finding[] {
  const own = member(period, "modes")
  const changed = entries(period).find(([name]) => !NO_PRICES.has(name) && name !== "modes")?.[0]
  if (changed === undefined) return []
  return entries(member(price, "modes")).flatMap(([mode, rates]) => {
    const hasRates = entries(rates).length > 0 && numberIn(rates) === undefined
    if (!hasRates || member(own, mode) !== undefined) return []
    const message = `changes '${changed}', but the mode '${mode}' has its own prices. Give the period its own '${mode}' under modes`
    return [{ path: place, message }]
  })
}

interface ReadPeriod {
  readonly times: PeriodTimes | undefined
}

/** Requires that all windows of one price are in one time zone, and that its periods do not overlap. */
function betweenFindings(path: SettingPath, all: readonly ReadPeriod[]): Finding[] {
  const zones = all.map(({ times }) =>
    times && isWeekly(times) ? (times.zone ?? "UTC") : undefined,
  )
  const [first] = zones.filter((name) => name !== undefined)
  const other = zones.findIndex((name) => name !== undefined && name !== first)
  if (other !== -1) {
    const message = `is '${zones[other]}', but another period has '${first}'. Use one time zone for all days and hours of a price`
    return [
      {
        path: [...path, other, ...(all[other]?.times?.zone === undefined ? [] : ["zone"])],
        message,
      },
    ]
  }
  return all.flatMap(({ times }, index) => {
    const before = all
      .slice(0, index)
      .findIndex((each) => times && each.times && overlaps(each.times, times))
    if (before === -1) return []
    const message = `applies at the same time as periods[${before}]. End one of the two before the other begins`
    return [{ path: [...path, index], message }]
  })
}

/** Returns the times of an unvalidated period; undefined if any of them is invalid. */
function timesIn(period: unknown): PeriodTimes | undefined {
  const times: { -readonly [Name in keyof PeriodTimes]: PeriodTimes[Name] } = {}
  const readers = { ...periodScalars, days: list(weekday), hours: list(hours) }
  for (const [name, reader] of Object.entries(readers)) {
    const value = member(period, name)
    if (value === undefined) continue
    const read = reader.read(value)
    if (read instanceof Faults) return undefined
    Object.assign(times, { [name]: read })
  }
  return times
}
