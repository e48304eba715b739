/**
 * `npm test`: all that a change can break, or the given files (`npm test -- test/canon -t "a name"`). Expensive sweeps run
 * a fixed sample of their cases. With `--all` every file runs, with every case. With `--quick` it runs
 * what finishes within half a minute, and says what it skips. The files of tests are in memory where there is room, which
 * halves their time on a slow disk, unless it is called with `--on-disk`. The last lines say which files took longest, and
 * how many recordings were found.
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
 * How long each file took when they were measured last: those that take longest begin first, so that none of them is
 * waited for at the end. `npm test -- --update-timings` writes it.
 */
const TIMINGS = "test/timings.json"
const MOST_SHOWN = 10
const ON_DISK = "--on-disk"
const ALL = "--all"
/** A file system in memory, and what it has to have room for, bytes. */
const MEMORY_FOLDER = "/dev/shm"
/** Of the folder of a run, before its process. */
const PREFIX = "tollgate-tests-"
const ROOM = 4 * 1024 ** 3

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
  // Servers of PostgreSQL run as another user, who has to get to their folders.
  chmodSync(folder, 0o711)
  // Of the tests, and of all that they start.
  process.env["TMPDIR"] = folder
}
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
 * Ledgers are brought to the disk with each commit, which is most of what many tests wait for. What they find in the files
 * is the same in memory.
 */
function hasRoomInMemory(): boolean {
  if (!existsSync(MEMORY_FOLDER)) return false
  const { bavail, bsize } = statfsSync(MEMORY_FOLDER)
  return Math.min(bavail * bsize, freemem()) >= ROOM
}

/** What runs have left in memory that were killed. */
function removeAbandonedFolders(): void {
  for (const name of readdirSync(MEMORY_FOLDER)) {
    const [owner] = name.startsWith(PREFIX) ? name.slice(PREFIX.length).split("-") : []
    if (owner === undefined || existsSync(`/proc/${owner}`)) continue
    rmSync(join(MEMORY_FOLDER, name), { recursive: true, force: true })
  }
}

/**
 * Three files at once: some only wait, and two cores have little to do while they do.
 * @param report where JUnit's is to be. @returns the exit code.
 */
function runTests(report: string): number {
  const running = [...TEST_COMMAND, "--parallel=3", "--no-isolate"]
  // A file of other timings changes the order.
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

/** With `TOLLGATE_REQUIRE_RECORDINGS=true`, tests that could not run must not look like tests that passed. */
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
