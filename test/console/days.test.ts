import { expect, test } from "bun:test"
import {
  CALENDAR_RANGES,
  calendarDays,
  calendarSpan,
  dayEnd,
  dayStart,
} from "../../console/src/format/days.ts"
import { trendPath } from "../../console/src/format/trend-path.ts"

test("a day in a chart lasts until the start of the next day, in UTC", () => {
  expect(dayStart("2026-10-31")).toBe("2026-10-31T00:00:00.000Z")
  expect(dayEnd("2026-10-31")).toBe("2026-11-01T00:00:00.000Z")
  for (const wrong of [undefined, "", "soon", "2026-13-01", "2026-10-31T10:00"]) {
    expect(dayStart(wrong)).toBeUndefined()
    expect(dayEnd(wrong)).toBeUndefined()
  }
})

test("a trend line passes through each value, with gaps for missing values", () => {
  expect(trendPath([2, 4, null, null, 1], 4)).toBe("M0.5 0.5000L1.5 0.0000M4.5 0.7500")
  expect(trendPath([null, null], 4)).toBe("")
})

test("calendar ranges are whole days in UTC, across the ends of months and years", () => {
  const daysAt = (now: string) =>
    CALENDAR_RANGES.map(({ value }) => {
      const { from, to } = calendarDays(value, Date.parse(now))
      return `${value} ${from} ${to}`
    })
  expect(daysAt("2026-11-24T23:59:59Z")).toEqual([
    "today 2026-11-24 2026-11-24",
    "yesterday 2026-11-23 2026-11-23",
    "month 2026-11-01 2026-11-24",
    "last_month 2026-10-01 2026-10-31",
  ])
  expect(daysAt("2027-01-01T00:00:00Z")).toEqual([
    "today 2027-01-01 2027-01-01",
    "yesterday 2026-12-31 2026-12-31",
    "month 2027-01-01 2027-01-01",
    "last_month 2026-12-01 2026-12-31",
  ])
  expect(calendarSpan("last_month", Date.parse("2028-03-31T12:00:00Z"))).toEqual({
    from: "2028-02-01T00:00:00.000Z",
    to: "2028-03-01T00:00:00.000Z",
  })
})
