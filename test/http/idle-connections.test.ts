import { afterAll, beforeAll, expect, spyOn, test } from "bun:test"
import { connect } from "node:net"
import { startGateway, type TestCaller, type TestGateway } from "../support/gateway.ts"

/** The shortest idle timeout of the runtime. It replaces the timeouts that the gateway sets. */
const SHORT_SECONDS = 4
/** The runtime checks idle timeouts every four seconds. */
const MAX_IDLE_MS = 20_000

let gateway: TestGateway
let caller: TestCaller

beforeAll(async () => {
  const start = Bun.serve
  const serve = spyOn(Bun, "serve").mockImplementation(((options: Bun.Serve.Options<undefined>) => {
    const server = start(options)
    const setTimeoutOf = server.timeout.bind(server)
    server.timeout = (request, seconds) => setTimeoutOf(request, Math.min(seconds, SHORT_SECONDS))
    return server
  }) as typeof Bun.serve)
  gateway = await startGateway({
    models: {
      "sim/tts-1": { kind: "speech", price: { character: "1" } },
      "sim/embed": { kind: "embedding", price: { input: "1" } },
    },
  })
  serve.mockRestore()
  caller = await gateway.caller("100")
})

afterAll(() => gateway[Symbol.asyncDispose]())

/** Sends a request, and resolves with the status when the gateway closes the idle connection. */
function statusOfClosed(path: string, body: object, headers: readonly string[]): Promise<string> {
  const text = JSON.stringify(body)
  const { promise, resolve } = Promise.withResolvers<string>()
  const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1")
  let received = ""
  const timer = setTimeout(() => {
    resolve(`open after: ${received.slice(0, 12)}`)
    socket.destroy()
  }, MAX_IDLE_MS)
  socket.on("data", (bytes) => (received += bytes.toString("latin1")))
  socket.on("close", () => {
    clearTimeout(timer)
    resolve(received.slice("HTTP/1.1 ".length, "HTTP/1.1 200".length))
  })
  socket.write(
    [
      `POST ${path} HTTP/1.1`,
      "host: gateway",
      `authorization: Bearer ${caller.key}`,
      "content-type: application/json",
      `content-length: ${Buffer.byteLength(text)}`,
      ...headers,
      "",
      text,
    ].join("\r\n"),
  )
  return promise
}

const CHAT = {
  model: "sim/echo",
  max_tokens: 10,
  messages: [{ role: "user", content: "hello" }],
}
/** Inputs whose embeddings together exceed one megabyte. */
const MANY = Array.from({ length: 200 }, (_, index) => `text ${index}`)
const GOOGLE = { contents: [{ role: "user", parts: [{ text: "hello" }] }] }

const CASES = [
  ["a chat", "200", "/v1/chat/completions", CHAT, []],
  ["a stream", "200", "/v1/chat/completions", { ...CHAT, stream: true }, []],
  ["a large answer", "200", "/v1/embeddings", { model: "sim/embed", input: MANY }, []],
  ["a rejected chat", "404", "/v1/chat/completions", { ...CHAT, model: "none" }, []],
  ["a chat with a key", "200", "/v1/chat/completions", CHAT, ["idempotency-key: a"]],
  [
    "a stream with a key",
    "200",
    "/v1/chat/completions",
    { ...CHAT, stream: true },
    ["idempotency-key: b"],
  ],
  ["a rejected key", "400", "/v1/chat/completions", CHAT, ["idempotency-key: "]],
  ["a stream of Anthropic", "200", "/v1/messages", { ...CHAT, stream: true }, []],
  ["a stream as an array", "200", "/v1beta/models/sim%2Fecho:streamGenerateContent", GOOGLE, []],
  ["rejected embeddings", "404", "/v1/embeddings", { model: "none", input: "a" }, []],
  ["speech", "200", "/v1/audio/speech", { model: "sim/tts-1", voice: "alloy", input: "hello" }, []],
] as const
for (const [name, status, path, body, headers] of CASES) {
  test.concurrent(`an idle connection is closed after ${name}`, async () => {
    expect(await statusOfClosed(path, body, headers)).toBe(status)
  })
}
