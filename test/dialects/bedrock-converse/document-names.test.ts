import { expect, test } from "bun:test"
import { formatOf } from "../../../src/dialects/bedrock-converse/media/formats.ts"
import { DocumentNames } from "../../../src/dialects/bedrock-converse/media/document-names.ts"

test("names are unique, also if a document has the name of a counted one", () => {
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

test("long names and media types are read only as far as they matter", () => {
  const begun = performance.now()
  expect(new DocumentNames().next("a.".repeat(5_000_000))).toStartWith("a a a")
  expect(formatOf("/".repeat(10_000_000), `${".".repeat(10_000_000)}pdf`)).toBe(
    formatOf("application/pdf", undefined),
  )
  expect(performance.now() - begun).toBeLessThan(100)
})

test("names of thousands of documents without a title are found quickly", () => {
  const names = new DocumentNames()
  const begun = performance.now()
  const all = new Set(Array.from({ length: 50_000 }, () => names.next(undefined)))
  expect(all.size).toBe(50_000)
  expect(performance.now() - begun).toBeLessThan(2_000)
})
