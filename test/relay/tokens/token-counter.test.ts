import { expect, test } from "bun:test"
import { TokenCounter } from "../../../src/relay/tokens/token-counter.ts"
import { WorkerPool } from "../../../src/workers/worker-pool.ts"

test("the token counter returns exact counts even before its thread has started", async () => {
  // Loading the vocabulary alone takes longer than this deadline.
  using pool = new WorkerPool({ deadlineMs: 200 })
  const counter = new TokenCounter(pool).of("account")
  const texts = ["hello world", "", "The quick brown fox jumps over the lazy dog."]
  expect(await Promise.all(texts.map((text) => counter.count(text)))).toEqual([2, 0, 10])
})

test("the token counter skips a text that blocks the tokenizer and counts the next text", async () => {
  using pool = new WorkerPool()
  const counter = new TokenCounter(pool).of("account")
  expect(await counter.count("warm")).toBe(1)
  expect(await counter.count("a".repeat(200_000))).toBeUndefined()
  expect(await counter.count("hello world")).toBe(2)
})

test("the token counter returns the number of complete characters in the first tokens", async () => {
  using pool = new WorkerPool()
  const counter = new TokenCounter(pool).of("account")
  expect(await counter.head("hello world, again", 2)).toBe("hello world".length)
  expect(await counter.head("hello world", 5)).toBe("hello world".length)
  expect(await counter.head("", 5)).toBe(0)
  // The only character of this text has three tokens.
  expect(await counter.count("\u{1F9FF}")).toBe(3)
  expect(await counter.head("\u{1F9FF}", 2)).toBe(0)
  expect(await counter.count("<|endoftext|> is text")).toBeGreaterThan(4)
  expect(await counter.head("<|endoftext|> is text like any other", 40)).toBe(36)
})

test("the token counter does not count a text above the maximum length", async () => {
  using pool = new WorkerPool()
  const counter = new TokenCounter(pool).of("account")
  expect(await counter.count("a ".repeat(300_000))).toBeUndefined()
})
