import { type PeriodTimes, WEEKDAYS } from "#contract/price-periods.ts"

const MINUTE = 60_000
const DAY_MINUTES = 24 * 60
const WEEK_MINUTES = 7 * DAY_MINUTES
/** Unix time begins on a Thursday; a week begins on Monday. */
const FIRST_DAY_MINUTES = 3 * DAY_MINUTES
/** Longer than a week with any clock change, so that each weekly window has recurred. Milliseconds. */
const LONGER_THAN_A_WEEK = 8 * DAY_MINUTES * MINUTE

/** Minutes of the week; the end is exclusive. */
interface Window {
  readonly start: number
  readonly end: number
}

interface Period {
  readonly from: number
  readonly until: number
  /** Absent: all week. */
  readonly windows: readonly Window[] | undefined
}

/** An interval during which the same period applies, or no period. */
export interface Stretch {
  /** Index of the period in the list; -1: no period applies. */
  readonly index: number
  /** Unix milliseconds; infinite if no beginning or end is known. */
  readonly from: number
  readonly until: number
}

/** Determines which of several periods applies. Their windows share one time zone and do not overlap. */
export class PeriodCalendar {
  readonly #periods: readonly Period[]
  readonly #offsetAt: (at: number) => number
  /** Beginnings and ends that have a date, in ascending order. */
  readonly #dates: readonly number[]

  constructor(periods: readonly PeriodTimes[]) {
    this.#periods = periods.map((times) => ({
      from: times.from ?? -Infinity,
      until: times.until ?? Infinity,
      windows: windowsOf(times),
    }))
    this.#offsetAt = offsetsOf(periods.find(isWeekly)?.zone ?? "UTC")
    const dates = this.#periods.flatMap(({ from, until }) => [from, until])
    this.#dates = [...new Set(dates.filter(Number.isFinite))].toSorted((a, b) => a - b)
  }

  /** Returns the dated beginnings and ends after `now`. */
  datesAfter(now: number): readonly number[] {
    return this.#dates.filter((date) => date > now)
  }

  /** Returns the index of the period that applies; -1: no period applies. */
  indexAt(at: number): number {
    const minute = this.#minuteOfWeek(at)
    return this.#periods.findIndex(
      ({ from, until, windows }) =>
        from <= at &&
        at < until &&
        (windows === undefined ||
          windows.some(({ start, end }) => start <= minute && minute < end)),
    )
  }

  /** Returns the interval around `at` during which the applicable period does not change. */
  stretchAt(now: number): Stretch {
    const index = this.indexAt(now)
    let until = this.nextEdge(now)
    while (until < Infinity && this.indexAt(until) === index) until = this.nextEdge(until)
    return { index, from: this.#beginOf(index, now), until }
  }

  /** Returns the next moment after `at` at which another period may apply. */
  nextEdge(at: number): number {
    const date = this.#dates.find((each) => each > at) ?? Infinity
    const weekly = this.#periods.flatMap(({ from, until, windows }) =>
      windows !== undefined && from <= at && at < until ? [this.#nextWindow(windows, at)] : [],
    )
    return Math.min(date, ...weekly)
  }

  /** A state that lasts longer than a week must have begun at a date. */
  #beginOf(index: number, now: number): number {
    let at = now - LONGER_THAN_A_WEEK
    const begins = (date: number): boolean =>
      this.indexAt(date) === index && this.indexAt(date - 1) !== index
    let from = this.#dates.findLast((date) => date <= at && begins(date)) ?? -Infinity
    for (let next = this.nextEdge(at); next <= now; next = this.nextEdge(at)) {
      if (this.indexAt(next) === index && this.indexAt(at) !== index) from = next
      at = next
    }
    return from
  }

  /** Returns the next beginning or end of a window, or the moment of an earlier clock change. */
  #nextWindow(windows: readonly Window[], at: number): number {
    const offset = this.#offsetAt(at)
    const minute = this.#minuteOfWeek(at)
    const edges = windows.flatMap(({ start, end }) => [start, end]).toSorted((a, b) => a - b)
    const edge = edges.find((each) => each > minute) ?? (edges[0] ?? 0) + WEEK_MINUTES
    const whole = Math.floor(at / MINUTE)
    let next = whole + edge - minute
    if (this.#offsetAt(next * MINUTE) === offset) return next * MINUTE
    let same = whole
    while (next - same > 1) {
      const middle = Math.floor((same + next) / 2)
      if (this.#offsetAt(middle * MINUTE) === offset) same = middle
      else next = middle
    }
    return next * MINUTE
  }

  #minuteOfWeek(at: number): number {
    const local = Math.floor(at / MINUTE) + this.#offsetAt(at) + FIRST_DAY_MINUTES
    return ((local % WEEK_MINUTES) + WEEK_MINUTES) % WEEK_MINUTES
  }
}

