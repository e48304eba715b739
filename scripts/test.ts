/**
 * `npm test`: everything, or the given files (`npm test -- test/canon -t "a name"`). With `--quick` it runs
 * what finishes within half a minute, and says what it skips. The last line says how many recordings were
 * found.
 */
import { readdirSync } from "node:fs"
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

const words = process.argv.slice(2)
const isQuick = words[0] === "--quick"
const named = isQuick ? [...QUICK.map((name) => `test/${name}`), ...words.slice(1)] : words
const { exitCode } = Bun.spawnSync(
  ["bun", "test", "--parallel=4", "--no-isolate", "--timeout", "20000", ...named],
  { stdin: "inherit", stdout: "inherit", stderr: "inherit" },
)
removeAbandonedServers()
if (isQuick) console.log(`Left out, run by npm test: ${leftOut().join(", ")}.`)
process.exitCode = exitCode === 0 && reportRecordings() ? 0 : 1

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
