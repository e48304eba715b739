import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { RULE_NAMES } from "tollgate-contract/rule-definitions.ts"
import { settingsChanges } from "../../src/config/changes.ts"
import type { Settings } from "../../src/config/settings.ts"
import { load } from "../config/harness.ts"

const PAGE = readFileSync(join(import.meta.dir, "../../docs/settings.md"), "utf8")

/** Another value than every setting has, whichever is read of it. */
const OTHER: Settings = new Proxy(load("").settings, { get: () => OTHER })

test("docs/models.md has every rule of a model, and docs/settings.md says how they are set", () => {
  const page = readFileSync(join(import.meta.dir, "../../docs/models.md"), "utf8")
  expect(RULE_NAMES.filter((name) => !page.includes(`| \`${name}\` |`))).toEqual([])
  expect(PAGE).toContain("(models.md)")
})

test("docs/settings.md has every setting", () => {
  const { settings } = load("")
  const { changed } = settingsChanges(settings, settings, OTHER)
  const names = changed.filter((name) => !/^(?:providers|models|price_groups)\./.test(name))
  expect(names.length).toBeGreaterThan(30)
  expect(names.filter((name) => !PAGE.includes(`\`${name}\``))).toEqual([])
})
