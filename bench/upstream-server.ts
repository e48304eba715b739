/** The simulator as a process of its own, with a second port that tells what it is doing. */
import { startSimulator } from "../simulator/server.ts"

const simulator = startSimulator({ cadence: Number(process.argv[2] ?? 0) })
const counter = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: () =>
    Response.json({ open: simulator.open, lastPath: simulator.requests.at(-1)?.path ?? "" }),
})
process.stdout.write(`${JSON.stringify({ port: simulator.port, counter: counter.port })}\n`)
// The parent holds a pipe open: its end means that the parent is gone, however it died.
process.stdin.on("end", () => process.exit(0))
process.stdin.resume()
