/** Runs all checks except tests, from the format of the code to dead code, and prints the table of known models. */
import { checkLayers, checkPackages } from "./architecture.ts"
import { checkAwaitedExpects } from "./awaited-expects.ts"
import { checkDependencies } from "./dependencies.ts"
import { checkDeploy } from "./deploy/check.ts"
import { checkFloatAmounts } from "./float-amounts.ts"
import { knownModels } from "./known-models.ts"
import { checkLanguages } from "./languages.ts"
import { checkLinks } from "./links.ts"
import { checkProse } from "./prose.ts"
import { checkWidth } from "./reflow.ts"
import { checkVersions } from "./release-version.ts"
import { checkWorkflows } from "./workflows.ts"

interface Step {
  readonly name: string
  run(): boolean
}

/** The folder with the tools, which are installed with the packages of the tests. */
const TOOLS = "test/node_modules/.bin"

function command(name: string, tool: string, ...words: string[]): Step {
  return {
    name,
    run: () => {
      const { exitCode } = Bun.spawnSync([`${TOOLS}/${tool}`, ...words], {
        stdout: "inherit",
        stderr: "inherit",
        // The linter finds the program for its type-aware rules through `PATH`.
        env: { ...process.env, PATH: `${TOOLS}:${process.env["PATH"]}` },
      })
      return exitCode === 0
    },
  }
}

/** Returns a step for a check of this project, which prints every violation. */
function ownCheck(name: string, check: () => string[]): Step {
  return {
    name,
    run: () => {
      const violations = check()
      for (const violation of violations) console.error(violation)
      return violations.length === 0
    },
  }
}

/** Prints the table even if there are no violations, so that people can judge the age of the prices. */
function checkKnownModels(): string[] {
  const today = new Date().toISOString().slice(0, "YYYY-MM-DD".length)
  const { table, violations } = knownModels(today)
  console.log(`known models, and the ages of their prices in days:\n${table.join("\n")}`)
  return violations
}

const STEPS: readonly Step[] = [
  command("format", "oxfmt", "--check"),
  command("lint", "oxlint", "--type-aware", "--quiet"),
  command("types", "tsc", "--noEmit"),
  command("types of the console", "tsc", "--noEmit", "--project", "console"),
  ownCheck("layers", () => [
    ...checkLayers("src"),
    ...checkPackages(),
    ...checkAwaitedExpects("test"),
    ...checkFloatAmounts(["console/src", "src/cli"]),
  ]),
  ownCheck("links", () => [...checkLinks(), ...checkWidth()]),
  ownCheck("prose", () => checkProse()),
  ownCheck("languages", () => checkLanguages()),
  ownCheck("dependencies", () => checkDependencies(".")),
  ownCheck("files to deploy with", () => checkDeploy("deploy")),
  ownCheck("workflows and versions", () => [...checkWorkflows("."), ...checkVersions(".")]),
  ownCheck("known models", checkKnownModels),
  command("dead code", "knip", "--no-progress"),
]

let failed = 0
for (const step of STEPS) {
  const hasPassed = step.run()
  if (!hasPassed) failed++
  console.log(`${hasPassed ? "ok    " : "FAILED"} ${step.name}`)
}
console.log(`${STEPS.length - failed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
