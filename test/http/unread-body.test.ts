import { afterAll, beforeAll, expect, spyOn, test } from "bun:test"
import { connect } from "node:net"
import { startGateway, type TestCaller, type TestGateway } from "../support/gateway.ts"
import { servedTime } from "../support/served-time.ts"
import { until } from "../support/until.ts"

const MEGABYTE = 2 ** 20
/** Maximum time in milliseconds. The slow phases end after ten seconds, or later on a busy machine. */
const LIMIT_MS = 30_000

let gateway: TestGateway
let caller: TestCaller
let poor: TestCaller

beforeAll(async () => {
  gateway = await startGateway({ settings: { adminToken: "admin-token-of-the-tests" } })
  caller = await gateway.caller("10")
  poor = await gateway.caller("0")
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
})

/** A caller with a plain socket that sends its body in parts. */
class Sender implements Disposable {
  readonly socket
  text = ""
  isClosed = false
  error: unknown
  readonly #timers: Timer[] = []

  constructor(head: readonly string[]) {
    const { hostname, port } = new URL(gateway.url)
    this.socket = connect(Number(port), hostname)
    this.socket.on("data", (bytes) => (this.text += bytes.toString("latin1")))
    this.socket.on("error", (error) => (this.error = error))
    this.socket.on("close", () => (this.isClosed = true))
    this.socket.write([...head, "", ""].join("\r\n"))
  }

  drip(byte: string, everyMs: number): void {
    this.#timers.push(setInterval(() => this.socket.write(byte), everyMs))
  }

  [Symbol.dispose](): void {
    for (const timer of this.#timers) clearInterval(timer)
    this.socket.destroy()
  }
}

function headOf(path: string, key: string, length: number | "chunked", type: string): string[] {
  return [
    `POST ${path} HTTP/1.1`,
    "Host: gateway",
    `Authorization: Bearer ${key}`,
    `Content-Type: ${type}`,
    length === "chunked" ? "Transfer-Encoding: chunked" : `Content-Length: ${length}`,
  ]
}

const CHAT = "/v1/chat/completions"
const JSON_TYPE = "application/json"
const WRONG = "sk-tg-wrong"

interface Early {
  readonly status: number
  readonly head: () => readonly string[]
}

/** Requests that are answered before or while their body is read. */
const EARLY: readonly Early[] = [
  { status: 401, head: () => headOf(CHAT, WRONG, 4 * MEGABYTE, JSON_TYPE) },
  {
    status: 401,
    head: () =>
      headOf("/v1/audio/transcriptions", WRONG, MEGABYTE, "multipart/form-data; boundary=x"),
  },
  {
    status: 401,
    head: () => headOf("/v1beta/models/sim/echo:generateContent", WRONG, MEGABYTE, JSON_TYPE),
  },
  { status: 401, head: () => headOf("/v1/v1/chat/completions", WRONG, MEGABYTE, JSON_TYPE) },
  {
    status: 401,
    head: () => headOf("/v1beta/models/sim/echo:generateContent?key=x", WRONG, MEGABYTE, JSON_TYPE),
  },
  {
    status: 401,
    head: () => headOf("/openai/deployments/sim/echo/chat/completions", WRONG, MEGABYTE, JSON_TYPE),
  },
  { status: 401, head: () => headOf("/admin/v1/accounts", "wrong", 100_000, JSON_TYPE) },
  { status: 401, head: () => [...headOf(CHAT, WRONG, MEGABYTE, JSON_TYPE), "Idempotency-Key: a"] },
  { status: 413, head: () => headOf(CHAT, caller.key, 16 * MEGABYTE, JSON_TYPE) },
  { status: 415, head: () => headOf(CHAT, caller.key, MEGABYTE, "text/html") },
  { status: 404, head: () => headOf("/v1/nothing", caller.key, MEGABYTE, JSON_TYPE) },
  { status: 405, head: () => headOf("/v1/models", caller.key, MEGABYTE, JSON_TYPE) },
]

test.concurrent("early errors close the connections of 150 clients that send their bodies slowly", async () => {
  const senders: Sender[] = []
  using stack = new DisposableStack()
  for (let count = 0; count < 150; count++) {
    const early = EARLY[count % EARLY.length]
    if (!early) continue
    const sender = stack.use(new Sender(early.head()))
    sender.drip(" ", 200 + count)
    senders.push(sender)
  }
  const closed = () => until(() => senders.every(({ isClosed }) => isClosed))
  expect(await servedTime(closed)).toBeLessThan(LIMIT_MS)
  for (const [index, { text }] of senders.entries()) {
    const status = EARLY[index % EARLY.length]?.status ?? 0
    expect(text).toStartWith(`HTTP/1.1 ${status} `)
    expect(text).toContain("request_id")
    expect(text).toEndWith(text.includes("chunked") ? "\r\n0\r\n\r\n" : "}")
  }
})

test.concurrent("early errors after a part of the body close the connections of clients that send the rest slowly", async () => {
  const deep = "[".repeat(2_000)
  using sender = new Sender(headOf(CHAT, caller.key, MEGABYTE, JSON_TYPE))
  sender.socket.write(deep)
  sender.drip("[", 100)
  await until(() => sender.isClosed)
  expect(sender.text).toStartWith("HTTP/1.1 400 ")
  expect(sender.text).toContain("nested deeper")
})

test("early errors reach clients that send all of a large body first", async () => {
  for (const { status, head } of EARLY) {
    const lines = head()
    const length = Number(/Content-Length: (\d+)/.exec(lines.join("\n"))?.[1])
    using sender = new Sender(lines)
    sender.socket.pause()
    const body = Buffer.alloc(length, 0x20)
    const isSent = Promise.withResolvers<void>()
    sender.socket.write(body, () => isSent.resolve())
    await isSent.promise
    sender.socket.resume()
    await until(() => /"request_id"[^]*\}/.test(sender.text))
    expect(sender.text).toStartWith(`HTTP/1.1 ${status} `)
    expect(sender.error).toBeUndefined()
  }
})

