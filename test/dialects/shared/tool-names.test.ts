import { describe, expect, test } from "bun:test"
import { fittedName, type NameRule } from "../../../src/dialects/shared/tool-names.ts"

const RULE: NameRule = {
  taken: /^[a-z_]{1,8}$/,
  foreign: /[^a-z_]/g,
  keptLength: 4,
  hashLength: 3,
}

describe("names of tools", () => {
  test("a name that is taken stays", () => {
    expect(fittedName("weather", RULE)).toBe("weather")
  })

  test("another name always becomes the same one, which fits", () => {
    const fitted = fittedName("get-weather", RULE)
    expect(fitted).toMatch(/^get__[a-z0-9]{3}$/)
    expect(fittedName("get-weather", RULE)).toBe(fitted)
  })

  test("names that differ in what is not taken alone stay apart", () => {
    expect(fittedName("a-b", RULE)).not.toBe(fittedName("a.b", RULE))
  })
})
