import { runCli } from "./cli/program.ts"
import { programWords } from "./runtime.ts"

/** Parallel upstream requests; Bun's own default is 256, and it takes no more than this. */
const MAX_UPSTREAM_REQUESTS = "65535"

/** Maximum time that other work keeps the process alive after its command has ended. */
const END_DELAY_MS = 1_000

// Bun reads this limit before any code runs, so a process started without it starts itself again.
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
