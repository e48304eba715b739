import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "bun:test"
import { planPortkey } from "../../../src/cli/import/portkey.ts"
import { PORTKEY_CASES } from "./portkey-cases.ts"
import { runImport } from "./run-import.ts"

test("the Portkey import has ten example configurations", () =>
  expect(PORTKEY_CASES).toHaveLength(10))

for (const example of PORTKEY_CASES) {
  test(`the Portkey import serves the models of ${example.name}`, () =>
    runImport(example, (folder) => {
      const file = join(folder, "config.json")
      writeFileSync(file, JSON.stringify(example.source))
      return planPortkey(file, folder)
    }))
}