/** Whether both periods apply at some moment. Their windows are in one time zone. */
export function overlaps(left: PeriodTimes, right: PeriodTimes): boolean {
  const from = Math.max(left.from ?? -Infinity, right.from ?? -Infinity)
  const until = Math.min(left.until ?? Infinity, right.until ?? Infinity)
  if (from >= until) return false
  const [one, other] = [windowsOf(left) ?? ALL_WEEK, windowsOf(right) ?? ALL_WEEK]
  const share = one.some((window) =>
    other.some(({ start, end }) => window.start < end && start < window.end),
  )
  if (!share || until - from >= LONGER_THAN_A_WEEK) return share
  const calendars = [new PeriodCalendar([left]), new PeriodCalendar([right])]
  for (let at = from; at < until; at = Math.min(...calendars.map((each) => each.nextEdge(at)))) {
    if (calendars.every((each) => each.indexAt(at) === 0)) return true
  }
  return false
}

/** Whether a period has weekly windows. */
export function isWeekly({ days, hours }: PeriodTimes): boolean {
  return days !== undefined || hours !== undefined
}

/** Whether a period applies at all times. */
export function isAlways(times: PeriodTimes): boolean {
  return times.from === undefined && times.until === undefined && windowsOf(times) === undefined
}

const ALL_WEEK: readonly Window[] = [{ start: 0, end: WEEK_MINUTES }]

/** Returns the windows in order, with adjacent windows merged; undefined: all week. */
function windowsOf(times: PeriodTimes): readonly Window[] | undefined {
  if (!isWeekly(times)) return undefined
  const { days = WEEKDAYS, hours = ["00:00-24:00"] } = times
  const all = days.flatMap((day) =>
    hours.map((text) => {
      const [start = 0, end = 0] = text.split("-").map(minuteOfDay)
      const begin = WEEKDAYS.indexOf(day) * DAY_MINUTES
      return { start: begin + start, end: begin + end }
    }),
  )
  const merged: Window[] = []
  for (const window of all.toSorted((left, right) => left.start - right.start)) {
    const last = merged.at(-1)
    if (last === undefined || last.end < window.start) merged.push(window)
    else merged[merged.length - 1] = { ...last, end: Math.max(last.end, window.end) }
  }
  const [first] = merged
  return first?.start === 0 && first.end === WEEK_MINUTES ? undefined : merged
}

/** `24:00` is the end of a day. */
export function minuteOfDay(text: string): number {
  const [hour = 0, minute = 0] = text.split(":").map(Number)
  return hour * 60 + minute
}

/** Whether the time zone is known. */
export function isZone(name: string): boolean {
  try {
    return formatOf(name) !== undefined
  } catch {
    return false
  }
}

/** Returns the offset of a time zone from UTC at a moment, in minutes. */
function offsetsOf(zone: string): (at: number) => number {
  if (zone === "UTC") return () => 0
  const format = formatOf(zone)
  return (at) => {
    const parts = Object.fromEntries(
      format.formatToParts(at).map(({ type, value }) => [type, Number(value)]),
    )
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0 } = parts
    const local = Date.UTC(year, month - 1, day, hour, minute)
    return Math.round((local - Math.floor(at / MINUTE) * MINUTE) / MINUTE)
  }
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const number = "2-digit"
  const date = { year: "numeric", month: number, day: number } as const
  return new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    ...date,
    hour: number,
    minute: number,
  })
}
