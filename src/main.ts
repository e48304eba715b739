import { runCli } from "./cli/program.ts"
import { programWords } from "./runtime.ts"

/** Parallel upstream requests; Bun's own default is 256, and it takes no more than this. */
const MAX_UPSTREAM_REQUESTS = "65535"

// Bun reads this limit before any code runs, so a process started without it starts itself again.
if (process.env["BUN_CONFIG_MAX_HTTP_REQUESTS"] === undefined) {
  process.execve?.(process.execPath, [...programWords(), ...process.argv.slice(2)], {
    ...process.env,
    BUN_CONFIG_MAX_HTTP_REQUESTS: MAX_UPSTREAM_REQUESTS,
  })
}

process.exitCode = await runCli(process.argv)
