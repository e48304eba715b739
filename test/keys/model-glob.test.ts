import { expect, test } from "bun:test"
import { globIncludes, globMatcher } from "../../contract/model-glob.ts"
import { threadTime } from "../support/processor-time.ts"

test.each([
  ["openai/*", "openai/gpt-5", true],
  ["openai/*", "openai/", true],
  ["openai/*", "azure/openai/gpt-5", false],
  ["*", "", true],
  ["", "", true],
  ["", "a", false],
  ["*/gpt-?", "openai/gpt-5", true],
  ["*/gpt-?", "openai/gpt-51", false],
  ["*/gpt-?", "openai/gpt-", false],
  ["a*a", "a", false],
  ["a*a", "aa", true],
  ["a*b*c", "abbc", true],
  ["a*b*c", "acb", false],
  ["*ab*", "aab", true],
  ["*ab*ab", "ab", false],
  ["a**c", "abc", true],
  ["***", "abc", true],
  ["a.c", "abc", false],
  ["[a]", "a", false],
  ["*?*", "", false],
  ["*?*", "a", true],
  ["*a?c*e", "xxabcde", true],
])("the glob %p matches %p: %p", (glob, text, fits) => {
  expect(globMatcher(glob)(text)).toBe(fits)
})

/** Returns the glob as a regular expression, which is correct for all globs but slow for some. */
function expression(glob: string): RegExp {
  return new RegExp(`^${glob.replace(/\*/g, ".*").replace(/\?/g, ".")}$`)
}

test("model globs match like equivalent regular expressions, for all short globs and texts", () => {
  const words = (letters: string, longest: number): string[] => {
    let level = [""]
    const all = [...level]
    for (let length = 1; length <= longest; length++) {
      level = level.flatMap((word) => [...letters].map((letter) => word + letter))
      all.push(...level)
    }
    return all
  }
  const texts = words("ab", 5)
  for (const glob of words("a?*b", 5)) {
    const matches = globMatcher(glob)
    const pattern = expression(glob)
    const wrong = texts.filter((text) => matches(text) !== pattern.test(text))
    expect({ glob, wrong }).toEqual({ glob, wrong: [] })
  }
})

test("each model glob is matched quickly", () => {
  const id = "fireworks/accounts/fireworks/models/llama-v3p1-8b-instruct"
  const globs = ["*?".repeat(100), `${"*?".repeat(20)}!`, `${"*a".repeat(99)}!`, "?*".repeat(30)]
  const taken = threadTime(() => {
    for (let round = 0; round < 100; round++) for (const glob of globs) globMatcher(glob)(id)
  }, 500)
  expect(taken).toBeLessThan(500)
})

test.each([
  ["*", "openai/*", true],
  ["openai/*", "openai/*", true],
  ["openai/*", "openai/gpt-?", true],
  ["openai/gpt-*", "openai/*", false],
  ["openai/gpt-*", "openai/gpt-*-mini", true],
  ["openai/gpt-?", "openai/gpt-*", false],
  ["openai/gpt-?*", "openai/gpt-*", false],
  ["openai/gpt-?", "openai/gpt-?", true],
  ["openai/gpt-5", "openai/gpt-?", false],
  ["openai/gpt-5", "openai/gpt-5", true],
  ["*/gpt-5", "openai/*", false],
  ["a*b*c", "a*c", false],
])("globIncludes(%p, %p) is %p", (outer, inner, expected) => {
  expect(globIncludes(outer, inner)).toBe(expected)
})

test("globIncludes is true only if the outer glob matches all texts of the inner glob", () => {
  const words = (letters: string, longest: number): string[] =>
    longest === 0
      ? [""]
      : [
          "",
          ...words(letters, longest - 1).flatMap((word) => [...letters].map((one) => word + one)),
        ]
  const texts = [...new Set(words("abx", 6))]
  const globs = [...new Set(words("ab*?", 4))]
  const matched = new Map(globs.map((glob) => [glob, texts.filter(globMatcher(glob))]))
  for (const outer of globs) {
    const matches = globMatcher(outer)
    for (const inner of globs) {
      if (!globIncludes(outer, inner)) continue
      const other = matched.get(inner)?.find((text) => !matches(text))
      expect({ outer, inner, other }).toEqual({ outer, inner, other: undefined })
    }
  }
})
