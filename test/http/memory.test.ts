import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { connect, type Socket } from "node:net"
import { wave } from "../support/audio.ts"
import { startGateway, type TestCaller, type TestGateway } from "../support/gateway.ts"
import { CHAT, errorOf, HELLO, nothingHeld } from "../relay/support.ts"
import { until } from "../support/until.ts"

const MEGABYTE = 1024 * 1024
/** Memory limit in bytes. 48 MB of it are for bodies, three times the size of the largest body. */
const MEMORY = 64 * MEGABYTE
const LARGEST = 16 * MEGABYTE

let gateway: TestGateway

beforeAll(async () => {
  gateway = await startGateway({
    pace: { bytes: 64 * 1024, window: 1_000 },
    models: {
      "sim/tts-1": { kind: "speech", price: { character: "1" } },
      "sim/whisper-1": { kind: "transcription", price: { second: "1" } },
      "sim/embed": { kind: "embedding", price: { input: "1" } },
    },
    settings: {
      limits: {
        bodyBytes: 20 * MEGABYTE,
        mediaBytes: MEGABYTE,
        responseBytes: LARGEST,
        memoryBytes: MEMORY,
        mediaPrivate: false,
      },
    },
  })
})

afterAll(() => gateway[Symbol.asyncDispose]())

/** A request whose body begins and does not end. */
class Unfinished implements Disposable {
  text = ""
  isClosed = false
  readonly socket: Socket

  /** @param length the announced number of bytes; undefined: the body is chunked. */
  constructor(key: string, length: number | undefined, path = CHAT, type = "application/json") {
    const { hostname, port } = new URL(gateway.url)
    this.socket = connect(Number(port), hostname)
    this.socket.on("data", (chunk) => {
      this.text += chunk.toString("latin1")
    })
    this.socket.on("error", () => {})
    this.socket.on("close", () => {
      this.isClosed = true
    })
    const framing =
      length === undefined ? "transfer-encoding: chunked" : `content-length: ${length}`
    this.socket.write(
      `POST ${path} HTTP/1.1\r\nhost: gateway\r\nauthorization: Bearer ${key}\r\ncontent-type: ${type}\r\n${framing}\r\n\r\n`,
    )
  }

  get status(): number {
    return Number(this.text.slice(9, 12))
  }

  [Symbol.dispose](): void {
    this.socket.destroy()
  }
}

/**
 * Sends a request that needs the memory of all bodies. If the memory is available, the response is 404 because the
 * model is unknown.
 */
function largest(caller: TestCaller): Promise<Response> {
  const start = `{"model":"none/none","messages":${JSON.stringify(HELLO)},"x":"`
  return caller.post(CHAT, `${start}${"a".repeat(LARGEST - 2_048)}"}`)
}

async function expectNothingHeld(caller: TestCaller): Promise<void> {
  await until(async () => {
    const { status } = await largest(caller)
    return status === 404
  })
}

async function expectServed(caller: TestCaller): Promise<void> {
  const response = await caller.post(CHAT, { model: "sim/echo", messages: HELLO })
  expect(response.status).toBe(200)
  await response.text()
}

