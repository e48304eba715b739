/**
 * `npm test`: runs all test files except those in `ONLY_IN_ALL`, or the given files (`npm test -- test/canon -t "a
 * name"`). Expensive sweeps run a fixed sample of their cases. `--all` runs every file with every case. `--quick` runs
 * tests that finish within half a minute, and lists the skipped folders. Temporary files are stored in memory if there
 * is room, which halves the time on a slow disk; `--on-disk` disables this. The last lines list the slowest files and
 * the number of recordings.
 */
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
} from "node:fs"
import { freemem, tmpdir } from "node:os"
import { join } from "node:path"
import { removeAbandonedServers } from "../test/support/server-folders.ts"
import { countRecordings } from "../test/support/recordings.ts"
import { TEST_COMMAND } from "./test-command.ts"
import { ONLY_IN_ALL, QUICK } from "./test-sets.ts"

/**
 * The file with the last measured time of each test file. The slowest files start first, so that none of them runs
 * alone at the end. `npm test -- --update-timings` writes it.
 */
const TIMINGS = "test/timings.json"
const MAX_SHOWN = 10
const ON_DISK = "--on-disk"
const ALL = "--all"
/** A file system in memory. */
const MEMORY_FOLDER = "/dev/shm"
const MIN_FREE_BYTES = 4 * 1024 ** 3
/** Prefix of the name of a run's folder. The process id follows the prefix. */
const PREFIX = "tollgate-tests-"

const given = process.argv.slice(2)
const words = given.filter((word) => word !== ON_DISK && word !== ALL)
const isInMemory = !given.includes(ON_DISK) && hasRoomInMemory()
const isQuick = words[0] === "--quick"
const isAll = given.includes(ALL)
if (isAll) process.env["TOLLGATE_TEST_EXHAUSTIVE"] = "true"
const named = isQuick ? [...QUICK.map((name) => `test/${name}`), ...words.slice(1)] : words
if (existsSync(MEMORY_FOLDER)) removeAbandonedFolders()
const folder = mkdtempSync(join(isInMemory ? MEMORY_FOLDER : tmpdir(), `${PREFIX}${process.pid}-`))
if (isInMemory) {
  // PostgreSQL servers run as another user, which needs access to their folders.
  chmodSync(folder, 0o711)
  // Sets the folder for temporary files of the tests and their child processes.
  process.env["TMPDIR"] = folder
}
// Keeps freed memory. Returning it to the system and requesting it again would take a tenth of the processor time of a
// run.
process.env["MIMALLOC_PURGE_DELAY"] ??= "-1"
// Collects garbage only after allocations. The timer of the runtime collects the heap of all test files again after
// each pause, which takes a fourteenth of the processor time of a run.
process.env["BUN_GC_TIMER_DISABLE"] ??= "1"
const hasPaths = named.some((word) => word.startsWith("test/") || word.startsWith("./test/"))
const exitCode = runTests(join(folder, "report.xml"))
removeAbandonedServers()
rmSync(folder, { recursive: true, force: true })
if (!isAll && !hasPaths) {
  console.log(`Only run by npm run test:all: ${Object.keys(ONLY_IN_ALL).join(", ")}.`)
}
if (isQuick) console.log(`Left out, run by npm test: ${leftOut().join(", ")}.`)
process.exitCode = exitCode === 0 && reportRecordings() ? 0 : 1

/**
 * Whether memory has room for temporary files. Ledger commits wait for the disk, which takes most of the time of many
 * tests. The results are the same in memory.
 */
function hasRoomInMemory(): boolean {
  if (!existsSync(MEMORY_FOLDER)) return false
  const { bavail, bsize } = statfsSync(MEMORY_FOLDER)
  return Math.min(bavail * bsize, freemem()) >= MIN_FREE_BYTES
}

/** Removes the folders of killed runs from memory. */
function removeAbandonedFolders(): void {
  for (const name of readdirSync(MEMORY_FOLDER)) {
    const [owner] = name.startsWith(PREFIX) ? name.slice(PREFIX.length).split("-") : []
    if (owner === undefined || existsSync(`/proc/${owner}`)) continue
    rmSync(join(MEMORY_FOLDER, name), { recursive: true, force: true })
  }
}

/**
 * Runs the test files, three at a time, because some of them only wait.
 * @param report the path of the JUnit report.
 * @returns the exit code.
 */
function runTests(report: string): number {
  const running = [...TEST_COMMAND, "--parallel=3", "--no-isolate"]
  // Timings given as an argument take precedence. They set another order.
  const timings = named.some((word) => word.startsWith("--timings="))
    ? []
    : [`--timings=${TIMINGS}`]
  const ignored = isAll || hasPaths ? [] : Object.keys(ONLY_IN_ALL).map(ignoredPattern)
  const measured = [...timings, ...ignored, "--reporter=junit", `--reporter-outfile=${report}`]
  const { exitCode } = Bun.spawnSync([...running, ...measured, ...named], {
    stdin: "inherit",
    stdout: "inherit",
    stderr: "inherit",
    env: process.env,
  })
  const slowest = slowestIn(report)
  if (slowest.length > 0) console.log(`The slowest files, in seconds: ${slowest.join(", ")}.`)
  return exitCode
}

function ignoredPattern(path: string): string {
  return `--path-ignore-patterns=${path}${path.endsWith(".ts") ? "" : "/**"}`
}

/**
 * Returns lines about the slowest files.
 * @param report the path of the JUnit report. The report does not exist if no file could run.
 */
function slowestIn(report: string): string[] {
  const text = existsSync(report) ? readFileSync(report, "utf8") : ""
  return [...text.matchAll(/^ {2}<testsuite name="(?<file>[^"]+)".* time="(?<time>[\d.]+)"/gm)]
    .map(({ groups = {} }) => ({ file: groups["file"], time: Number(groups["time"]) }))
    .toSorted((left, right) => right.time - left.time)
    .slice(0, MAX_SHOWN)
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

/**
 * Reports the number of recordings.
 * @returns whether the run passes. It fails if recordings are missing and `TOLLGATE_REQUIRE_RECORDINGS` is `true`.
 */
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
  return process.env["TOLLGATE_REQUIRE_RECORDINGS"] !== "true"
}
