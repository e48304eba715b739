import { expect, test } from "bun:test"
import { csvText } from "../../console/src/format/csv.ts"

test("a file from the console contains no formulas of others, but keeps negative amounts", () => {
  const rows = [
    ["=1+1", "＝1+1", "@a", "-1.50"],
    ['say "hi"', "a,b", "", 3],
  ]
  expect(csvText(rows)).toBe(`'=1+1,'＝1+1,'@a,-1.50\r\n"say ""hi""","a,b",,3\r\n`)
})
