import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { RULE_NAMES } from "tollgate-contract/rule-definitions.ts"
import { DECLARED_SETTINGS } from "../../src/config/declared-settings.ts"

const PAGE = readFileSync(join(import.meta.dir, "../../docs/reference/settings.md"), "utf8")

test("docs/reference/model-rules.md has every model rule, and docs/run/providers.md links to it", () => {
  const page = readFileSync(join(import.meta.dir, "../../docs/reference/model-rules.md"), "utf8")
  expect(RULE_NAMES.filter((name) => !page.includes(`| \`${name}\` |`))).toEqual([])
  const providers = readFileSync(join(import.meta.dir, "../../docs/run/providers.md"), "utf8")
  expect(providers).toContain("(../reference/model-rules.md)")
})

test("docs/reference/settings.md has every setting once", () => {
  const rows = PAGE.split("\n").map((line) => /^\| `([^`]+)` \|/.exec(line)?.[1])
  const listed = DECLARED_SETTINGS.map(({ name }) => rows.filter((row) => row === name).length)
  expect(listed).toEqual(listed.map(() => 1))
})
