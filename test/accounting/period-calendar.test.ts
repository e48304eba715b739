import { describe, expect, test } from "bun:test"
import { type PeriodTimes, periodWords, WEEKDAYS } from "tollgate-contract/price-periods.ts"
import { threadTime } from "../support/processor-time.ts"
import { isAlways, isZone, overlaps, PeriodCalendar } from "../../src/accounting/period-calendar.ts"

const at = (text: string): number => Date.parse(text)
const shown = (moment: number): string | null =>
  Number.isFinite(moment) ? new Date(moment).toISOString() : null
/** Returns the period at a moment, with its start and end as text. */
function stretch(calendar: PeriodCalendar, text: string) {
  const { index, from, until } = calendar.stretchAt(at(text))
  return [index, shown(from), shown(until)]
}

const WORKDAYS = ["mon", "tue", "wed", "thu", "fri"] as const

describe("a price period with dates", () => {
  test("applies from its first moment up to its end", () => {
    const calendar = new PeriodCalendar([
      { from: at("2026-12-01T00:00:00Z"), until: at("2027-01-01T00:00:00Z") },
    ])
    const ends = ["2026-12-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z"] as const
    expect(stretch(calendar, "2026-11-30T23:59:59.999Z")).toEqual([-1, null, ends[0]])
    expect(stretch(calendar, "2026-12-01T00:00:00.000Z")).toEqual([0, ...ends])
    expect(stretch(calendar, "2026-12-31T23:59:59.999Z")).toEqual([0, ...ends])
    expect(stretch(calendar, "2027-01-01T00:00:00.000Z")).toEqual([-1, ends[1], null])
    expect(calendar.datesAfter(at("2026-12-01T00:00:00Z")).map(shown)).toEqual([ends[1]])
  })

  test("can have a start or an end only, and another period can start at its end", () => {
    const change = at("2027-03-01T08:00:00Z")
    const calendar = new PeriodCalendar([{ until: change }, { from: change }])
    expect(stretch(calendar, "2027-03-01T07:59:59.999Z")).toEqual([0, null, shown(change)])
    expect(stretch(calendar, "2027-03-01T08:00:00.000Z")).toEqual([1, shown(change), null])
    expect(overlaps({ until: change }, { from: change })).toBe(false)
    expect(overlaps({ until: change }, { from: change - 1 })).toBe(true)
  })
})

describe("a price period with hours", () => {
  const peak: PeriodTimes = {
    zone: "Asia/Shanghai",
    days: WORKDAYS,
    hours: ["09:00-12:00", "14:00-18:00"],
  }
  const calendar = new PeriodCalendar([peak])

  test("applies in each of its hours, by the clock of its time zone", () => {
    // 2026-11-27 is a Friday.
    const morning = ["2026-11-27T01:00:00.000Z", "2026-11-27T04:00:00.000Z"] as const
    expect(stretch(calendar, "2026-11-27T00:59:59.999Z")).toEqual([
      -1,
      "2026-11-26T10:00:00.000Z",
      morning[0],
    ])
    expect(stretch(calendar, "2026-11-27T01:00:00.000Z")).toEqual([0, ...morning])
    expect(stretch(calendar, "2026-11-27T03:59:59.999Z")).toEqual([0, ...morning])
    expect(stretch(calendar, "2026-11-27T04:00:00.000Z")).toEqual([
      -1,
      morning[1],
      "2026-11-27T06:00:00.000Z",
    ])
  })

  test("does not apply on other days", () => {
    const weekend = ["2026-11-27T10:00:00.000Z", "2026-11-30T01:00:00.000Z"] as const
    for (const moment of ["2026-11-27T10:00:00Z", "2026-11-28T02:00:00Z", "2026-11-30T00:59:59Z"]) {
      expect(stretch(calendar, moment)).toEqual([-1, ...weekend])
    }
  })

  test("continues past midnight and past the end of a week", () => {
    const nights = new PeriodCalendar([{ hours: ["00:00-06:00", "22:00-24:00"] }])
    const night = ["2026-11-29T22:00:00.000Z", "2026-11-30T06:00:00.000Z"] as const
    expect(stretch(nights, "2026-11-29T23:00:00Z")).toEqual([0, ...night])
    expect(stretch(nights, "2026-11-30T00:00:00Z")).toEqual([0, ...night])
    const days = new PeriodCalendar([{ days: ["sun", "mon"] }])
    const twoDays = ["2026-11-29T00:00:00.000Z", "2026-12-01T00:00:00.000Z"] as const
    expect(stretch(days, "2026-11-30T00:00:00Z")).toEqual([0, ...twoDays])
  })

  test("starts no earlier than its first date, and ends with its last date", () => {
    const dated = new PeriodCalendar([
      { ...peak, from: at("2026-11-27T02:00:00Z"), until: at("2026-11-30T03:00:00Z") },
    ])
    const first = ["2026-11-27T02:00:00.000Z", "2026-11-27T04:00:00.000Z"] as const
    expect(stretch(dated, "2026-11-27T01:59:59Z")).toEqual([-1, null, first[0]])
    expect(stretch(dated, "2026-11-27T02:00:00Z")).toEqual([0, ...first])
    const last = ["2026-11-30T01:00:00.000Z", "2026-11-30T03:00:00.000Z"] as const
    expect(stretch(dated, "2026-11-30T02:59:59Z")).toEqual([0, ...last])
    expect(stretch(dated, "2026-12-04T02:00:00Z")).toEqual([-1, last[1], null])
  })

  test("follows daylight saving changes", () => {
    const zone = "America/New_York"
    // In New York, the clocks change from 02:00 to 03:00 on 2026-03-08, and from 02:00 to 01:00 on 2026-11-01.
    const early = new PeriodCalendar([{ zone, hours: ["00:00-04:00"] }])
    expect(stretch(early, "2026-03-08T05:30:00Z")).toEqual([
      0,
      "2026-03-08T05:00:00.000Z",
      "2026-03-08T08:00:00.000Z",
    ])
    expect(stretch(early, "2026-11-01T04:30:00Z")).toEqual([
      0,
      "2026-11-01T04:00:00.000Z",
      "2026-11-01T09:00:00.000Z",
    ])
    const twice = new PeriodCalendar([{ zone, days: ["sun"], hours: ["01:00-02:00"] }])
    expect(stretch(twice, "2026-11-01T05:00:00Z")).toEqual([
      0,
      "2026-11-01T05:00:00.000Z",
      "2026-11-01T07:00:00.000Z",
    ])
    const never = new PeriodCalendar([{ zone, days: ["sun"], hours: ["02:00-02:30"] }])
    expect(stretch(never, "2026-03-08T06:59:00Z")).toEqual([
      -1,
      "2026-03-01T07:30:00.000Z",
      "2026-03-15T06:00:00.000Z",
    ])
  })

  test("has the same boundaries as a check of every minute", () => {
    const all = new PeriodCalendar([
      peak,
      { ...peak, days: ["sat"], hours: ["00:00-24:00"], from: at("2026-11-20T12:34:00Z") },
    ])
    const start = at("2026-11-19T00:00:00Z")
    let { index, until } = all.stretchAt(start)
    for (let now = start; now < start + 9 * 86_400_000; now += 60_000) {
      if (now >= until) ({ index, until } = all.stretchAt(now))
      expect(all.indexAt(now)).toBe(index)
    }
  })
})

