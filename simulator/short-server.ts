const BODY = '{"id":"chatcmpl-short","object":"chat.completion","choices":[{"index":0,"mess'
const RESPONSE = [
  "HTTP/1.1 200 OK",
  "content-type: application/json",
  `content-length: ${BODY.length * 2}`,
  "",
  BODY,
].join("\r\n")

/**
 * Starts a server that answers every request with half of the bytes that the `content-length` states, and then closes
 * the connection. `Bun.serve` always sends the correct length, so this fault needs a separate socket.
 */
export function startShortServer(hostname: string): { url: string; stop(): void } {
  const listener = Bun.listen({
    hostname,
    port: 0,
    socket: {
      data(socket) {
        socket.end(RESPONSE)
      },
    },
  })
  return { url: `http://${hostname}:${listener.port}`, stop: () => listener.stop(true) }
}