describe("endless request bodies", () => {
  test("use only a part of the memory, so that other requests are served", async () => {
    const greedy = await gateway.caller()
    const other = await gateway.caller()
    const open = Array.from({ length: 40 }, () => new Unfinished(greedy.key, 4 * MEGABYTE))
    await until(() => open.filter(({ status }) => status === 503).length === 38)
    const rejected = open.find(({ status }) => status === 503)
    expect(rejected?.text).toMatch(/retry-after: 2/i)
    expect(rejected?.text).toContain('"error_type":"overloaded"')
    expect(rejected?.text).toContain('"code":"overloaded"')
    await expectServed(greedy)
    const { status } = await other.post(CHAT, {
      model: "none/none",
      messages: HELLO,
      x: "a".repeat(7 * MEGABYTE),
    })
    expect(status).toBe(404)
    for (const one of open) one[Symbol.dispose]()
    await expectNothingHeld(other)
  })

  test("cannot exceed the size limit if they declare no length", async () => {
    const greedy = await gateway.caller()
    const chunk = `${(64 * 1024).toString(16)}\r\n${" ".repeat(64 * 1024)}\r\n`
    const open = Array.from({ length: 12 }, () => new Unfinished(greedy.key, undefined))
    for (const { socket } of open) for (let sent = 0; sent < 40; sent++) socket.write(chunk)
    await until(() => open.some(({ status }) => status === 503))
    await expectServed(greedy)
    for (const one of open) one[Symbol.dispose]()
    await expectNothingHeld(greedy)
  })

  test("fail if they arrive too slowly, as JSON or as forms", async () => {
    const caller = await gateway.caller()
    const form = "multipart/form-data; boundary=x"
    const kinds: readonly [path: string, type: string][] = [
      [CHAT, "application/json"],
      ["/v1/audio/transcriptions", form],
      ["/v1/images/edits", form],
    ]
    const cut = kinds.map(async ([path, type]) => {
      using slow = new Unfinished(caller.key, 8 * MEGABYTE, path, type)
      const drip = setInterval(() => slow.socket.write(" "), 20)
      await until(() => slow.isClosed)
      clearInterval(drip)
      expect(slow.status).toBe(503)
      expect(slow.text).toContain("arrived at less than")
    })
    await Promise.all(cut)
    await expectNothingHeld(caller)
  })
})

test("a request body larger than the memory is rejected as too large", async () => {
  const caller = await gateway.caller()
  const body = { model: "sim/echo", messages: HELLO, x: "a".repeat(17 * MEGABYTE) }
  const error = await errorOf(await caller.post(CHAT, body))
  expect(error).toMatchObject({ status: 413, error_type: "body_too_large" })
  expect(error.message).toContain("limits.memory_mb")
})

describe("malicious request bodies", () => {
  test("fail at 200,000 levels of nesting, but not at the maximum", async () => {
    const caller = await gateway.caller()
    const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels)
    for (const [levels, filler] of [
      [10_000, ""],
      [200_000, ""],
      [70, "a".repeat(100_000)],
    ] as const) {
      const body = `{"model":"sim/echo","messages":[],"y":"${filler}","x":${nested(levels)}}`
      const error = await errorOf(await caller.post(CHAT, body))
      expect(error).toMatchObject({ status: 400, error_type: "invalid_json" })
      expect(error.message).toContain("deeper than 64 levels")
    }
    for (const filler of ["", "a".repeat(100_000)]) {
      const body = `{"model":"none/none","messages":${JSON.stringify(HELLO)},"y":"${filler}","x":${nested(60)}}`
      expect((await caller.post(CHAT, body)).status).toBe(404)
    }
  })

  test("fail if an object has more than 10,000 members", async () => {
    const caller = await gateway.caller()
    const membersOf = (count: number): string =>
      Array.from({ length: count }, (_, index) => `"${7919 * index}":0`).join(",")
    const bodyOf = (count: number): string =>
      `{"model":"sim/echo","messages":${JSON.stringify(HELLO)},"metadata":{${membersOf(count)}}}`
    const error = await errorOf(await caller.post(CHAT, bodyOf(10_001)))
    expect(error).toMatchObject({ status: 400, error_type: "invalid_value", param: "metadata" })
    expect(error.message).toContain("10,000 members in one object")
    await expectNothingHeld(caller)
  })

  test("fail if their objects have more than 20,000 members with numeric names", async () => {
    const caller = await gateway.caller()
    const names = Array.from({ length: 9_000 }, (_, index) => index)
    for (const digit of ["", String.raw`\u0031`]) {
      const row = `{${names.map((name) => `"${digit}${name}":0`).join(",")}}`
      const body = `{"model":"sim/echo","messages":${JSON.stringify(HELLO)},"x":[${row},${row},${row}]}`
      const error = await errorOf(await caller.post(CHAT, body))
      expect(error).toMatchObject({ status: 400, error_type: "invalid_value", param: "x" })
      expect(error.message).toContain("20,000 members whose names begin with a digit")
    }
    await expectNothingHeld(caller)
  })

  test("fail if the grammar of a tool is too long", async () => {
    const caller = await gateway.caller()
    const format = { type: "grammar", syntax: "lark", definition: 'start: "a"\n'.repeat(10_000) }
    const custom = {
      name: "t",
      format: { type: "grammar", grammar: { syntax: "lark", definition: format.definition } },
    }
    const chat = { model: "sim/echo", messages: HELLO, tools: [{ type: "custom", custom }] }
    const chatError = await errorOf(await caller.post(CHAT, chat))
    expect(chatError).toMatchObject({
      status: 400,
      param: "tools[0].custom.format.grammar.definition",
    })
    const input = { model: "sim/echo", input: "Hi", tools: [{ type: "custom", name: "t", format }] }
    const error = await errorOf(await caller.post("/v1/responses", input))
    expect(error).toMatchObject({ status: 400, param: "tools[0].format.definition" })
    expect(error.message).toContain("65536")
    await expectNothingHeld(caller)
  })

  test("fail if they have a million values", async () => {
    const caller = await gateway.caller()
    for (const values of ["{},".repeat(1_000_000), '{"a":1},'.repeat(300_000)]) {
      const body = `{"model":"sim/echo","messages":[${values}{}]}`
      const error = await errorOf(await caller.post(CHAT, body))
      expect(error).toMatchObject({ status: 400, error_type: "invalid_value", param: "messages" })
      expect(error.message).toContain("200,000 values")
    }
    await expectNothingHeld(caller)
  })
})

