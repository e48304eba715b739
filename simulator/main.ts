import { startSimulator } from "./server.ts"

/** Reads `--port N`. With port 0, the system selects a free port. */
function readPort(words: readonly string[]): number {
  const at = words.indexOf("--port")
  if (at === -1) return 0
  const port = Number(words[at + 1])
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    process.stderr.write("simulator: --port needs a number from 0 to 65535\n")
    process.exit(2)
  }
  return port
}

const simulator = startSimulator({ port: readPort(process.argv.slice(2)) })

let leaving = false
async function leave(): Promise<void> {
  if (leaving) return
  leaving = true
  await simulator.stop()
  process.exit(0)
}

process.on("SIGTERM", () => void leave())
process.on("SIGINT", () => void leave())
// A signal to the process group of the tests also reaches the simulator. These signals must not end it.
for (const signal of ["SIGUSR1", "SIGUSR2", "SIGHUP"]) process.on(signal, () => undefined)
// The parent process holds a pipe open. When the pipe ends, the parent has ended.
process.stdin.on("end", () => void leave())
process.stdin.on("error", () => void leave())
process.stdin.resume()

process.stdout.write(`${JSON.stringify({ ready: true, url: simulator.url })}\n`)
