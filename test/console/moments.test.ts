import { describe, expect, test } from "bun:test"
import { deviceText } from "../../console/src/format/device.ts"
import {
  dayText,
  fromLocalField,
  momentText,
  relativeText,
  toLocalField,
  utcDay,
} from "../../console/src/format/moments.ts"
import { durationText, shareText, shortCount } from "../../console/src/format/numbers.ts"
import { usagePoints } from "../../console/src/format/usage-points.ts"

const NOON = "2026-11-21T12:00:00.000Z"
const now = Date.parse(NOON)

describe("times in the console", () => {
  test("have the reader's time zone", () => {
    expect(momentText(NOON, { timeZone: "Asia/Tokyo" })).toBe("21 Nov 2026, 21:00:00")
    expect(dayText("2026-11-21T20:00:00Z", { timeZone: "Asia/Tokyo" })).toBe("22 Nov 2026")
  })

  test.each([
    [-3_000, "just now"],
    [-59_000, "59 seconds ago"],
    [-60_000, "1 minute ago"],
    [-3_600_000, "1 hour ago"],
    [3 * 86_400_000, "in 3 days"],
    [-40 * 86_400_000, "12 Oct 2026"],
  ])("have a relative form: a time %i ms from now is '%s'", (away, text) => {
    const iso = new Date(now + away).toISOString()
    expect(relativeText(iso, { now, timeZone: "UTC" })).toBe(text)
  })

  test("do not change when converted to a form field and back", () => {
    expect(fromLocalField(toLocalField(NOON))).toBe(NOON)
    expect(toLocalField(null)).toBe("")
    expect(fromLocalField("")).toBeUndefined()
    expect(fromLocalField("soon")).toBeUndefined()
  })

  test("use UTC days for statements", () => {
    expect(utcDay(0, now)).toBe("2026-11-21")
    expect(utcDay(30, now)).toBe("2026-10-22")
  })
})

describe("numbers in the console", () => {
  test("have their unit", () => {
    expect(durationText(null)).toBe("–")
    expect(durationText(840)).toBe("840 ms")
    expect(durationText(1_250)).toBe("1.25 s")
    expect(durationText(12_000)).toBe("12 s")
    expect(durationText(125_000)).toBe("2 min 5 s")
    expect(shortCount(9_999)).toBe("9,999")
    expect(shortCount(12_345)).toBe("12.3K")
    expect(shareText(0.0421)).toBe("4.2%")
    expect(shareText(-0.5)).toBe("−50%")
    expect(shareText(-0.0001)).toBe("0%")
    expect(shareText(-10.05)).toBe("−1,005%")
  })
})

describe("chart bars", () => {
  const row = {
    group: "2026-11-20T23:00:00.000Z",
    requests: 10,
    errors: 3,
    input: 100,
    output: 40,
    cost: "0.5",
    mean_duration_ms: null,
    mean_first_byte_ms: null,
  }

  test("have two parts for metrics with two values", () => {
    expect(usagePoints([row], "requests", "days")[0]).toMatchObject({ main: 7, other: 3 })
    expect(usagePoints([row], "tokens", "days")[0]).toMatchObject({ main: 100, other: 40 })
    expect(usagePoints([row], "cost", "days")[0]).toMatchObject({ main: 0.5, other: 0 })
  })

  test("cover days in UTC, or hours in the reader's time zone", () => {
    expect(usagePoints([row], "cost", "days", "Asia/Tokyo")[0]?.label).toBe("20 Nov")
    expect(usagePoints([row], "cost", "hours", "Asia/Tokyo")[0]?.label).toBe("08:00")
  })
})

test("a device is described by the browser and system in its user agent", () => {
  const chrome =
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"
  expect(deviceText(chrome)).toBe("Chrome on macOS")
  expect(deviceText("curl/8.7.1")).toBe("curl/8.7.1")
  expect(deviceText(null)).toBe("Unknown device")
})
