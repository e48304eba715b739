/**
 * `npm run test:firefox`: runs the tests of the console in the Firefox that is installed on this machine. Files can be
 * given (`npm run test:firefox -- test/browser/journey.test.ts`). Fails if Firefox is not installed.
 */
import { findFirefox } from "../test/browser/firefox.ts"
import { TEST_COMMAND } from "./test-command.ts"

/** Test files that Firefox cannot run. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  "test/browser/passkeys.test.ts": "its authenticator is of Chromium's own protocol",
}

function run(named: readonly string[]): number {
  const files = named.length > 0 ? named : filesOfTheConsole()
  const running = [...TEST_COMMAND, "--parallel=2", "--no-isolate"]
  const { exitCode } = Bun.spawnSync([...running, ...files], {
    stdin: "inherit",
    stdout: "inherit",
    stderr: "inherit",
    env: { ...process.env, TOLLGATE_TEST_BROWSER: "firefox" },
  })
  return exitCode
}

function filesOfTheConsole(): string[] {
  return [...new Bun.Glob("test/browser/*.test.ts").scanSync(".")]
    .filter((file) => LEFT_OUT[file] === undefined)
    .toSorted()
}

try {
  console.log(`In ${findFirefox()}.`)
  process.exitCode = run(process.argv.slice(2))
  for (const [file, reason] of Object.entries(LEFT_OUT)) {
    console.log(`Left out, run by npm test in Chromium: ${file}, because ${reason}.`)
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
