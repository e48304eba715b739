/** The range ends below the ports that Linux and macOS choose for outgoing connections and for port 0. */
const FIRST_PORT = 10_000
const PORTS = 22_000
/** Test processes start at distant ports. */
const PORTS_PER_PROCESS = 97

let next = process.pid * PORTS_PER_PROCESS

/**
 * Returns a free port for a server whose port must be known before it listens. No connection and no other server of
 * the tests takes the port in the meantime, even while the server restarts.
 */
export function freePort(): number {
  for (;;) {
    const port = FIRST_PORT + (next++ % PORTS)
    try {
      Bun.listen({ hostname: "127.0.0.1", port, socket: { data() {} } }).stop(true)
      return port
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error
    }
  }
}
