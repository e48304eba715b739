import { expect, test } from "bun:test"
import { dayEnd, dayStart } from "../../console/src/format/days.ts"
import { trendPath } from "../../console/src/format/trend-path.ts"

test("a day in a chart lasts until the start of the next day, in UTC", () => {
  expect(dayStart("2026-10-31")).toBe("2026-10-31T00:00:00.000Z")
  expect(dayEnd("2026-10-31")).toBe("2026-11-01T00:00:00.000Z")
  for (const wrong of [undefined, "", "soon", "2026-13-01", "2026-10-31T10:00"]) {
    expect(dayStart(wrong)).toBeUndefined()
    expect(dayEnd(wrong)).toBeUndefined()
  }
})

test("a trend line passes through each value, with gaps for missing ones", () => {
  expect(trendPath([2, 4, null, null, 1], 4)).toBe("M0.5 0.5000L1.5 0.0000M4.5 0.7500")
  expect(trendPath([null, null], 4)).toBe("")
})
