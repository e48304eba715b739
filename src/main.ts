import { runCli } from "./cli/program.ts"
import { programWords } from "./runtime.ts"

/** Maximum number of parallel upstream requests. This is the highest value that Bun accepts. Its default is 256. */
const MAX_UPSTREAM_REQUESTS = "65535"

/** Maximum time that other work keeps the process alive after the command has ended. */
const END_DELAY_MS = 1_000

// Bun reads this limit before any code runs. If the variable is missing, the process starts itself again with it.
if (process.env["BUN_CONFIG_MAX_HTTP_REQUESTS"] === undefined) {
  process.execve?.(process.execPath, [...programWords(), ...process.argv.slice(2)], {
    ...process.env,
    BUN_CONFIG_MAX_HTTP_REQUESTS: MAX_UPSTREAM_REQUESTS,
  })
}

process.exitCode = await runCli(process.argv)
endSoon()

/**
 * Ends the process when its output is written. Bun cannot close a socket that is still connecting, and such a socket
 * would keep the process alive for two minutes.
 */
function endSoon(): void {
  const end = (): void => {
    if (process.stdout.writableLength + process.stderr.writableLength === 0) process.exit()
    else endSoon()
  }
  setTimeout(end, END_DELAY_MS).unref()
}
