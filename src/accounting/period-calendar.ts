import { MINUTE_MS } from "#contract/durations.ts"
import { type PeriodTimes, WEEKDAYS } from "#contract/price-periods.ts"

const DAY_MINUTES = 24 * 60
const WEEK_MINUTES = 7 * DAY_MINUTES
/** Minutes from the beginning of a week, on Monday, to the beginning of Unix time, on a Thursday. */
const FIRST_DAY_MINUTES = 3 * DAY_MINUTES
/**
 * A time span that is longer than a week with any clock change, so that each weekly window occurs in it at least once.
 */
const OVER_A_WEEK_MS = 8 * DAY_MINUTES * MINUTE_MS

/** A window in minutes of the week, with an exclusive end. */
interface Window {
  readonly start: number
  readonly end: number
}

interface Period {
  readonly from: number
  readonly until: number
  readonly windows: readonly Window[]
}

/** A time interval during which the same period applies, or no period. */
export interface Stretch {
  /** Index of the period in the list; -1 if no period applies. */
  readonly index: number
  /** Unix milliseconds; infinite if the start or end is unknown. */
  readonly from: number
  readonly until: number
}

/** A part of a week during which the same period applies. */
interface Part extends Window {
  /** Index of the period; -1 if no period applies. */
  readonly index: number
}

/** Determines which of several periods applies at a moment. All windows are in one time zone and do not overlap. */
export class PeriodCalendar {
  readonly #periods: readonly Period[]
  readonly #offsetAt: (at: number) => number
  /** Dated starts and ends of periods in ascending order. All weeks between two adjacent dates are equal. */
  readonly #dates: readonly number[]
  /** Cached parts of a week, by the number of dates that have passed. */
  readonly #weeks = new Map<number, readonly Part[]>()

