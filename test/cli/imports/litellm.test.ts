import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "bun:test"
import { planLiteLlm } from "../../../src/cli/import/litellm.ts"
import { LITELLM_CASES } from "./litellm-cases.ts"
import { runImport } from "./run-import.ts"

test("the LiteLLM import has eleven example configurations", () =>
  expect(LITELLM_CASES).toHaveLength(11))

for (const example of LITELLM_CASES) {
  test(`the LiteLLM import serves the models of ${example.name}`, () =>
    runImport(example, (folder) => {
      const file = join(folder, "config.yaml")
      writeFileSync(file, example.source)
      return planLiteLlm(file, folder)
    }))
}
