/**
 * `npm run test:repeat`: runs `npm test` several times in each of four modes and prints a table of the failures. The
 * table and the output of failed runs are in `test/results`.
 *
 * `npm run test:repeat -- --runs 10 --mode one-core --mode random-order -- test/ledger`
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { availableParallelism, loadavg } from "node:os"
import { parseArgs } from "node:util"
import { testFiles } from "./test-sets.ts"

const RESULTS = "test/results"
const BUSY_LOOP = ["bun", "--eval", "while (true);"]

/** The differences between a mode and a normal run. */
interface Mode {
  readonly prefix?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly isBusy?: boolean
  readonly isShuffled?: boolean
}

const MODES: Readonly<Record<string, Mode>> = {
  "one-core": { prefix: ["taskset", "--cpu-list", "0"] },
  "busy-cores": { isBusy: true },
  "random-order": { isShuffled: true },
  "delayed-flushes": { environment: { TOLLGATE_TEST_FLUSH_DELAY_MS: "1000" } },
}

interface Run {
  readonly mode: string
  readonly run: number
  readonly seconds: number
  readonly load: number
  readonly failed: readonly string[]
}

const { values, positionals } = parseArgs({
  options: {
    runs: { type: "string", default: "10" },
    mode: { type: "string", multiple: true, default: Object.keys(MODES) },
  },
  allowPositionals: true,
})

mkdirSync(RESULTS, { recursive: true })
const runs: Run[] = []
for (const name of values.mode) {
  const mode = MODES[name]
  if (mode === undefined)
    throw new Error(`Unknown mode '${name}'. Use ${Object.keys(MODES).join(", ")}.`)
  for (let run = 1; run <= Number(values.runs); run++) {
    runs.push(repeat(name, mode, run))
    writeFileSync(`${RESULTS}/repeat.md`, formatTable(runs))
  }
}
console.log(formatTable(runs))
process.exitCode = runs.every(({ failed }) => failed.length === 0) ? 0 : 1

function repeat(name: string, mode: Mode, run: number): Run {
  const loops = mode.isBusy === true ? startBusyLoops() : []
  const order = mode.isShuffled === true ? [`--timings=${writeRandomOrder(run)}`] : []
  const begun = performance.now()
  const command = [...(mode.prefix ?? []), "bun", "scripts/test.ts", ...order, ...positionals]
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, {
    env: { ...process.env, ...mode.environment },
  })
  const seconds = Math.round((performance.now() - begun) / 1_000)
  for (const loop of loops) loop.kill("SIGKILL")
  const output = `${stdout.toString()}${stderr.toString()}`
  const failed = [...output.matchAll(/^\(fail\) (.*?)(?: \[[\d.]+m?s\])?$/gm)].map(
    ([, test]) => test ?? "",
  )
  if (exitCode !== 0) {
    writeFileSync(`${RESULTS}/${name}-${run}.log`, output)
    if (failed.length === 0) failed.push(`exit code ${exitCode}`)
  }
  console.log(`${name} ${run}: ${seconds} s, ${failed.length} failed`)
  return { mode: name, run, seconds, load: loadavg()[0] ?? 0, failed }
}

function startBusyLoops(): Bun.Subprocess[] {
  return Array.from({ length: availableParallelism() }, () => Bun.spawn(BUSY_LOOP))
}

/** Writes timings that make the runner start the files in an order determined only by the seed. */
function writeRandomOrder(seed: number): string {
  const files = testFiles().map((file) => [file, Number(Bun.hash(`${seed} ${file}`) % 100_000n)])
  const path = `${RESULTS}/order-${seed}.json`
  writeFileSync(path, JSON.stringify({ version: 1, files: Object.fromEntries(files) }))
  return path
}

function formatTable(done: readonly Run[]): string {
  const rows = done.map(
    ({ mode, run, seconds, load, failed }) =>
      `| ${mode} | ${run} | ${seconds} | ${load.toFixed(1)} | ${failed.join("; ") || "none"} |`,
  )
  return ["| mode | run | seconds | load | failed |", "|---|---|---|---|---|", ...rows, ""].join(
    "\n",
  )
}
