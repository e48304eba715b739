import { describe, expect, test } from "bun:test"
import { fittedName, type NameRule, originalName } from "../../../src/dialects/shared/tool-names.ts"

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

  test("the caller's own name is found again among the tools of the request", () => {
    const tools = [{ name: "weather" }, { name: "get-weather" }]
    const called = fittedName("get-weather", RULE)
    expect(originalName(called, tools, RULE)).toBe("get-weather")
    expect(originalName("weather", tools, RULE)).toBe("weather")
  })

  test("a name that no tool has is the model's own", () => {
    expect(originalName("unknown", [{ name: "weather" }], RULE)).toBe("unknown")
    expect(originalName("unknown", undefined, RULE)).toBe("unknown")
  })
})
