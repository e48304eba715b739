import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib"
import { responseOf, startRawServer } from "./raw-server.ts"
import { until } from "../../support/until.ts"
import { bodyOf, send, setUp, tearDown, textOf } from "./client-world.ts"

beforeEach(setUp)
afterEach(tearDown)

describe("a response in the HTTP client", () => {
  test("has its status, its headers and its chunks", async () => {
    using server = startRawServer(({ socket }) => {
      socket.write(
        "HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\ntransfer-encoding: chunked\r\n\r\n2\r\nno\r\n",
      )
    })
    const sending = send(server.url)
    const response = await sending.response
    expect(response).toMatchObject({ status: 404, ok: false })
    expect([response.header("content-type"), response.header("x-none")]).toEqual([
      "text/plain",
      null,
    ])
    expect(Buffer.from((await response.body.next()).value ?? []).toString()).toBe("no")
    server.sides[0]?.socket.write("2\r\npe\r\n0\r\n\r\n")
    expect(Buffer.from((await response.body.next()).value ?? []).toString()).toBe("pe")
    expect((await response.body.next()).done).toBe(true)
  })

  test.each([
    ["gzip", gzipSync],
    ["br", brotliCompressSync],
    ["deflate", deflateSync],
    ["zstd", zstdCompressSync],
  ] as const)(
    "has its body decompressed even if the client did not request compression: %s",
    async (coding, compress) => {
      const text = JSON.stringify({ long: "é".repeat(100_000) })
      using server = Bun.serve({
        port: 0,
        fetch: () =>
          new Response(new Uint8Array(compress(text)), { headers: { "content-encoding": coding } }),
      })
      expect(await textOf(send(server.url.href))).toBe(text)
      expect(await textOf(send(server.url.href))).toBe(text)
    },
  )

  test("can be empty even if it is declared as compressed", async () => {
    const coding = "content-encoding: gzip\r\n"
    using server = startRawServer(({ socket }) => void socket.write(responseOf("", coding)))
    expect(await textOf(send(server.url))).toBe("")
    expect(await textOf(send(server.url))).toBe("")
    expect(server.sides).toHaveLength(1)
  })

  test("pauses while it is unread, and is complete when it is read", async () => {
    const size = 20_000_000
    let taken = 0
    using server = Bun.serve({
      port: 0,
      fetch: () =>
        new Response(
          new ReadableStream<Uint8Array>(
            {
              pull(controller) {
                if (taken >= size) return controller.close()
                taken += 100_000
                controller.enqueue(new Uint8Array(100_000))
              },
            },
            { highWaterMark: 0 },
          ),
        ),
    })
    const response = await send(server.url.href).response
    // In the meantime, other requests are answered, so that there is enough time for the whole response to arrive.
    using other = Bun.serve({ port: 0, fetch: () => new Response("x".repeat(100_000)) })
    for (let count = 0; count < size / 100_000; count++) await textOf(send(other.url.href))
    expect(taken).toBeLessThan(size)
    let received = 0
    for await (const chunk of response.body) received += chunk.byteLength
    expect(received).toBe(size)
    expect(await textOf(send(server.url.href))).toBe("")
  })

  test("stays complete for a slow reader even after the server has disconnected", async () => {
    using server = startRawServer(({ socket }) => {
      socket.write(`HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n${"x".repeat(200_000)}`)
      socket.end()
    })
    const response = await send(server.url).response
    await until(() => server.sides[0]?.isClosed === true)
    expect((await bodyOf(response)).length).toBe(200_000)
  })

  test.each(["identity", "gzip"])("ends its connection if it is abandoned: %s", async (coding) => {
    using server = startRawServer(
      ({ socket }) =>
        void socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: ${coding}\r\n\r\nbegun`),
    )
    await (await send(server.url).response).body.return?.()
    const { body } = await send(server.url).response
    const read = body.next()
    if (coding === "identity") await read
    else read.catch(() => {})
    await body.return?.()
    await until(() => server.sides.length === 2 && server.sides.every(({ isClosed }) => isClosed))
  })
})
