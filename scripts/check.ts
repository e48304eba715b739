/** Everything about the code that is not a test: format, lint, types, floors, links, dependencies, dead code. */
import { checkContract, checkHouse } from "./architecture.ts"
import { checkAwaitedExpects } from "./awaited-expects.ts"
import { checkDependencies } from "./dependencies.ts"
import { checkLinks } from "./links.ts"
import { checkWidth } from "./reflow.ts"

interface Step {
  readonly name: string
  run(): boolean
}

function command(name: string, ...words: string[]): Step {
  return {
    name,
    run: () => {
      const { exitCode } = Bun.spawnSync(words, { stdout: "inherit", stderr: "inherit" })
      return exitCode === 0
    },
  }
}

/** A check of our own, which names every fault. */
function faultless(name: string, check: () => string[]): Step {
  return {
    name,
    run: () => {
      const faults = check()
      for (const fault of faults) console.error(fault)
      return faults.length === 0
    },
  }
}

const STEPS: readonly Step[] = [
  command("format", "oxfmt", "--check"),
  command("lint", "oxlint", "--type-aware", "--quiet"),
  command("types", "tsc", "--noEmit"),
  command("types of the console", "tsc", "--noEmit", "--project", "console"),
  faultless("house", () => [
    ...checkHouse("src"),
    ...checkContract("contract"),
    ...checkAwaitedExpects("test"),
  ]),
  faultless("links", () => [...checkLinks(), ...checkWidth()]),
  faultless("dependencies", () => checkDependencies(".")),
  command("dead code", "knip", "--no-progress"),
]

process.env["PATH"] = `node_modules/.bin:${process.env["PATH"]}`
let failed = 0
for (const step of STEPS) {
  const isFine = step.run()
  if (!isFine) failed++
  console.log(`${isFine ? "ok    " : "FAILED"} ${step.name}`)
}
console.log(`${STEPS.length - failed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
