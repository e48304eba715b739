import { expect, test } from "bun:test"
import { TokenCounter } from "../../src/relay/tokens/token-counter.ts"

test("counts from the first text on, however long the thread takes to come up", async () => {
  // Loading the vocabulary alone takes longer than this.
  using counter = new TokenCounter(200)
  const texts = ["hello world", "", "The quick brown fox jumps over the lazy dog."]
  expect(await Promise.all(texts.map((text) => counter.count(text)))).toEqual([2, 0, 10])
})

test("gives up on a text that chokes it, and counts the next one", async () => {
  using counter = new TokenCounter()
  expect(await counter.count("warm")).toBe(1)
  expect(await counter.count("a".repeat(200_000))).toBeUndefined()
  expect(await counter.count("hello world")).toBe(2)
})

test("says how many characters the first tokens make, whole ones only", async () => {
  using counter = new TokenCounter()
  expect(await counter.head("hello world, again", 2)).toBe("hello world".length)
  expect(await counter.head("hello world", 5)).toBe("hello world".length)
  expect(await counter.head("", 5)).toBe(0)
  // Its one character takes three tokens.
  expect(await counter.count("\u{1F9FF}")).toBe(3)
  expect(await counter.head("\u{1F9FF}", 2)).toBe(0)
  expect(await counter.count("<|endoftext|> is text")).toBeGreaterThan(4)
  expect(await counter.head("<|endoftext|> is text like any other", 40)).toBe(36)
})

test("does not try what is too long to be worth it", async () => {
  using counter = new TokenCounter()
  expect(await counter.count("a ".repeat(300_000))).toBeUndefined()
})

test("answers those who wait when it is disposed of", async () => {
  const counter = new TokenCounter()
  const waiting = counter.count("hello world")
  counter[Symbol.dispose]()
  expect(await waiting).toBeUndefined()
})
