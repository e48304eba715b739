/**
 * `npm run test:alone`: runs each test file in a separate process, one at a time. `npm run test:alone -- test/relay`
 * runs only the files whose path contains that text. A file that depends on the effects of another file fails in this
 * mode. It takes several times as long as `npm test`.
 */
import { TEST_COMMAND } from "./test-command.ts"
import { testFiles } from "./test-sets.ts"

const SLOWEST_SHOWN = 20

interface Run {
  readonly file: string
  readonly seconds: number
}

const named = process.argv.slice(2)
const files = testFiles().filter(
  (file) => named.length === 0 || named.some((part) => file.includes(part)),
)

const runs: Run[] = []
const failed: string[] = []
for (const file of files) {
  const begun = performance.now()
  const { exitCode, stderr } = Bun.spawnSync([...TEST_COMMAND, `./${file}`])
  runs.push({ file, seconds: (performance.now() - begun) / 1_000 })
  if (exitCode === 0) continue
  failed.push(file)
  console.log(`FAILED ${file}\n${stderr.toString()}`)
}

for (const { file, seconds } of runs
  .toSorted((a, b) => b.seconds - a.seconds)
  .slice(0, SLOWEST_SHOWN)) {
  console.log(`${seconds.toFixed(1).padStart(6)} s ${file}`)
}
console.log(`${files.length - failed.length} files passed alone, ${failed.length} failed`)
for (const file of failed) console.log(file)
process.exitCode = failed.length === 0 ? 0 : 1