  constructor(periods: readonly PeriodTimes[]) {
    this.#periods = periods.map((times) => ({
      from: times.from ?? -Infinity,
      until: times.until ?? Infinity,
      windows: windowsOf(times) ?? ALL_WEEK,
    }))
    this.#offsetAt = offsetsOf(periods.find(isWeekly)?.zone ?? "UTC")
    const dates = this.#periods.flatMap(({ from, until }) => [from, until])
    this.#dates = [...new Set(dates.filter(Number.isFinite))].toSorted((a, b) => a - b)
  }

  /** Returns the dated starts and ends of periods after `now`. */
  datesAfter(now: number): readonly number[] {
    return this.#dates.slice(this.#datesUntil(now))
  }

  /** Returns the index of the period that applies; -1 if no period applies. */
  indexAt(at: number): number {
    const week = this.#weekAt(this.#datesUntil(at))
    return partAt(week, week.length === 1 ? 0 : this.#minuteOfWeek(at)).index
  }

  /** Returns the interval around `now` during which the applicable period does not change. */
  stretchAt(now: number): Stretch {
    const index = this.indexAt(now)
    let until = this.nextEdge(now)
    while (until < Infinity && this.indexAt(until) === index) until = this.nextEdge(until)
    let from = this.#edgeBefore(now)
    while (from > -Infinity && this.indexAt(from - 1) === index) from = this.#edgeBefore(from - 1)
    return { index, from, until }
  }

  /** Returns the next moment after `at` when another period may apply. */
  nextEdge(at: number): number {
    const over = this.#datesUntil(at)
    const date = this.#dates[over] ?? Infinity
    const week = this.#weekAt(over)
    if (week.length === 1) return date
    const minute = this.#minuteOfWeek(at)
    const whole = Math.floor(at / MINUTE_MS)
    const next = whole + partAt(week, minute).end - minute
    return Math.min(date, (this.#changeBetween(whole, next) ?? next) * MINUTE_MS)
  }

  /** Returns the last moment up to `at` when another period may have started. */
  #edgeBefore(at: number): number {
    const over = this.#datesUntil(at)
    const date = this.#dates[over - 1] ?? -Infinity
    const week = this.#weekAt(over)
    if (week.length === 1) return date
    const minute = this.#minuteOfWeek(at)
    const whole = Math.floor(at / MINUTE_MS)
    const last = whole - (minute - partAt(week, minute).start)
    return Math.max(date, (this.#changeBetween(last, whole) ?? last) * MINUTE_MS)
  }

  /** Returns the first minute after a clock change between two minutes; undefined if the clock does not change. */
  #changeBetween(from: number, to: number): number | undefined {
    const offset = this.#offsetAt(from * MINUTE_MS)
    if (this.#offsetAt(to * MINUTE_MS) === offset) return undefined
    let [same, changed] = [from, to]
    while (changed - same > 1) {
      const middle = Math.floor((same + changed) / 2)
      if (this.#offsetAt(middle * MINUTE_MS) === offset) same = middle
      else changed = middle
    }
    return changed
  }

  /** Returns the number of dates that have passed at a moment. */
  #datesUntil(at: number): number {
    return placeAfter(this.#dates.length, (index) => (this.#dates[index] ?? Infinity) <= at)
  }

  #weekAt(over: number): readonly Part[] {
    let week = this.#weeks.get(over)
    if (week === undefined) {
      const from = this.#dates[over - 1] ?? -Infinity
      const applied = this.#periods.flatMap((period, index) =>
        period.from <= from && from < period.until
          ? period.windows.map((window) => ({ ...window, index }))
          : [],
      )
      this.#weeks.set(over, (week = partsOf(applied)))
    }
    return week
  }

  #minuteOfWeek(at: number): number {
    const local = Math.floor(at / MINUTE_MS) + this.#offsetAt(at) + FIRST_DAY_MINUTES
    return ((local % WEEK_MINUTES) + WEEK_MINUTES) % WEEK_MINUTES
  }
}

/**
 * Returns all parts of a week, including those without a period. Windows of two periods can only overlap in a minute
 * that never occurs between their dates, so either period is correct there.
 */
function partsOf(applied: readonly Part[]): readonly Part[] {
  const minutes = new Int16Array(WEEK_MINUTES).fill(-1)
  for (const { start, end, index } of applied) minutes.fill(index, start, end)
  const parts: Part[] = []
  let start = 0
  for (let end = 1; end <= WEEK_MINUTES; end++) {
    const index = minutes[start] ?? -1
    if (end < WEEK_MINUTES && minutes[end] === index) continue
    parts.push({ start, end, index })
    start = end
  }
  return parts
}

function partAt(week: readonly Part[], minute: number): Part {
  const part = week[placeAfter(week.length, (index) => (week[index]?.start ?? 0) <= minute) - 1]
  if (part === undefined) throw new Error(`no part of a week has minute ${minute}`)
  return part
}

/** Returns the first index of a sorted list for which the condition is false. */
function placeAfter(length: number, holds: (index: number) => boolean): number {
  let [low, high] = [0, length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(middle)) low = middle + 1
    else high = middle
  }
  return low
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
  if (!share || until - from >= OVER_A_WEEK_MS) return share
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

/** Returns the windows in ascending order, with adjacent windows merged; undefined if the period applies all week. */
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

/** Returns the minute of the day for a time such as `09:30`; `24:00` is the end of the day. */
export function minuteOfDay(text: string): number {
  const [hour = 0, minute = 0] = text.split(":").map(Number)
  return hour * 60 + minute
}

/** Whether a time zone is supported. */
export function isZone(name: string): boolean {
  try {
    return formatOf(name) !== undefined
  } catch {
    return false
  }
}

/** Returns a function that computes the offset of a time zone from UTC at a moment, in minutes. */
function offsetsOf(zone: string): (at: number) => number {
  if (zone === "UTC") return () => 0
  const format = formatOf(zone)
  return (at) => {
    const parts = Object.fromEntries(
      format.formatToParts(at).map(({ type, value }) => [type, Number(value)]),
    )
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0 } = parts
    const local = Date.UTC(year, month - 1, day, hour, minute)
    return Math.round((local - Math.floor(at / MINUTE_MS) * MINUTE_MS) / MINUTE_MS)
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
