import { describe, expect, test } from "bun:test"
import { fittedName, type NameRule } from "../../../src/dialects/shared/tool-names.ts"

const RULE: NameRule = {
  taken: /^[a-z_]{1,8}$/,
  foreign: /[^a-z_]/g,
  keptLength: 4,
  hashLength: 3,
}

describe("the tool name encoder", () => {
  test("keeps a valid name", () => {
    expect(fittedName("weather", RULE)).toBe("weather")
  })

  test("always replaces an invalid name with the same valid name", () => {
    const fitted = fittedName("get-weather", RULE)
    expect(fitted).toMatch(/^get__[a-z0-9]{3}$/)
    expect(fittedName("get-weather", RULE)).toBe(fitted)
  })

  test("returns different names for names that differ only in invalid characters", () => {
    expect(fittedName("a-b", RULE)).not.toBe(fittedName("a.b", RULE))
  })
})
