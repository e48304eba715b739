import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib"
import { startGateway, type TestCaller, type TestGateway } from "../support/gateway.ts"

let gateway: TestGateway
let caller: TestCaller

beforeAll(async () => {
  gateway = await startGateway()
  caller = await gateway.caller("1")
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
})

const CHAT = { model: "sim/echo", messages: [{ role: "user", content: "Hello, packed" }] }
const PACKERS = {
  gzip: gzipSync,
  "x-gzip": gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
  zstd: zstdCompressSync,
}

function send(
  path: string,
  body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>,
  headers: Record<string, string>,
): Promise<Response> {
  const authorization = `Bearer ${caller.key}`
  const type = { "content-type": "application/json" }
  return fetch(gateway.url + path, {
    method: "POST",
    body,
    headers: { authorization, ...type, ...headers },
  })
}

function packed(body: object | string, encoding: keyof typeof PACKERS): Uint8Array<ArrayBuffer> {
  const text = typeof body === "string" ? body : JSON.stringify(body)
  return new Uint8Array(PACKERS[encoding](Buffer.from(text)))
}

/** Returns text that compression reduces to about a fiftieth. */
function repetitive(length: number): string {
  const block = (): string =>
    Buffer.from(crypto.getRandomValues(new Uint8Array(12)))
      .toString("hex")
      .repeat(60)
  return Array.from({ length: Math.ceil(length / 1_440) }, block)
    .join("")
    .slice(0, length)
}

async function rejection(response: Response) {
  const { error } = (await response.json()) as { error: { code: string; message: string } }
  return { status: response.status, code: error.code, message: error.message }
}

describe("compressed request bodies", () => {
  test.each(Object.keys(PACKERS) as (keyof typeof PACKERS)[])(
    "can have the encoding %s",
    async (encoding) => {
      const body = packed(CHAT, encoding)
      const response = await send("/v1/chat/completions", body, { "content-encoding": encoding })
      expect(response.status).toBe(200)
      expect(await response.text()).toContain("Hello, packed")
      const upper = { "content-encoding": encoding.toUpperCase() }
      const counted = await send("/v1/messages/count_tokens", body, upper)
      expect(counted.status).toBe(200)
    },
  )

  test("can be chunked or have the encoding 'identity'", async () => {
    const bytes = packed(CHAT, "gzip")
    const chunks = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let at = 0; at < bytes.length; at += 7) controller.enqueue(bytes.slice(at, at + 7))
        controller.close()
      },
    })
    const response = await send("/v1/chat/completions", chunks, { "content-encoding": "gzip" })
    expect(response.status).toBe(200)
    const plain = new Uint8Array(Buffer.from(JSON.stringify(CHAT)))
    const same = await send("/v1/chat/completions", plain, { "content-encoding": "identity" })
    expect(same.status).toBe(200)
  })

  test("can share an idempotency key with the same uncompressed body", async () => {
    const key = { "idempotency-key": "packed-once" }
    const body = packed(CHAT, "br")
    const first = await send("/v1/chat/completions", body, { "content-encoding": "br", ...key })
    const response = await first.text()
    expect(first.status).toBe(200)
    const again = await send(
      "/v1/chat/completions",
      new Uint8Array(Buffer.from(JSON.stringify(CHAT))),
      key,
    )
    expect(again.headers.get("idempotent-replayed")).toBe("true")
    expect(await again.text()).toBe(response)
  })

  test("cannot expand beyond the size limit of bodies", async () => {
    const body = packed({ ...CHAT, padding: repetitive(8 * 1024 * 1024) }, "gzip")
    expect(body.byteLength).toBeLessThan(400_000)
    for (const headers of [{}, { "idempotency-key": "too-large" }]) {
      const encoded = { "content-encoding": "gzip", ...headers }
      const response = await send("/v1/chat/completions", body, encoded)
      expect(await rejection(response)).toMatchObject({ status: 413, code: "body_too_large" })
    }
  })

  test("cannot expand to more than a hundred times their size", async () => {
    for (const encoding of Object.keys(PACKERS) as (keyof typeof PACKERS)[]) {
      const body = packed({ ...CHAT, padding: "a".repeat(3 * 1024 * 1024) }, encoding)
      for (const headers of [{}, { "idempotency-key": `dense-${encoding}` }]) {
        const encoded = { "content-encoding": encoding, ...headers }
        const response = await send("/v1/chat/completions", body, encoded)
        const { status, code, message } = await rejection(response)
        expect([encoding, status, code]).toEqual([encoding, 413, "body_too_large"])
        expect(message).toContain("100 times its size")
      }
      const small = packed({ ...CHAT, user: "a".repeat(500 * 1024) }, encoding)
      const served = await send("/v1/chat/completions", small, { "content-encoding": encoding })
      expect(served.status).toBe(200)
    }
  })

  test("cannot expand beyond the memory limit of a request", async () => {
    const megabyte = 1024 * 1024
    const limits = { ...gateway.settings.limits, bodyBytes: 512 * megabyte }
    await gateway.app.apply({
      ...gateway.settings,
      limits: { ...limits, memoryBytes: 64 * megabyte },
    })
    const body = packed({ ...CHAT, padding: repetitive(64 * megabyte) }, "zstd")
    const response = await send("/v1/chat/completions", body, { "content-encoding": "zstd" })
    const { status, message } = await rejection(response)
    expect([status, message]).toEqual([413, expect.stringContaining("48 MB of memory")])
    const small = await send("/v1/chat/completions", packed(CHAT, "br"), {
      "content-encoding": "br",
    })
    expect(small.status).toBe(200)
    await gateway.app.apply(gateway.settings)
  })

  test("cause a client error if they are malformed", async () => {
    const plain = new Uint8Array(Buffer.from(JSON.stringify(CHAT)))
    const cut = packed(CHAT, "gzip").slice(0, 40)
    for (const body of [plain, cut]) {
      for (const headers of [{}, { "idempotency-key": `broken-${body.length}` }]) {
        const encoded = { "content-encoding": "gzip", ...headers }
        const response = await send("/v1/chat/completions", body, encoded)
        const { status, message } = await rejection(response)
        expect([status, message]).toEqual([
          400,
          expect.stringContaining("'content-encoding: gzip'"),
        ])
      }
    }
  })
})

describe("an unsupported request encoding", () => {
  test("returns an error that lists the supported encodings", async () => {
    for (const encoding of ["compress", "gzip, br", "aws-chunked", "constructor"]) {
      for (const path of ["/v1/chat/completions", "/v1/messages", "/v1/embeddings"]) {
        const response = await send(path, packed(CHAT, "gzip"), { "content-encoding": encoding })
        expect([encoding, response.status]).toEqual([encoding, 415])
        expect(response.headers.get("accept-encoding")).toBe("gzip, deflate, br, zstd")
        expect(await response.text()).toContain("unsupported_media_type")
      }
    }
  })

  test("returns an error that lists the supported encodings for forms", async () => {
    const form = new FormData()
    form.set("model", "sim/echo")
    const plain = new Response(form)
    const type = plain.headers.get("content-type") ?? ""
    const body = new Uint8Array(gzipSync(Buffer.from(await plain.arrayBuffer())))
    for (const headers of [{}, { "idempotency-key": "form" }]) {
      const encoded = { "content-type": type, "content-encoding": "gzip", ...headers }
      const response = await send("/v1/audio/transcriptions", body, encoded)
      expect(response.status).toBe(415)
      expect(response.headers.get("accept-encoding")).toBe("identity")
    }
  })
})
