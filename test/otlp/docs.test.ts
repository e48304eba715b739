import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { ATTRIBUTES } from "../../src/otlp/names.ts"

test("docs/tracing.md has every attribute, and no other", () => {
  const page = readFileSync(new URL("../../docs/tracing.md", import.meta.url), "utf8")
  const rows = page.split("\n").filter((line) => line.startsWith("| `"))
  const named = rows.flatMap((row) => row.split("|")[1]?.match(/[a-z_.]+/g) ?? [])
  expect(named.toSorted()).toEqual(Object.values(ATTRIBUTES).toSorted())
})
