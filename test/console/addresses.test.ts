import { describe, expect, test } from "bun:test"
import { consolePath } from "../../console/src/base-path.ts"
import { localPath, rejectionText } from "../../console/src/pages/sign-in/return-path.ts"
import { parseSearch, pickTexts, stringifySearch } from "../../console/src/search-text.ts"

describe("the page after sign-in", () => {
  test.each([
    [undefined, "/"],
    ["/keys?status=all", "/keys?status=all"],
    ["/console/requests/req_1", "/requests/req_1"],
    ["/console", "/"],
    ["https://elsewhere.example/", "/"],
    ["//elsewhere.example", "/"],
    ["/console//elsewhere.example", "/"],
    ["/\\elsewhere.example", "/"],
    ["javascript:alert(1)", "/"],
    ["/sign-in?back=/sign-in", "/"],
    ["/\u0009/elsewhere.example", "/"],
  ])("depends on the address that was opened: %p leads to %s", (back, path) => {
    expect(localPath(back)).toBe(path)
  })

  test("shows a message for every sign-in error, even an unknown one", () => {
    expect(rejectionText("not_invited")).toContain("invitation")
    expect(rejectionText("<b>")).toBe("The sign-in failed. Try again.")
  })
})

describe("the query of a console URL", () => {
  test("keeps text values that look like numbers or booleans", () => {
    expect(parseSearch("?token=123&model=a%2Fb&flag=true")).toEqual({
      token: "123",
      model: "a/b",
      flag: "true",
    })
    expect(stringifySearch({ token: "123", empty: "", none: undefined, model: "a/b" })).toBe(
      "?token=123&model=a%2Fb",
    )
    expect(stringifySearch({})).toBe("")
  })

  test("keeps only the parameters of the page", () => {
    expect(pickTexts({ status: "all", other: "x", search: "" }, "status", "search")).toEqual({
      status: "all",
    })
  })
})

test.each([
  ["https://example.com/console/assets/index-a1.js", "/console/"],
  ["https://example.com/ai/console/assets/index-a1.js", "/ai/console/"],
  ["http://127.0.0.1:8787/console/console/assets/shared-b2.js", "/console/console/"],
  ["file:///source/console/src/base-path.ts", "/console/"],
])("the console derives its path from the address of a script: %s", (script, path) => {
  expect(consolePath(script)).toBe(path)
})
