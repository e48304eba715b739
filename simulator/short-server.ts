const BODY = '{"id":"chatcmpl-short","object":"chat.completion","choices":[{"index":0,"mess'
const ANSWER = [
  "HTTP/1.1 200 OK",
  "content-type: application/json",
  `content-length: ${BODY.length * 2}`,
  "",
  BODY,
].join("\r\n")

/**
 * Answers every request with half of the bytes that its `content-length` promises, then closes. `Bun.serve` always
 * sends the true length, so this fault needs a socket of its own.
 */
export function startShortServer(hostname: string): { url: string; stop(): void } {
  const listener = Bun.listen({
    hostname,
    port: 0,
    socket: {
      data(socket) {
        socket.end(ANSWER)
      },
    },
  })
  return { url: `http://${hostname}:${listener.port}`, stop: () => listener.stop(true) }
}