test("every request releases its memory, regardless of how it ends", async () => {
  const caller = await gateway.caller("1000")
  const x = "a".repeat(50_000)
  const messages = HELLO
  const post = (path: string, body: object, left?: boolean) => async (): Promise<void> => {
    const leaving = new AbortController()
    const response = await fetch(gateway.url + path, {
      method: "POST",
      signal: leaving.signal,
      headers: { authorization: `Bearer ${caller.key}`, "content-type": "application/json" },
      body: JSON.stringify({ ...body, x }),
    })
    if (left === true) return leaving.abort()
    await response.arrayBuffer()
  }
  const form = (bytes: Uint8Array<ArrayBuffer>) => async (): Promise<void> => {
    const data = new FormData()
    data.append("model", "sim/whisper-1")
    data.append("file", new File([bytes], "a.wav", { type: "audio/wav" }))
    const response = await fetch(`${gateway.url}/v1/audio/transcriptions`, {
      method: "POST",
      headers: { authorization: `Bearer ${caller.key}` },
      body: data,
    })
    await response.arrayBuffer()
  }
  const endings = [
    post(CHAT, { model: "sim/echo", messages }),
    post(CHAT, { model: "sim/echo", messages, stream: true }),
    post(CHAT, { model: "sim/echo", messages, stream: true }, true),
    post("/v1/messages", { model: "sim/echo", messages, max_tokens: 10 }),
    post("/v1/responses", { model: "sim/echo", input: "Hello", stream: true }),
    post("/v1/messages/count_tokens", { model: "sim/echo", messages }),
    post(CHAT, { model: "sim/none", messages }),
    post(CHAT, { model: "sim/echo", messages, temperature: 9 }),
    post("/v1/embeddings", { model: "sim/embed", input: "Hello" }),
    post("/v1/audio/speech", { model: "sim/tts-1", input: "Hello", voice: "alloy" }),
    post("/v1/audio/speech", { model: "sim/tts-1", input: "Hello", voice: "alloy" }, true),
    form(wave(1)),
    form(wave(60)),
    form(new Uint8Array(400_000)),
  ]
  for (let round = 0; round < 3; round++) await Promise.all(endings.map((end) => end()))
  await nothingHeld(caller)
  await expectNothingHeld(caller)
})
