import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { cleanEnvironment } from "../../support/process.ts"
import { install } from "../install.ts"
import { type Check, type Row, rowOf, skippedRow } from "../outcomes.ts"
import type { Target } from "../target.ts"
import { MODELS } from "./models.ts"

const NAME = "llmprobe"
const VERSION = "0.6.12"

/** The members of llmprobe's report that are read. */
interface Report {
  readonly conformance: { readonly results: readonly Probe[] }
}

interface Probe {
  readonly id: string
  readonly outcome: string
  readonly failures: readonly { readonly severity: string; readonly message: string }[]
}

/** Runs the conformance part of llmprobe, without its benchmark. A forbidden feature counts as a failure. */
export async function llmprobe(root: string, target: Target): Promise<Row> {
  const packages = [`${NAME}@${VERSION}`]
  const problem = install(root, { name: NAME, language: "javascript", packages, checks: "" })
  if (problem !== undefined) return skippedRow(NAME, VERSION, problem)
  const folder = join(root, NAME)
  const home = join(folder, "home")
  mkdirSync(home, { recursive: true })
  const checks: Check[] = []
  for (const model of MODELS) {
    const program = join(folder, "node_modules/.bin/llmprobe")
    const words = [`${target.url}/v1`, "-k", target.key, "-m", model, "--no-bench", "--no-save"]
    const child = Bun.spawn(["node", program, ...words, "--json"], {
      cwd: folder,
      env: { ...cleanEnvironment(), HOME: home },
      stdout: "pipe",
      stderr: "ignore",
    })
    const report = (await new Response(child.stdout).json()) as Report
    checks.push(...report.conformance.results.map((probe) => checkOf(model, probe)))
  }
  return rowOf(NAME, VERSION, checks)
}

function checkOf(model: string, probe: Probe): Check {
  const name = `${model} ${probe.id}`
  const failure = probe.failures.find((one) => one.severity === "MUST")
  if (failure !== undefined) return { name, outcome: "failed", reason: failure.message }
  if (probe.outcome === "pass") return { name, outcome: "passed" }
  return { name, outcome: "skipped", reason: `it says '${probe.outcome}'` }
}
