/**
 * `npm test`: everything, or the given files (`npm test -- test/canon -t "a name"`). With `--quick` it runs
 * what finishes within half a minute, and says what it skips. The last lines say which files took longest, and how
 * many recordings were found.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { removeAbandonedServers } from "../test/support/server-folders.ts"
import { countRecordings } from "../test/support/recordings.ts"

/** Folders whose tests start no process and wait for nothing, and one chat from a client to a vendor. */
const QUICK: readonly string[] = [
  "canon",
  "catalog",
  "config",
  "console",
  "dialects",
  "docs",
  "golden",
  "keys",
  "ledger",
  "limits",
  "machine",
  "media",
  "routing",
  "telemetry",
  "vendors",
  "wire",
  "clients/openai-chat.test.ts",
]

/**
 * How long each file took when they were measured last: those that take longest begin first, so that none of them is
 * waited for at the end. `npm test -- --update-timings` writes it.
 */
const TIMINGS = "test/timings.json"
const MOST_SHOWN = 10

const words = process.argv.slice(2)
const isQuick = words[0] === "--quick"
const named = isQuick ? [...QUICK.map((name) => `test/${name}`), ...words.slice(1)] : words
const exitCode = runTests()
removeAbandonedServers()
if (isQuick) console.log(`Left out, run by npm test: ${leftOut().join(", ")}.`)
process.exitCode = exitCode === 0 && reportRecordings() ? 0 : 1

function runTests(): number {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-tests-"))
  const report = join(folder, "report.xml")
  try {
    const { exitCode } = Bun.spawnSync(
      [
        ...["bun", "test", "--parallel=4", "--no-isolate", "--timeout", "20000"],
        ...[`--timings=${TIMINGS}`, "--reporter=junit", `--reporter-outfile=${report}`],
        ...named,
      ],
      { stdin: "inherit", stdout: "inherit", stderr: "inherit" },
    )
    const slowest = slowestIn(report)
    if (slowest.length > 0) console.log(`The slowest files, in seconds: ${slowest.join(", ")}.`)
    return exitCode
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** @param report JUnit's; there is none where nothing could be run. */
function slowestIn(report: string): string[] {
  const text = existsSync(report) ? readFileSync(report, "utf8") : ""
  return [...text.matchAll(/^ {2}<testsuite name="(?<file>[^"]+)".* time="(?<time>[\d.]+)"/gm)]
    .map(({ groups = {} }) => ({ file: groups["file"], time: Number(groups["time"]) }))
    .toSorted((left, right) => right.time - left.time)
    .slice(0, MOST_SHOWN)
    .map(({ file, time }) => `${file} ${time.toFixed(1)}`)
}

function leftOut(): string[] {
  const glob = new Bun.Glob("**/*.test.ts")
  return readdirSync("test", { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== "node_modules")
    .map(({ name }) => name)
    .filter((name) => !QUICK.includes(name))
    .filter((name) => !glob.scanSync(`test/${name}`).next().done)
    .toSorted()
}

/** In CI, tests that could not run must not look like tests that passed. */
function reportRecordings(): boolean {
  const { expected, present } = countRecordings()
  if (present >= expected) {
    console.log(`All ${expected} recordings of vendors' traffic were there to replay.`)
    return true
  }
  const missing = expected - present
  console.log(
    `${missing} of ${expected} recordings of vendors' traffic were not there (../shared/fixtures): tests that replay them did not run.`,
  )
  return process.env["CI"] !== "true"
}
