import { expect } from "bun:test"
import { gunzipSync } from "node:zlib"
import type { BucketSettings } from "../../src/config/sections/bucket.ts"
import type { LineBucketSettings } from "../../src/config/sections/log.ts"
import type { TestGateway } from "../support/gateway.ts"

export const MEBIBYTE = 1024 * 1024
export const SECRET = "canary-of-the-sink-81f3"

/** A server that receives lines. The test sets its responses. */
export class Receiver implements Disposable {
  readonly bodies: string[] = []
  readonly ids: (string | null)[] = []
  readonly headers: Headers[] = []
  response: (request: Request) => Response | Promise<Response> = () => new Response()
  readonly #server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const bytes = new Uint8Array(await request.arrayBuffer())
      const isCompressed = request.headers.get("content-encoding") === "gzip"
      this.bodies.push(Buffer.from(isCompressed ? gunzipSync(bytes) : bytes).toString())
      this.ids.push(request.headers.get("idempotency-key"))
      this.headers.push(request.headers)
      return this.response(request)
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

export function linesOf(text: string): Record<string, unknown>[] {
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

export function sending(url: string, more = {}) {
  const headers = { authorization: `Bearer ${SECRET}` }
  const http = { url, headers, allowsPrivate: true, isCompressed: true, every: 20, ...more }
  return { log: { requests: false, queueBytes: MEBIBYTE, http } }
}

export async function chat(gateway: TestGateway, times = 1): Promise<(string | null)[]> {
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

export function reasons(gateway: TestGateway): string {
  return JSON.stringify(gateway.heard.filter(({ name }) => name === "linesNotDelivered"))
}

/** Returns the settings of a bucket in the network of the tests. */
export function storing(place: BucketSettings): LineBucketSettings {
  return { place, prefix: "tollgate/a+b !/", allowsPrivate: true, every: 20 }
}

export function halted(): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start: (stream) => stream.enqueue(new Uint8Array(1)),
    pull: () => new Promise(() => {}),
  })
}
