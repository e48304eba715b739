import { join } from "node:path"
import { cleanEnvironment } from "../../support/process.ts"
import { install } from "../install.ts"
import { type Check, type Row, rowOf, skippedRow } from "../outcomes.ts"
import { checkOut } from "../sources.ts"
import type { Target } from "../target.ts"
import { MODELS } from "./models.ts"

const NAME = "open-responses"
const SOURCE = {
  repository: "Stars1233/openresponses",
  commit: "92c12d96d7b61d6d15e2214daa5e9c6000ab6e1c",
}

interface Outcome {
  readonly id: string
  readonly status: "passed" | "failed" | "skipped"
  readonly errors?: readonly string[]
}

/** Runs the compliance tests of the Open Responses specification once for each model. */
export async function openResponses(root: string, target: Target): Promise<Row> {
  const version = SOURCE.commit.slice(0, 7)
  const source = checkOut(root, SOURCE)
  if ("problem" in source) return skippedRow(NAME, version, source.problem)
  const libraries = { name: `${NAME}-libraries`, language: "javascript", checks: "" } as const
  const problem = install(source.folder, { ...libraries, packages: ["zod@3.25.76"] })
  if (problem !== undefined) return skippedRow(NAME, version, problem)
  const checks: Check[] = []
  for (const model of MODELS) {
    const words = ["-u", `${target.url}/v1`, "-k", target.key, "-m", model, "--json"]
    const child = Bun.spawn([process.execPath, "bin/compliance-test.ts", ...words], {
      cwd: source.folder,
      env: {
        ...cleanEnvironment(),
        NODE_PATH: join(source.folder, libraries.name, "node_modules"),
      },
      stdout: "pipe",
      stderr: "ignore",
    })
    const output = await new Response(child.stdout).text()
    const { results } = JSON.parse(output) as { results: readonly Outcome[] }
    for (const { id, status, errors = [] } of results) {
      checks.push({ name: `${model} ${id}`, outcome: status, reason: errors.join("; ") })
    }
  }
  return rowOf(NAME, version, checks)
}
