import { expect, test } from "bun:test"
import { findEntries, requestIdIn } from "../../console/src/palette/entries.ts"
import { fit } from "../../console/src/palette/fuzzy.ts"

test("the palette search matches names with omitted letters and words in any order", () => {
  for (const typed of ["claude-sonnet", "clsn", "sonnet claude", "CLAUDE", "a/cs5", ""]) {
    expect(fit(typed, "anthropic/claude-sonnet-5"), typed).toBeNumber()
  }
  for (const typed of ["gpt", "sonnets", "zz", "claude gpt"]) {
    expect(fit(typed, "anthropic/claude-sonnet-5"), typed).toBeUndefined()
  }
})

test("the palette search lists the best match first, with its group", () => {
  const entry = (group: string, label: string) => ({ id: label, group, label, choose: () => {} })
  const entries = [
    entry("Pages", "Models"),
    entry("Pages", "Keys"),
    entry("Models", "a/key-maker"),
    entry("Keys", "keys of the team"),
    ...Array.from({ length: 20 }, (_, index) => entry("Models", `b/keystone-${index}`)),
  ]
  const groups = findEntries("keys", entries)
  expect(groups.map(({ name }) => name)).toEqual(["Pages", "Keys", "Models"])
  expect(groups[2]?.entries).toHaveLength(8)
  expect(findEntries("", entries)[0]?.entries.map(({ label }) => label)).toEqual(["Models", "Keys"])
})

test("the palette search handles very long pasted text", () => {
  expect(fit("x ".repeat(100_000), "anthropic/claude-sonnet-5")).toBeUndefined()
  expect(fit("(((.*+?", "anthropic/claude")).toBeUndefined()
})

test("the palette search finds a request id within any pasted text", () => {
  expect(requestIdIn('{"request_id": "req_019ab-7c"}')).toBe("req_019ab-7c")
  expect(requestIdIn("my_req_x")).toBeUndefined()
  expect(requestIdIn("request")).toBeUndefined()
})

test("the palette search ranks an action found by a synonym above a model that contains scattered letters", () => {
  const entries = [
    { id: "m", group: "Models", label: "deepseek/reasoner-fund", choose: () => {} },
    { id: "a", group: "Actions", label: "Adjust credits", keywords: "refund", choose: () => {} },
  ]
  expect(findEntries("refund", entries)[0]?.entries[0]?.id).toBe("a")
})
