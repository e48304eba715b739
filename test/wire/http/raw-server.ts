/** A connection of a raw server, with all data that has arrived so far. */
export interface ServerSide {
  /** The number of the connection, starting at 1. */
  readonly number: number
  readonly socket: Bun.Socket<ServerSide>
  received: string
  isClosed: boolean
}

/** A server that writes raw bytes instead of responses. */
export interface RawServer extends Disposable {
  readonly url: string
  readonly port: number
  readonly sides: readonly ServerSide[]
}

/**
 * Starts a server.
 * @param response called with each chunk that arrives.
 */
export function startRawServer(
  response: (side: ServerSide, chunk: string) => void,
  hostname = "127.0.0.1",
  tls?: { key: string; cert: string },
): RawServer {
  const sides: ServerSide[] = []
  const server = Bun.listen<ServerSide>({
    hostname,
    port: 0,
    ...(tls === undefined ? {} : { tls }),
    socket: {
      open(socket) {
        socket.data = { number: sides.length + 1, socket, received: "", isClosed: false }
        sides.push(socket.data)
      },
      data(socket, bytes) {
        const chunk = bytes.toString("latin1")
        socket.data.received += chunk
        response(socket.data, chunk)
      },
      close(socket) {
        // A connection whose certificate was rejected was never open.
        const side: ServerSide | undefined = socket.data
        if (side) side.isClosed = true
      },
    },
  })
  const { port } = server
  const host = hostname.includes(":") ? `[${hostname}]` : hostname
  const scheme = tls === undefined ? "http" : "https"
  return {
    url: `${scheme}://${host}:${port}`,
    port,
    sides,
    [Symbol.dispose]: () => server.stop(true),
  }
}

/** Returns a complete response. */
export function responseOf(body: string, headers = "", status = "200 OK"): string {
  return `HTTP/1.1 ${status}\r\n${headers}content-length: ${body.length}\r\n\r\n${body}`
}
