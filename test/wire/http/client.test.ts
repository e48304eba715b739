import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { responseOf, startRawServer } from "./raw-server.ts"
import { until } from "../../support/until.ts"
import {
  bodyOf,
  client,
  failureOf,
  send,
  setUp,
  streamOf,
  tearDown,
  textOf,
} from "./client-world.ts"

beforeEach(setUp)
afterEach(tearDown)

describe("a request of the HTTP client", () => {
  test("has the requested line, the host, and its length in bytes", async () => {
    using server = startRawServer(({ socket }) => void socket.write(responseOf("ok")))
    const url = `${server.url}/v1/a%20b?x=1#y`
    expect(await textOf(send(url, '{"a":"é€"}', { "X-Key": "k", accept: "*/*" }))).toBe("ok")
    expect(server.sides[0]?.received).toBe(
      [
        "POST /v1/a%20b?x=1 HTTP/1.1",
        `host: 127.0.0.1:${server.port}`,
        "accept: */*",
        "x-key: k",
        "content-length: 13",
        "",
        Buffer.from('{"a":"é€"}').toString("latin1"),
      ].join("\r\n"),
    )
  })

  test("can have bytes, or a stream with a known or unknown length", async () => {
    using server = startRawServer((side) => {
      if (side.received.endsWith("end") || side.received.endsWith("\r\n0\r\n\r\n")) {
        side.socket.write(responseOf("ok", "connection: close\r\n"))
      }
    })
    const bodies = [
      new TextEncoder().encode("the end"),
      streamOf("the", " end"),
      streamOf("", "the", "", " end"),
    ]
    await textOf(send(server.url, bodies[0]))
    await textOf(send(server.url, bodies[1], { "content-length": "7" }))
    await textOf(send(server.url, bodies[2]))
    const [bytes, known, unknown] = server.sides.map(({ received }) => received)
    expect(bytes).toEndWith("\r\ncontent-length: 7\r\n\r\nthe end")
    expect(known).toEndWith("\r\ncontent-length: 7\r\n\r\nthe end")
    expect(unknown).toEndWith(
      "\r\ntransfer-encoding: chunked\r\n\r\n3\r\nthe\r\n4\r\n end\r\n0\r\n\r\n",
    )
  })

  test("fails if its body fails or differs from the declared length", async () => {
    using server = startRawServer(() => {})
    const broken = new ReadableStream<Uint8Array>({
      pull: () => Promise.reject(new Error("no more")),
    })
    const headers = { "content-length": "5" }
    for (const [body, message] of [
      [streamOf("four"), "the body is shorter than announced"],
      [streamOf("f", "iverr"), "the body is longer than announced"],
      [broken, "no more"],
    ] as const) {
      expect(await failureOf(send(server.url, body, headers).response)).toMatchObject({ message })
    }
    await until(() => server.sides.every(({ isClosed }) => isClosed))
    for (const { received } of server.sides) expect(received).not.toContain("iverr")
  })

  test("arrives completely even if the server reads slowly", async () => {
    const text = "é0123456789".repeat(400_000)
    const bytes = Buffer.from(text)
    using server = Bun.serve({
      port: 0,
      async fetch(request) {
        const hash = new Bun.CryptoHasher("sha256")
        for await (const chunk of request.body ?? []) {
          await Bun.sleep(1)
          hash.update(chunk)
        }
        return new Response(hash.digest("hex"))
      },
    })
    const expected = new Bun.CryptoHasher("sha256").update(bytes).digest("hex")
    const chunks = Array.from({ length: 44 }, (_, index) =>
      text.slice(index * 100_000, (index + 1) * 100_000),
    )
    expect(await textOf(send(server.url.href, text))).toBe(expected)
    expect(await textOf(send(server.url.href, new Uint8Array(bytes)))).toBe(expected)
    expect(await textOf(send(server.url.href, streamOf(...chunks)))).toBe(expected)
  })

  test("cannot contain a line break in a header", () => {
    expect(() => new Headers({ "x-a": "b\r\nx-c: d" })).toThrow()
    expect(() => client.send({ url: "no address", headers: new Headers(), body: "" })).toThrow(
      TypeError,
    )
  })
})

