import { expect, test } from "bun:test"
import type { JsonObject, JsonValue } from "../../src/canon/json.ts"
import { switchesOf } from "../../src/vendors/priced-features/index.ts"
import { unknownFieldsOf } from "../../src/vendors/priced-features/unknown-fields.ts"

test("a request with more members than are checked is rejected", () => {
  const members = Array.from({ length: 60_000 }, (_, index) => [`q${index}`, {}])
  const body = { extra: Object.fromEntries(members) as JsonObject }
  const found = unknownFieldsOf("openai-chat", switchesOf("deepseek", "openai-chat")).find(body, 20)
  expect(found).toHaveLength(1)
  expect(found[0]?.why).toContain("50,000 members")
})

test("the paths of unknown fields are short, and their number is limited", () => {
  const name = "n".repeat(10_000)
  let value: JsonValue = Object.fromEntries(
    Array.from({ length: 1_000 }, (_, index) => [`tool${index}${name}`, 1]),
  )
  for (let depth = 0; depth < 50; depth++) value = { [name]: value }
  const found = unknownFieldsOf("openai-chat", switchesOf("deepseek", "openai-chat")).find(
    { a: value },
    20,
  )
  expect(found).toHaveLength(20)
  for (const { place } of found) expect(place.length).toBeLessThan(6_000)
})
