import { expect, test } from "bun:test"
import { assert, lorem, nat, oneof, property, string } from "fast-check"
import { countTokens, cutTokens, tokenize, wordsOf } from "../../simulator/tokens.ts"

const texts = oneof(string(), string({ unit: "binary" }), lorem())

test("the simulator's tokens join to the original text, and no text has more tokens than bytes", () => {
  assert(
    property(texts, (text) => {
      const tokens = tokenize(text)
      expect(tokens.join("")).toBe(text)
      expect(countTokens(text)).toBe(tokens.length)
      expect(tokens.length).toBeLessThanOrEqual(Buffer.byteLength(text))
    }),
  )
})

test("a text that is cut after n simulated tokens has exactly the first n tokens", () => {
  assert(
    property(texts, nat({ max: 20 }), (text, limit) => {
      const tokens = tokenize(text)
      const { text: kept, tokens: count, cut } = cutTokens(text, limit)
      expect(tokenize(kept)).toEqual(tokens.slice(0, limit))
      expect(count).toBe(Math.min(limit, tokens.length))
      expect(cut).toBe(tokens.length > limit)
    }),
  )
})

test("no simulated token splits a character", () => {
  expect(tokenize("a😀b")).toEqual(["a", "😀", "b"])
})

test("a generated text has the requested number of simulated tokens", () => {
  for (const count of [0, 1, 2, 17, 1000]) expect(countTokens(wordsOf(count))).toBe(count)
})