test("early errors reach clients that first send far more than the body limit", async () => {
  const length = 100 * MEGABYTE
  for (const [key, status] of [
    [WRONG, 401],
    [caller.key, 413],
  ] as const) {
    using sender = new Sender(headOf(CHAT, key, length, JSON_TYPE))
    sender.socket.pause()
    for (let sent = 0; sent < length; sent += MEGABYTE) {
      const isSent = Promise.withResolvers<unknown>()
      sender.socket.write(Buffer.alloc(MEGABYTE, 0x20), isSent.resolve)
      await isSent.promise
      expect(sender.error).toBeUndefined()
    }
    sender.socket.resume()
    await until(() => /"request_id"[^]*\}/.test(sender.text))
    expect(sender.text).toStartWith(`HTTP/1.1 ${status} `)
  }
})

test("early errors reach clients that send their body in parts", async () => {
  using sender = new Sender(headOf(CHAT, poor.key, "chunked", JSON_TYPE))
  using wrong = new Sender(headOf(CHAT, WRONG, 4 * MEGABYTE, JSON_TYPE))
  for (let part = 0; part < 8; part++) {
    wrong.socket.write(Buffer.alloc(MEGABYTE / 2, 0x20))
    await Bun.sleep(50)
  }
  await until(() => wrong.isClosed)
  expect(wrong.error).toBeUndefined()
  expect(wrong.text).toStartWith("HTTP/1.1 401 ")
  expect(wrong.text).toEndWith("\r\n0\r\n\r\n")
  sender.socket.write("5\r\n[1,2]\r\n0\r\n\r\n")
  await until(() => sender.text.includes("request_id"))
  expect(sender.text).toStartWith("HTTP/1.1 402 ")
})

test("early errors reach clients that wait before they send their body", async () => {
  using sender = new Sender(headOf(CHAT, WRONG, 4 * MEGABYTE, JSON_TYPE))
  await until(() => sender.isClosed)
  expect(sender.error).toBeUndefined()
  expect(sender.text).toEndWith("\r\n0\r\n\r\n")
})

test("a connection stays open after an early error if the whole body has already arrived", async () => {
  const body = "x".repeat(1_000)
  using sender = new Sender(headOf(CHAT, WRONG, body.length, JSON_TYPE))
  for (let request = 1; request <= 3; request++) {
    sender.socket.write(body)
    await until(() => sender.text.split("request_id").length > request)
    expect(sender.text.toLowerCase()).not.toContain("connection: close")
    sender.socket.write([...headOf(CHAT, WRONG, body.length, JSON_TYPE), "", ""].join("\r\n"))
  }
})

