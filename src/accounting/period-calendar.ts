import { type PeriodTimes, WEEKDAYS } from "#contract/price-periods.ts"

const MINUTE = 60_000
const DAY_MINUTES = 24 * 60
const WEEK_MINUTES = 7 * DAY_MINUTES
/** Unix time begins on a Thursday, a week on Monday. */
const FIRST_DAY_MINUTES = 3 * DAY_MINUTES
/** Milliseconds after which a weekly window has come again, whatever clocks are changed in between. */
const LONGER_THAN_A_WEEK = 8 * DAY_MINUTES * MINUTE

/** Minutes of a week, the end exclusive. */
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

/** A time in which the same one of several periods applies, or none. */
export interface Stretch {
  /** The period's place in the list; -1: none applies. */
  readonly index: number
  /** Unix milliseconds; infinite where it has no beginning or no end that is known. */
  readonly from: number
  readonly until: number
}

/** Which of several periods applies when. Their windows are in one time zone, and no two apply at once. */
export class PeriodCalendar {
  readonly #periods: readonly Period[]
  readonly #offsetAt: (at: number) => number
  /** The beginnings and ends that have a date, the earliest first. */
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

  /** The beginnings and ends that have a date and are still to come. */
  datesAfter(now: number): readonly number[] {
    return this.#dates.filter((date) => date > now)
  }

  /** The place of the period that applies; -1: none does. */
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

  /** Since when and until when it is as it is now. */
  stretchAt(now: number): Stretch {
    const index = this.indexAt(now)
    let until = this.nextEdge(now)
    while (until < Infinity && this.indexAt(until) === index) until = this.nextEdge(until)
    return { index, from: this.#beginOf(index, now), until }
  }

  /** The next moment after `at` at which another period may apply. */
  nextEdge(at: number): number {
    const date = this.#dates.find((each) => each > at) ?? Infinity
    const weekly = this.#periods.flatMap(({ from, until, windows }) =>
      windows !== undefined && from <= at && at < until ? [this.#nextWindow(windows, at)] : [],
    )
    return Math.min(date, ...weekly)
  }

  /** What has lasted for longer than a week began at a date. */
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

  /** The next beginning or end of a window; where clocks are changed before that, the moment of the change. */
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

/** Whether there is a moment at which both periods apply. Their windows are in one time zone. */
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

/** Whether a period has windows of a week. */
export function isWeekly({ days, hours }: PeriodTimes): boolean {
  return days !== undefined || hours !== undefined
}

/** Whether a period applies at any time. */
export function isAlways(times: PeriodTimes): boolean {
  return times.from === undefined && times.until === undefined && windowsOf(times) === undefined
}

const ALL_WEEK: readonly Window[] = [{ start: 0, end: WEEK_MINUTES }]

/** In their order, those that follow each other immediately as one; undefined for all week. */
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

/** Whether the name of a time zone is known. */
export function isZone(name: string): boolean {
  try {
    return formatOf(name) !== undefined
  } catch {
    return false
  }
}

/** How far the clocks of a time zone are before those of UTC at a moment, minutes. */
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
