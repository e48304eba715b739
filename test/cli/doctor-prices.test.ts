import { expect, test } from "bun:test"
import { checkPriceLists } from "../../src/cli/doctor-checks.ts"
import {
  BUILT_IN,
  bodyOf,
  dayOf,
  type PriceLists,
  readLists,
} from "../../src/management/prices/stored-lists.ts"
import type { SettingRecord } from "../../src/store/settings.ts"
import { settings } from "../catalog/support.ts"

const DAY = 86_400_000
const NOW = Date.parse(dayOf(BUILT_IN.facts)) + DAY
const TOMORROW = new Date(NOW).toISOString().slice(0, 10)

function record(id: string, body: string): SettingRecord {
  return { section: "prices", id, body, encrypted: null, revision: 1, changedAt: NOW }
}

function lists(...records: SettingRecord[]): PriceLists {
  return readLists(records)
}

test("doctor accepts recent prices, and warns about old prices with the remedy", () => {
  expect(checkPriceLists(settings({}), lists(), NOW)).toMatchObject({ result: "ok" })
  const later = checkPriceLists(settings({}), lists(), NOW + 61 * DAY)
  expect(later).toMatchObject({ result: "warning", found: expect.stringContaining("62 days old") })
  expect(later.fix).toContain("prices.refresh")
})

test("doctor warns about a pending price list until the program has newer prices", () => {
  const { vendors } = BUILT_IN.facts
  const fewer = { ...BUILT_IN.facts, date: TOMORROW, vendors: { ...vendors, xai: {} } }
  const waiting = record("pending", bodyOf(fewer, "https://example.com/list"))
  const check = checkPriceLists(settings({}), lists(waiting), NOW)
  expect(check).toMatchObject({ result: "warning", found: expect.stringMatching(/\d+ removed/) })
  expect(check.fix).toContain("tollgate prices update")
  const old = record("pending", bodyOf({ ...fewer, date: "2026-01-01" }, "x"))
  expect(checkPriceLists(settings({}), lists(old), NOW)).toMatchObject({ result: "ok" })
  const same = record("pending", bodyOf({ ...BUILT_IN.facts, date: TOMORROW }, "x"))
  expect(checkPriceLists(settings({}), lists(same), NOW)).toMatchObject({ result: "ok" })
})

test("doctor reports a damaged stored price list, which does not replace the built-in prices", () => {
  for (const body of ["", "{", "null", "{}", '{"facts":{"date":"soon"}}']) {
    const read = lists(record("kept", body))
    expect(read.facts).toBe(BUILT_IN.facts)
    const check = checkPriceLists(settings({}), read, NOW)
    expect(check).toMatchObject({ result: "warning", found: expect.stringContaining("'kept'") })
  }
})

test("a stored price list is active until the program has a newer price list", () => {
  const kept = (date: string) => lists(record("kept", bodyOf({ ...BUILT_IN.facts, date }, "x")))
  expect(kept(TOMORROW).facts.date).toBe(TOMORROW)
  expect(kept("2026-01-01").facts).toBe(BUILT_IN.facts)
})
