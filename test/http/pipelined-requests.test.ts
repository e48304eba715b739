import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test"
import { errorResponse } from "../../src/http/responses.ts"
import { LastResponses } from "../../src/http/last-responses.ts"
import { serve } from "../../src/http/server.ts"
import { TrustedProxies } from "../../src/http/trusted-proxies.ts"

/** Maximum number of requests that may begin in one turn: 64 immediately, and the same number of waiting requests. */
const MAX_PER_TURN = 128
const PATHS = ["/route", "/mount/x", "/elsewhere"]

let server: Bun.Server<undefined>
let begun: number
let begunInTurn = 0
/** Maximum number of requests that began in one turn of the event loop. */
let maxInTurn: number

function handler(): Response {
  if (begunInTurn === 0) setImmediate(() => (begunInTurn = 0))
  begun += 1
  begunInTurn += 1
  maxInTurn = Math.max(maxInTurn, begunInTurn)
  return new Response("ok")
}

beforeAll(() => {
  server = serve(
    { host: "127.0.0.1", port: 0, isShared: false },
    {
      routes: [{ path: "/route", method: "GET", handler, errors: errorResponse }],
      mounts: [{ path: "/mount/*", handler, isLong: false }],
      fallback: handler,
      lastResponses: new LastResponses(),
    },
    { proxies: new TrustedProxies([]) },
  )
})

afterAll(() => server.stop(true))

beforeEach(() => {
  begun = 0
  maxInTurn = 0
})

/**
 * Sends requests in one write.
 * @returns the number of responses until the last response, or until the connection closes.
 */
function pipelined(path: string, count: number): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  let received = ""
  const responses = (): number => received.split("HTTP/1.1 200").length - 1
  void Bun.connect({
    hostname: "127.0.0.1",
    port: server.port ?? 0,
    socket: {
      open: (socket) => {
        socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(count))
      },
      data: (socket, data) => {
        received += data.toString()
        if (responses() < count) return
        resolve(count)
        socket.end()
      },
      close: () => resolve(responses()),
    },
  })
  return promise
}

test.each(PATHS)(
  "the gateway handles a limited number of pipelined requests per event-loop turn: %s",
  async (path) => {
    await Promise.all(Array.from({ length: 20 }, () => pipelined(path, 500)))
    expect(maxInTurn).toBeLessThanOrEqual(MAX_PER_TURN)
  },
)

test.each(PATHS)("each of 1,000 simultaneous connections gets a response: %s", async (path) => {
  const answered = await Promise.all(Array.from({ length: 1_000 }, () => pipelined(path, 1)))
  expect(answered).toEqual(Array.from({ length: 1_000 }, () => 1))
  expect(begun).toBe(1_000)
  expect(maxInTurn).toBeLessThanOrEqual(MAX_PER_TURN)
})

test("a few pipelined requests are answered immediately", async () => {
  for (let round = 0; round < 100; round += 1) expect(await pipelined("/route", 20)).toBe(20)
})
