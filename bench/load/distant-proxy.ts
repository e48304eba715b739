import { connect, createServer, type AddressInfo, type Socket } from "node:net"

/** A proxy that delays forwarded data as a distant network would. */
export interface DistantProxy extends AsyncDisposable {
  readonly port: number
}

/**
 * @param target the port of the server on this machine.
 * @param roundTrip the added round-trip time in milliseconds.
 */
export async function startDistantProxy(target: number, roundTrip: number): Promise<DistantProxy> {
  const sockets = new Set<Socket>()
  const passOn = (from: Socket, to: Socket): void => {
    sockets.add(from)
    from.setNoDelay(true)
    // The data stays in order, because timers of equal length fire in the order of their creation.
    from.on("data", (bytes) => setTimeout(() => to.write(bytes), roundTrip / 2))
    from.on("end", () => setTimeout(() => to.end(), roundTrip / 2))
    from.on("error", () => to.destroy())
    from.on("close", () => sockets.delete(from))
  }
  const server = createServer((near) => {
    const far = connect(target, "127.0.0.1")
    passOn(near, far)
    passOn(far, near)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
