/** A request that a receiver of notices has received. */
export interface Received {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface Receiver extends Disposable {
  readonly url: string
  readonly received: readonly Received[]
}

/**
 * Starts a web server that receives notices.
 * @param response returns the response, given the number of earlier requests.
 */
export function startReceiver(
  response: (count: number) => Response = () => new Response("taken"),
): Receiver {
  const received: Received[] = []
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      received.push({
        path: new URL(request.url).pathname,
        headers: Object.fromEntries(request.headers),
        body: await request.text(),
      })
      return response(received.length - 1)
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    received,
    [Symbol.dispose]: () => void server.stop(true),
  }
}
