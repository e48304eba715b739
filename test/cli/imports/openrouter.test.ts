import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "bun:test"
import { planOpenRouter } from "../../../src/cli/import/openrouter.ts"
import { OPENROUTER_CASES } from "./openrouter-cases.ts"
import { runImport } from "./run-import.ts"

test("the OpenRouter import has ten example exports", () =>
  expect(OPENROUTER_CASES).toHaveLength(10))

for (const example of OPENROUTER_CASES) {
  test(`the OpenRouter import serves the models and creates the keys of ${example.name}`, () =>
    runImport(example, (folder) => {
      const file = join(folder, "keys.json")
      writeFileSync(file, JSON.stringify({ data: example.source }))
      return planOpenRouter(file, folder)
    }))
}
