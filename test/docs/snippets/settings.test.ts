import { expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { parse } from "yaml"
import { vendors } from "../../../src/vendors/index.ts"
import { Folder, KEY_FILE, load } from "../../config/harness.ts"
import { userBlocks } from "./blocks.ts"

/** Top-level members of configuration files for other programs. */
const OTHER_FILES = new Set(["scrape_configs", "extraVolumes"])
const VARIABLE = /\$\{([A-Z_]+)/g

const settings = userBlocks()
  .filter(({ language }) => language === "yaml")
  .filter(({ text }) => {
    const members = Object.keys((parse(text) ?? {}) as object)
    return members.length > 0 && !members.some((member) => OTHER_FILES.has(member))
  })
  .map(({ place, text }) => [place, text] as const)

test("the pages contain settings", () => {
  expect(settings.length).toBeGreaterThan(25)
})

test.each(settings)("the settings at %s are valid", (_place, text) => {
  const names = [...text.matchAll(VARIABLE)].map(([, name = ""]) => name)
  const environment = Object.fromEntries(names.map((name) => [name, `value-of-${name}`]))
  using folder = new Folder()
  const accountFile = join(folder.path, "service-account.json")
  writeFileSync(accountFile, JSON.stringify(KEY_FILE))
  const written = text.replaceAll("./service-account.json", accountFile)
  expect(() => load(written, environment, { vendors: [...vendors.values()] })).not.toThrow()
})