test("a connection is closed after a GET request that declares a body", async () => {
  for (const line of ["Content-Length: 100", "Transfer-Encoding: chunked"]) {
    using sender = new Sender(["GET /healthz HTTP/1.1", "Host: gateway", line])
    sender.drip(line.startsWith("C") ? "x" : "1\r\nx\r\n", 100)
    await until(() => sender.isClosed)
    expect(sender.text).toStartWith("HTTP/1.1 200 ")
  }
})

const PATHS = ["/healthz", "/v1/models", "/admin/v1/session", "/nothing", "/console/"]

test("requests with several host headers or an invalid host header are rejected", async () => {
  const hosts = [
    ["Host: a", "Host: b"],
    ["Host: a", "Host: a"],
    ["Host: a", "X-Other: 1", "hOST: b"],
    ["Host: a, b"],
    ["Host: a/b"],
    ["Host: a b"],
    ["Host: user@a"],
    ["Host: [::1%25eth0]:80"],
    ["Host: [::1"],
    ["Host: a:b"],
    ["Host: a:65536"],
    ["Host: 1.2.3.256"],
    ["Host: a%zz"],
    ["Host: a<b"],
    ["Host:"],
    [],
  ]
  for (const path of PATHS) {
    for (const lines of hosts) {
      using sender = new Sender([`GET ${path} HTTP/1.1`, ...lines])
      await until(() => sender.isClosed)
      expect([path, lines, sender.text.slice(0, 13)]).toEqual([path, lines, "HTTP/1.1 400 "])
      if (lines.length > 0) expect(sender.text).toContain('"param":"host"')
    }
  }
})

test("requests with one valid host header are accepted", async () => {
  for (const host of [
    "a",
    "a.example:8787",
    "127.0.0.1:80",
    "[::1]:8787",
    "xn--bcher-kva.example",
  ]) {
    using sender = new Sender(["GET /healthz HTTP/1.1", `Host: ${host}`, "Connection: close"])
    await until(() => sender.isClosed)
    expect([host, sender.text.slice(0, 13)]).toEqual([host, "HTTP/1.1 200 "])
  }
})

test("HTTP/1.0 requests without a host header are accepted", async () => {
  for (const path of PATHS) {
    using sender = new Sender([`GET ${path} HTTP/1.0`])
    await until(() => sender.isClosed)
    expect([path, sender.text.slice(9, 10)]).not.toEqual([path, "5"])
  }
})

test.each(["*", "a.example:443", "a.example:99999", "[::1", "https:443"])(
  "CONNECT requests to %j are rejected",
  async (target) => {
    for (const head of [
      [`CONNECT ${target} HTTP/1.1`, "Host: a"],
      [`CONNECT ${target} HTTP/1.0`],
    ]) {
      using sender = new Sender(head)
      await until(() => sender.isClosed)
      expect([head, sender.text.slice(0, 13)]).toEqual([head, "HTTP/1.1 400 "])
      expect(sender.text).toContain("needs a path")
    }
  },
)

test("CONNECT requests with a path are rejected as an unsupported method", async () => {
  for (const path of ["/v1/models", "http://a.example/v1/models"]) {
    using sender = new Sender([`CONNECT ${path} HTTP/1.1`, "Host: a", "Connection: close"])
    await until(() => sender.isClosed)
    expect([path, sender.text.slice(0, 13)]).toEqual([path, "HTTP/1.1 405 "])
  }
})

const TINY_CHUNKS = 50_000
/** Maximum number of reads. A read may return few chunks if the network delivers few at once. */
const MAX_READS = TINY_CHUNKS / 10

test.each([
  ["a body for an unknown path", "/nothing", "sk-tg-wrong", 404],
  ["a body without a valid key", "/v1/chat/completions", "sk-tg-wrong", 401],
  ["a JSON body", "/v1/chat/completions", undefined, 400],
  ["a form", "/v1/audio/transcriptions", undefined, 400],
] as const)("many tiny chunks of %s are joined into few reads", async (_, path, key, status) => {
  const type = path.includes("audio") ? "multipart/form-data; boundary=x" : "application/json"
  const read = spyOn(ReadableStreamDefaultReader.prototype, "read")
  try {
    using sender = new Sender(headOf(path, key ?? caller.key, "chunked", type))
    sender.socket.write(`${"1\r\n \r\n".repeat(TINY_CHUNKS)}0\r\n\r\n`)
    await until(() => sender.text.startsWith(`HTTP/1.1 ${status}`))
    expect(read.mock.calls.length).toBeLessThan(MAX_READS)
  } finally {
    read.mockRestore()
  }
})
