import { describe, expect, test } from "bun:test"
import { daysLeftText, isRunningDry } from "../../console/src/format/days-left.ts"
import { nextSorting, readSorting, sortingText } from "../../console/src/ui/sorting.ts"

const COLUMNS = [{ id: "name", sort: "asc" }, { id: "cost", sort: "desc" }, { id: "note" }] as const

describe("the sort order of a table", () => {
  const usual = { by: "name", order: "asc" } as const

  test("comes from the URL, with the default for an unknown column", () => {
    expect(readSorting("-cost", COLUMNS, usual)).toEqual({ by: "cost", order: "desc" })
    expect(readSorting("cost", COLUMNS, usual)).toEqual({ by: "cost", order: "asc" })
    for (const other of [undefined, "", "-", "note", "--cost"]) {
      expect(readSorting(other, COLUMNS, usual)).toEqual(usual)
    }
    expect(sortingText({ by: "cost", order: "desc" })).toBe("-cost")
    expect(sortingText(usual)).toBe("name")
  })

  test("reverses with a second click on the column", () => {
    const first = nextSorting(COLUMNS[1], usual)
    expect(first).toEqual({ by: "cost", order: "desc" })
    expect(nextSorting(COLUMNS[1], first)).toEqual({ by: "cost", order: "asc" })
    expect(nextSorting(COLUMNS[0], undefined)).toEqual(usual)
  })
})

test("the remaining days of a balance are shown, and few remaining days are highlighted", () => {
  const texts = [null, 0, 0.4, 1, 12.9, 365, 400].map(daysLeftText)
  expect(texts).toEqual([
    "–",
    "empty",
    "less than a day",
    "1 day",
    "12 days",
    "365 days",
    "over a year",
  ])
  expect([null, 0, 6.9, 7].map(isRunningDry)).toEqual([false, true, true, false])
})
