import { expect, test } from "bun:test"
import type { JsonValue } from "../../src/canon/json.ts"
import { switchesOf } from "../../src/vendors/priced-features/index.ts"
import {
  type UnknownField,
  unknownFieldsOf,
} from "../../src/vendors/priced-features/unknown-fields.ts"
import { threadTime } from "../support/processor-time.ts"

const MAX_TIME_MS = 60

test("a request with too many names to compare is rejected, and the rest is not searched", () => {
  const names = Array.from({ length: 40_000 }, (_, index) => `${"maxcount".repeat(7)}${index}`)
  const list = Array.from({ length: 4 }, (_, index) =>
    Object.fromEntries(names.slice(index * 10_000, (index + 1) * 10_000).map((name) => [name, {}])),
  )
  const fields = unknownFieldsOf("openai-chat", switchesOf("deepseek", "openai-chat"))
  let found: readonly UnknownField[] = []
  const time = threadTime(() => {
    found = fields.find({ extra: list }, 20)
  }, MAX_TIME_MS)
  expect(found.map(({ why }) => why)).toEqual(["the request has more than 5,000 different names"])
  expect(time).toBeLessThan(MAX_TIME_MS)
})

test("a long conversation with few names is searched completely", () => {
  const messages = Array.from({ length: 20_000 }, () => ({
    role: "user",
    content: [{ text: "a" }],
  }))
  const fields = unknownFieldsOf("gemini", switchesOf("google", "gemini"))
  expect(fields.find({ contents: messages, num_samples: 5 }, 20)).toMatchObject([
    { place: "num_samples" },
  ])
})

test("paths of unknown fields are shortened, and their number is limited", () => {
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
