import { expect, test } from "bun:test"
import { threadTime } from "../../support/processor-time.ts"
import { formatOf, DocumentNames } from "../../../src/dialects/bedrock-converse/media.ts"

test("Bedrock document names are unique, even if the caller uses a name that the gateway generates", () => {
  const names = new DocumentNames()
  const given = ["a.pdf", "a (2).pdf", "a.txt", undefined, undefined, "a.md"]
  expect(given.map((name) => names.next(name))).toEqual([
    "a",
    "a (2)",
    "a (3)",
    "document",
    "document (2)",
    "a (4)",
  ])
})

test("Bedrock document names are computed quickly from names and types of 10 million characters", () => {
  const [name, type] = ["a.".repeat(5_000_000), `${".".repeat(10_000_000)}pdf`]
  const mediaType = "/".repeat(10_000_000)
  const read = () => [new DocumentNames().next(name), formatOf(mediaType, type)]
  expect(threadTime(read, 100)).toBeLessThan(100)
  expect(read()).toEqual([expect.stringMatching(/^a a a/), formatOf("application/pdf", undefined)])
})

test("the Bedrock encoder quickly finds names for thousands of untitled documents", () => {
  const find = () => {
    const names = new DocumentNames()
    return new Set(Array.from({ length: 50_000 }, () => names.next(undefined))).size
  }
  expect(find()).toBe(50_000)
  expect(threadTime(find, 2_000)).toBeLessThan(2_000)
})