describe("connections of the HTTP client", () => {
  const numbered = () =>
    startRawServer(({ number, socket }) => void socket.write(responseOf(`on ${number}`)))

  test("serve requests one after another, and never two at the same time", async () => {
    using server = numbered()
    expect(await textOf(send(server.url))).toBe("on 1")
    expect(await textOf(send(`${server.url}/else`))).toBe("on 1")
    const both = await Promise.all([send(server.url), send(server.url)].map(textOf))
    expect(both.toSorted()).toEqual(["on 1", "on 2"])
  })

  test.each([
    ["closed by its server", responseOf("ok", "connection: close\r\n")],
    ["with data after its answer", `${responseOf("ok")}HTTP/1.1 200 OK\r\n`],
    [
      "with an answer with two ends",
      "HTTP/1.1 200 OK\r\ncontent-length: 9\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
    ],
  ])("close instead of serving another request: %s", async (_, response) => {
    using server = startRawServer(({ socket }) => void socket.write(response))
    for (const count of [1, 2]) {
      expect(await textOf(send(server.url))).toBe("ok")
      expect(server.sides).toHaveLength(count)
    }
    await until(() => server.sides.every(({ isClosed }) => isClosed))
  })

  test("close if they receive unexpected data while idle", async () => {
    using server = numbered()
    expect(await textOf(send(server.url))).toBe("on 1")
    server.sides[0]?.socket.write(responseOf("whose is this?"))
    await until(() => server.sides[0]?.isClosed === true)
    expect(await textOf(send(server.url))).toBe("on 2")
  })

  test("close after a server has answered before the request is complete", async () => {
    using server = startRawServer(
      (side) => void side.socket.write(responseOf("too much", "", "413 No")),
    )
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(10_000)),
    })
    const response = await send(server.url, endless).response
    expect([response.status, await bodyOf(response)]).toEqual([413, "too much"])
    await until(() => server.sides[0]?.isClosed === true)
  })

  test("close when the client is disposed", async () => {
    using server = startRawServer(() => {})
    const sending = send(server.url)
    await until(() => server.sides[0]?.received !== undefined && server.sides[0].received !== "")
    client[Symbol.dispose]()
    server.sides[0]?.socket.write(responseOf("late"))
    expect(await textOf(sending)).toBe("late")
    await until(() => server.sides[0]?.isClosed === true)
  })

  test("cause one retry of the request if the server has closed them", async () => {
    using server = startRawServer(({ number, socket, received }) => {
      const isSecond = received.split("POST ").length > 2
      if (isSecond) socket.terminate()
      else socket.write(responseOf(`on ${number}`))
    })
    expect(await textOf(send(server.url))).toBe("on 1")
    expect(await textOf(send(server.url))).toBe("on 2")
  })

  test.each([
    ["a new one", (isKept: boolean) => !isKept, "{}"],
    ["one that has begun to answer", (isKept: boolean) => isKept, "{}"],
  ])("cause no retry of the request if they break: %s", async (_, breaks) => {
    using server = startRawServer(({ socket, received }) => {
      const isKept = received.split("POST ").length > 2
      if (!breaks(isKept)) socket.write(responseOf("ok"))
      else {
        if (isKept) socket.write("HTTP/1.1 200 OK\r\n")
        socket.end()
      }
    })
    const first = await failureOf(textOf(send(server.url)))
    const failure = first ?? (await failureOf(textOf(send(server.url))))
    expect(failure).toBeInstanceOf(Error)
    expect(server.sides).toHaveLength(1)
  })
})

describe("an aborted request of the HTTP client", () => {
  test("rejects if it is aborted before or during the response, and closes the connection", async () => {
    using server = startRawServer(({ number, socket }) => {
      if (number === 2) socket.write("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nbegun")
    })
    const first = send(server.url)
    await until(() => server.sides.length === 1)
    first.abort()
    expect(await failureOf(first.response)).toMatchObject({ message: "the request was given up" })
    const second = send(server.url)
    const { body } = await second.response
    await body.next()
    const waiting = failureOf(body.next())
    second.abort()
    expect(await waiting).toMatchObject({ message: "the request was given up" })
    await until(() => server.sides.every(({ isClosed }) => isClosed))
  })

  test("cancels the body that it is still sending", async () => {
    using server = startRawServer(() => {})
    const cancelled = Promise.withResolvers<void>()
    const sending = send(
      server.url,
      new ReadableStream({ pull: () => new Promise(() => {}), cancel: () => cancelled.resolve() }),
    )
    await until(() => server.sides[0]?.received.endsWith("\r\n\r\n") === true)
    sending.abort()
    await cancelled.promise
    expect(await failureOf(sending.response)).toBeInstanceOf(Error)
  })

  test("never reaches the server if it has no connection yet", async () => {
    using server = startRawServer(({ socket }) => void socket.write(responseOf("ok")))
    const sending = send(server.url)
    expect(sending.isConnected).toBe(false)
    sending.abort()
    expect(await failureOf(sending.response)).toBeInstanceOf(Error)
    expect(await textOf(send(server.url))).toBe("ok")
    expect(server.sides.map(({ received }) => received).filter((text) => text !== "")).toHaveLength(
      1,
    )
  })

  test("affects no other request if it is aborted after its response", async () => {
    using server = startRawServer(
      ({ number, socket }) => void socket.write(responseOf(`on ${number}`)),
    )
    const first = send(server.url)
    expect(await textOf(first)).toBe("on 1")
    const second = send(server.url)
    first.abort()
    expect(await textOf(second)).toBe("on 1")
  })
})

describe("an address in the HTTP client", () => {
  test.each(["127.0.0.1", "::1"])("resolves to %s for localhost", async (hostname) => {
    using server = startRawServer(({ socket }) => void socket.write(responseOf("ok")), hostname)
    expect(await textOf(send(`http://localhost:${server.port}/`))).toBe("ok")
    expect(await textOf(send(server.url))).toBe("ok")
  })

  test.each([
    "http://127.0.0.1:1/",
    "http://nowhere.invalid/",
    "https://127.0.0.1:1/",
    "http://255.255.255.255/",
  ])("causes an error if no server listens at it: %s", async (url) => {
    expect(await failureOf(send(url).response)).toBeInstanceOf(Error)
  })

  test("uses its proxy for requests", async () => {
    using proxy = startRawServer(({ socket }) => void socket.write(responseOf("by proxy")))
    const script = `
      const { HttpClient } = await import(${JSON.stringify(import.meta.resolve("../../../src/wire/http/client.ts"))})
      const sending = new HttpClient(process.env).send({ url: "http://vendor.invalid/v1", headers: new Headers({ a: "b" }), body: "{}" })
      const answer = await sending.response
      console.log(answer.status, answer.ok, answer.header("content-length"), String(Buffer.concat(await Array.fromAsync(answer.body))))
      process.exit()`
    const child = Bun.spawn([process.execPath, "-e", script], {
      env: { http_proxy: proxy.url },
      stderr: "pipe",
    })
    expect(await new Response(child.stdout).text()).toBe("200 true 8 by proxy\n")
    expect(proxy.sides[0]?.received).toStartWith("POST http://vendor.invalid/v1 HTTP/1.1\r\n")
  })
})
