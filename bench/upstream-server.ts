/** Runs the simulator as a separate process, with a second port that reports its activity. */
import { startSimulator } from "../simulator/server.ts"

const simulator = startSimulator({ cadence: Number(process.argv[2] ?? 0) })
const counter = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: () =>
    Response.json({ open: simulator.open, lastPath: simulator.requests.at(-1)?.path ?? "" }),
})
process.stdout.write(`${JSON.stringify({ port: simulator.port, counter: counter.port })}\n`)
// The parent process holds a pipe open. When the pipe ends, the parent has ended.
process.stdin.on("end", () => process.exit(0))
process.stdin.resume()
