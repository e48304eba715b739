import { expect, test } from "bun:test"
import { gunzipSync } from "node:zlib"
import { startGateway, type TestGateway } from "../support/gateway.ts"
import { FakeBucket } from "../support/fake-bucket.ts"
import { until } from "../support/until.ts"

const MEBIBYTE = 1024 * 1024
const SECRET = "canary-of-the-sink-81f3"

/** A server that takes lines, and may answer with anything. */
class Receiver implements Disposable {
  readonly bodies: string[] = []
  readonly ids: (string | null)[] = []
  readonly headers: Headers[] = []
  answer: () => Response | Promise<Response> = () => new Response()
  readonly #server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const bytes = new Uint8Array(await request.arrayBuffer())
      const isCompressed = request.headers.get("content-encoding") === "gzip"
      this.bodies.push(Buffer.from(isCompressed ? gunzipSync(bytes) : bytes).toString())
      this.ids.push(request.headers.get("idempotency-key"))
      this.headers.push(request.headers)
      return this.answer()
    },
  })
  readonly url = `${this.#server.url}insert?token=${SECRET}`

  get lines(): Record<string, unknown>[] {
    return this.bodies.flatMap(linesOf)
  }

  [Symbol.dispose](): void {
    void this.#server.stop(true)
  }
}

function linesOf(text: string): Record<string, unknown>[] {
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

function sending(url: string, more = {}) {
  const headers = { authorization: `Bearer ${SECRET}` }
  const http = { url, headers, allowsPrivate: true, isCompressed: true, every: 20, ...more }
  return { log: { requests: false, queueBytes: MEBIBYTE, http } }
}

async function chat(gateway: TestGateway, times = 1): Promise<(string | null)[]> {
  const caller = await gateway.caller("1")
  const ids: (string | null)[] = []
  for (let index = 0; index < times; index++) {
    const response = await caller.post("/v1/chat/completions", {
      model: "sim/echo",
      messages: [{ role: "user", content: "hello" }],
    })
    expect(response.status).toBe(200)
    await response.text()
    ids.push(response.headers.get("x-request-id"))
  }
  return ids
}

function reasons(gateway: TestGateway): string {
  return JSON.stringify(gateway.heard.filter(({ name }) => name === "linesNotDelivered"))
}

test("lines are posted to an address, together and compressed, with the headers of the operator", async () => {
  using receiver = new Receiver()
  await using gateway = await startGateway({ settings: sending(receiver.url) })
  const ids = await chat(gateway, 3)
  await until(() => receiver.lines.length === 3)
  expect(receiver.lines.map(({ request }) => request)).toEqual(ids)
  expect(receiver.headers[0]?.get("authorization")).toBe(`Bearer ${SECRET}`)
  expect(receiver.headers[0]?.get("content-type")).toBe("application/x-ndjson")
})

test("what an address does not take is sent again, under the same id, and not for ever", async () => {
  using receiver = new Receiver()
  receiver.answer = () => new Response(null, { status: receiver.ids.length < 2 ? 503 : 200 })
  await using gateway = await startGateway({ settings: sending(receiver.url) })
  await chat(gateway)
  await until(() => receiver.ids.length === 2)
  expect(new Set(receiver.ids).size).toBe(1)
  expect(reasons(gateway)).toContain("it answered with status 503")
  expect(JSON.stringify(gateway.heard)).not.toContain(SECRET)
})

test("an address in a private network is refused unless the operator says that it is meant", async () => {
  using receiver = new Receiver()
  const settings = sending(receiver.url, { allowsPrivate: false })
  await using gateway = await startGateway({ settings })
  await chat(gateway)
  await until(() => reasons(gateway).includes("it is not on the public internet"))
  expect(receiver.bodies).toEqual([])
  gateway.app.hurry()
})

test("a redirect is not followed, and an answer that never ends keeps nobody", async () => {
  using receiver = new Receiver()
  receiver.answer = () => Response.redirect("http://169.254.169.254/", 307)
  await using gateway = await startGateway({ settings: sending(receiver.url) })
  await chat(gateway)
  await until(() => reasons(gateway).includes("status 307"))
  receiver.answer = () => new Response(new ReadableStream({ pull: () => new Promise(() => {}) }))
  await chat(gateway)
  gateway.app.hurry()
})

test("lines are stored in a bucket: an object for each batch, in a folder for each hour", async () => {
  const bucket = new FakeBucket()
  using server = bucket.listen()
  const keys = { accessKeyId: "id", secretAccessKey: SECRET }
  const place = { bucket: "logs", endpoint: server.url.href, ...keys }
  const log = {
    requests: false,
    queueBytes: MEBIBYTE,
    bucket: { place, prefix: "tollgate/", every: 20 },
  }
  const gateway = await startGateway({ settings: { log } })
  const ids = await chat(gateway, 2)
  await gateway[Symbol.asyncDispose]()
  const hour = new Date().toISOString().slice(0, 10).replaceAll("-", "/")
  const stored = [...bucket.objects].toSorted(([one], [other]) => (one < other ? -1 : 1))
  for (const [path, { type }] of stored) {
    expect(path).toStartWith(`/logs/tollgate/${hour}/`)
    expect(path).toMatch(/\/\d\d\/\d{8}T\d{9}Z-\w{16}\.jsonl\.gz$/)
    expect(type).toBe("application/x-ndjson+gzip")
  }
  const lines = stored.flatMap(([, { body }]) => linesOf(Buffer.from(gunzipSync(body)).toString()))
  expect(lines.map(({ request }) => request)).toEqual(ids)
})

test("a bucket that refuses disturbs no request, and its secret is in no message", async () => {
  const bucket = new FakeBucket()
  bucket.refuses = () => "AccessDenied"
  using server = bucket.listen()
  const keys = { accessKeyId: "id", secretAccessKey: SECRET }
  const place = { bucket: "logs", endpoint: server.url.href, ...keys }
  const log = { requests: false, queueBytes: MEBIBYTE, bucket: { place, prefix: "", every: 20 } }
  await using gateway = await startGateway({ settings: { log } })
  await chat(gateway)
  await until(() => reasons(gateway).includes("of the test"))
  expect(JSON.stringify(gateway.heard)).not.toContain(SECRET)
  gateway.app.hurry()
})