test("a dated price period and weekly hours that do not overlap both apply", () => {
  const weekend = { from: at("2026-11-28T00:00:00Z"), until: at("2026-11-30T00:00:00Z") }
  const peak: PeriodTimes = { days: ["mon", "tue", "wed", "thu", "fri"], hours: ["09:00-18:00"] }
  for (const periods of [
    [weekend, peak],
    [peak, weekend],
  ]) {
    const calendar = new PeriodCalendar(periods)
    const place = periods.indexOf(weekend)
    expect(calendar.indexAt(at("2026-11-27T10:00:00Z"))).toBe(1 - place)
    expect(calendar.indexAt(at("2026-11-28T10:00:00Z"))).toBe(place)
    expect(calendar.stretchAt(at("2026-11-29T10:00:00Z"))).toEqual({ index: place, ...weekend })
    expect(calendar.indexAt(at("2026-11-30T10:00:00Z"))).toBe(1 - place)
  }
})

test("the current interval among many price periods is found without iterating over all of their boundaries", () => {
  const clock = (minute: number) =>
    `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`
  const periods = Array.from({ length: 288 }, (_, index) => ({
    zone: "Europe/Berlin",
    hours: [`${clock(5 * index)}-${clock(5 * index + 5)}`],
  }))
  const now = at("2026-11-27T10:03:00Z")
  const calendar = new PeriodCalendar(periods)
  expect(calendar.stretchAt(now)).toEqual({
    index: 132,
    from: at("2026-11-27T10:00:00Z"),
    until: at("2026-11-27T10:05:00Z"),
  })
  expect(threadTime(() => new PeriodCalendar(periods).stretchAt(now), 100)).toBeLessThan(100)
})

describe("two price periods", () => {
  const hours = (...parts: string[]): PeriodTimes => ({ hours: parts })

  test("overlap if they share a moment", () => {
    expect(overlaps(hours("09:00-12:00"), hours("12:00-13:00"))).toBe(false)
    expect(overlaps(hours("09:00-12:01"), hours("12:00-13:00"))).toBe(true)
    expect(overlaps({ days: ["mon"] }, { days: ["tue"] })).toBe(false)
    expect(overlaps({ days: ["mon"] }, hours("23:59-24:00"))).toBe(true)
    expect(overlaps({}, { days: ["sun"] })).toBe(true)
  })

  test("overlap only if their dates overlap", () => {
    const monday = at("2026-11-30T00:00:00Z")
    const week = { from: monday, until: monday + 86_400_000 }
    expect(overlaps(week, { days: ["tue"] })).toBe(false)
    expect(overlaps(week, { days: ["mon"], hours: ["23:00-24:00"] })).toBe(true)
    expect(overlaps({ ...week, days: ["mon"] }, { days: ["mon"], from: monday + 86_400_000 })).toBe(
      false,
    )
  })
})

test("a price period is always active if it includes all days of the week, but not if it includes one day", () => {
  expect(isAlways({})).toBe(true)
  expect(isAlways({ days: WEEKDAYS, hours: ["00:00-12:00", "12:00-24:00"] })).toBe(true)
  expect(isAlways({ days: ["mon"] })).toBe(false)
  expect(isAlways({ until: 1 })).toBe(false)
})

test("time zones are recognized by their names", () => {
  expect(["UTC", "Asia/Shanghai", "Europe/Vienna"].map(isZone)).toEqual([true, true, true])
  expect(["Mars/Base", "CEST+", ""].map(isZone)).toEqual([false, false, false])
})

test("the description of a price period names its days, hours, time zone and dates", () => {
  const peak = { zone: "Asia/Shanghai", days: WORKDAYS, hours: ["09:00-12:00", "14:00-18:00"] }
  expect(periodWords(peak)).toBe("Mon-Fri, 09:00-12:00, 14:00-18:00 Asia/Shanghai")
  expect(periodWords({ days: ["sat", "sun"], until: at("2027-01-01") })).toBe(
    "Sat, Sun UTC, until 2027-01-01",
  )
  expect(periodWords({ from: at("2027-03-01T08:00:00Z") })).toBe("from 2027-03-01 08:00 UTC")
})
