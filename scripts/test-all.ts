/**
 * `npm run test:all`: runs every case of every test file, then Firefox, other projects' test suites, agents, torture
 * tests and chaos tests. A release needs all of them to pass. After a failed step, the following steps still run. The
 * last lines list the result of each step.
 */
import { FURTHER_STEPS } from "./test-sets.ts"

const STEPS: Readonly<Record<string, readonly string[]>> = {
  "all test files": ["bun", "scripts/test.ts", "--all"],
  ...FURTHER_STEPS,
}

const rows = Object.entries(STEPS).map(([name, command]) => {
  console.log(`\n${name}: ${command.join(" ")}`)
  const begun = performance.now()
  const { exitCode } = Bun.spawnSync([...command], {
    stdin: "inherit",
    stdout: "inherit",
    stderr: "inherit",
  })
  return { name, exitCode, seconds: Math.round((performance.now() - begun) / 1_000) }
})

console.log("")
for (const { name, exitCode, seconds } of rows) {
  console.log(`${exitCode === 0 ? "passed" : "FAILED"} ${String(seconds).padStart(6)} s  ${name}`)
}
process.exitCode = rows.every(({ exitCode }) => exitCode === 0) ? 0 : 1
