import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { openApiDocument } from "../../src/http/docs/openapi.ts"
import {
  simulated,
  provider,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../support/gateway.ts"
import type { LargeBody } from "../support/large-body.ts"
import { Load } from "../support/load.ts"
import { longestPause } from "../support/pauses.ts"
import { nothingHeld } from "../relay/support.ts"
import { AUDIT } from "../store/audit-record.ts"
import { until } from "../support/until.ts"
import { type Field, fieldsOf, type Schema, type Shape, SHAPES, worstBody } from "./worst-bodies.ts"
import { sampleOf } from "../support/exhaustive.ts"

const MEBIBYTE = 1024 * 1024
const LARGEST = 31 * MEBIBYTE
const MEMORY = 768 * MEBIBYTE
/** The maximum time in milliseconds that another caller may wait for one body, and for thirty of them. */
const MAX_PAUSE_MS = 100
const MAX_PAUSE_OF_MANY_MS = 200

let load: Load
let gateway: TestGateway

/** A valid request for each endpoint. A test replaces one field with a large value. */
const MESSAGES = [{ role: "user", content: "Hello" }]
const BASES: Readonly<Record<string, object>> = {
  "/v1/chat/completions": { model: "own/chat", max_tokens: 1, messages: MESSAGES },
  "/v1/messages": { model: "own/chat", max_tokens: 1, messages: MESSAGES },
  "/v1/messages/count_tokens": { model: "own/chat", messages: MESSAGES },
  "/v1/responses": { model: "own/chat", max_output_tokens: 16, input: "Hello" },
  "/v1/responses/compact": { model: "own/chat", max_output_tokens: 16, input: "Hello" },
  "/v1/embeddings": { model: "own/embed", input: "Hello" },
  "/v1/rerank": { model: "own/rerank", query: "a", documents: ["a"] },
  "/v2/rerank": { model: "own/rerank", query: "a", documents: ["a"] },
  "/v1/chat/moderations": { model: "own/moderate", input: [{ role: "user", content: "a" }] },
  "/v1/moderations": { model: "own/moderate", input: "a" },
  "/v1/images/generations": { model: "own/image", prompt: "a" },
  "/v1/audio/speech": { model: "own/speech", input: "a", voice: "alloy" },
  "/v1/estimate": { path: "/v1/chat/completions", body: { model: "own/chat", messages: MESSAGES } },
}
const GOOGLE = { contents: [{ role: "user", parts: [{ text: "Hello" }] }] }

interface Endpoint {
  readonly path: string
  readonly address: string
  readonly base: object
  readonly fields: readonly Field[]
}

/** The part of the OpenAPI document that describes one operation. */
interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
}

function endpoints(): Endpoint[] {
  const { paths = {} } = openApiDocument("http://x")
  return Object.entries(paths as Record<string, { readonly post?: Operation }>).flatMap(
    ([path, { post }]) => {
      const schema = post?.requestBody?.content["application/json"]?.schema
      if (schema === undefined || path.startsWith("/admin/")) return []
      const model = path.includes("mbed") ? "own/embed" : "own/chat"
      const address = path.replace("{id}", model)
      return [{ path, address, base: BASES[path] ?? GOOGLE, fields: fieldsOf(schema) }]
    },
  )
}

beforeAll(async () => {
  load = await Load.start()
  const price = { input: "0.001", output: "0.001" }
  const large = simulated({ price, context: 100_000_000 })
  gateway = await startGateway({
    providers: { own: provider(load.providerUrl) },
    models: {
      "own/chat": large,
      "own/embed": { kind: "embedding", price },
      "own/rerank": { kind: "rerank", price: { search: "1" } },
      "own/moderate": { kind: "moderation", price: { input: "1" } },
      "own/image": { kind: "image", price: { image: "1" } },
      "own/speech": { kind: "speech", price: { character: "1" } },
    },
    settings: {
      limits: {
        bodyBytes: 32 * MEBIBYTE,
        mediaBytes: 4 * MEBIBYTE,
        responseBytes: 4 * MEBIBYTE,
        memoryBytes: MEMORY,
        mediaPrivate: true,
      },
    },
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await load[Symbol.asyncDispose]()
})

interface Sending {
  readonly caller: TestCaller
  readonly address: string
  readonly body: LargeBody
  readonly isPacked?: boolean
  readonly times?: number
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends a body and measures how long the gateway's event loop is blocked. */
async function sent(sending: Sending): Promise<{ pause: number; responses: readonly string[] }> {
  const { caller, address, body, isPacked = false, times = 1, headers = {} } = sending
  const authorization = `Bearer ${caller.key}`
  await load.prepare({
    url: gateway.url + address,
    headers: {
      authorization,
      "content-type": "application/json",
      ...(isPacked && { "content-encoding": "br" }),
      ...headers,
    },
    body,
    isPacked,
    times,
  })
  let responses: readonly string[] = []
  const limit = times === 1 ? MAX_PAUSE_MS : MAX_PAUSE_OF_MANY_MS
  const pause = await longestPause(limit, async () => {
    responses = await load.send()
  })
  return { pause, responses }
}

/** Returns the compressed body with the most values: a few hundred bytes that expand to millions of values. */
function packedBody({ base, fields }: Endpoint): LargeBody {
  const list = fields.find(({ kind }) => kind === "list") ?? { ...FURTHER_TEXT, kind: "list" }
  return worstBody(base, list, "endless", LARGEST)
}

const isFree = (path: string): boolean => /estimate|count|input_tokens/i.test(path)

/** Keys whose requests are rejected, by the reason for the rejection. */
const REJECTED: Readonly<Record<string, { status: RegExp; make: () => Promise<TestCaller> }>> = {
  "without credits": { status: /^402 /, make: () => gateway.caller("0") },
  "that is paused": {
    status: /^403 .*key_paused/,
    async make() {
      const caller = await gateway.caller("1")
      await gateway.store.keys.update(caller.keyId, { pausedAt: Date.now() }, AUDIT)
      await until(async () => (await small(caller)).status === 403)
      return caller
    },
  },
  "that only reads": {
    status: /^403 .*key_read_only/,
    make: () => gateway.caller("1", { isReadOnly: true }),
  },
  "over its rate": {
    status: /^429 /,
    async make() {
      const caller = await gateway.caller("1", { requestsPerMinute: 1 })
      await (await small(caller)).text()
      return caller
    },
  },
  "that cannot call the model": {
    // When thirty bodies arrive at once, some wait for memory to decompress them.
    status: /^403 .*model_not_allowed|^503 .*overloaded/,
    make: () => gateway.caller("1", { models: ["own/none"] }),
  },
}

function small(caller: TestCaller): Promise<Response> {
  return caller.post("/v1/chat/completions", BASES["/v1/chat/completions"])
}

describe("the most expensive body of any endpoint", () => {
  for (const [index, [name, { status, make }]] of Object.entries(REJECTED).entries()) {
    test(`does not block other requests if it comes from a key ${name}`, async () => {
      const caller = await make()
      for (const endpoint of sampleOf(endpoints(), 15, index)) {
        const { path, address } = endpoint
        for (const times of [1, 30]) {
          const body = packedBody(endpoint)
          const { pause, responses } = await sent({ caller, address, body, isPacked: true, times })
          const found = { path, pause: pause < (times === 1 ? MAX_PAUSE_MS : MAX_PAUSE_OF_MANY_MS) }
          expect(found).toEqual({ path, pause: true })
          for (const response of isFree(path) ? [] : responses) expect(response).toMatch(status)
        }
      }
      await nothingHeld(caller)
    })
  }

  test("does not block other requests if it has the maximum size and the key has no credits", async () => {
    const caller = await gateway.caller("0")
    for (const { path, address, base } of sampleOf(distinct(), 6)) {
      const body = worstBody(base, FURTHER_TEXT, "full", LARGEST)
      const { pause, responses } = await sent({ caller, address, body })
      expect({ path, pause: pause < MAX_PAUSE_MS }).toEqual({ path, pause: true })
      if (!isFree(path)) expect(responses.join()).toMatch(/^402 /)
    }
  })
})

/** A field that no dialect has. */
const FURTHER_TEXT: Field = { path: ["zz"], kind: "text", max: Infinity }

/** Returns one endpoint for each set of fields. */
function distinct(): Endpoint[] {
  const known = new Map<string, Endpoint>()
  for (const endpoint of endpoints()) {
    const name = JSON.stringify(endpoint.fields)
    if (!known.has(name)) known.set(name, endpoint)
  }
  return [...known.values()]
}

/** Returns the size of the body in bytes. For one field of each kind, the body is as large as allowed. */
function sizeOf(fields: readonly Field[], field: Field, shape: Shape): number {
  if (shape === "endless" || shape === "deep") return 2 * MEBIBYTE
  const isLong = ({ kind, path }: Field): boolean => kind === field.kind && path[0] !== "model"
  return fields.find(isLong) === field ? LARGEST : 2 * MEBIBYTE
}

describe("large requests of a key with credits", () => {
  for (const [index, { path, address, base, fields }] of distinct().entries()) {
    test(`do not block other requests if they are sent to ${path}`, async () => {
      const caller = await gateway.caller("1000000")
      const before = process.memoryUsage.rss()
      const slow: unknown[] = []
      for (const [fieldIndex, field] of fields.entries()) {
        for (const shape of sampleOf(SHAPES[field.kind], 20, index + fieldIndex)) {
          const body = worstBody(base, field, shape, sizeOf(fields, field, shape))
          const { pause, responses } = await sent({ caller, address, body })
          if (pause >= MAX_PAUSE_MS) slow.push([field.path, shape, pause])
          expect(responses.join()).not.toMatch(/invalid_json|internal_error|^50[034]/)
          expect(responses.join()).toMatch(/^\d/)
        }
      }
      expect(slow).toEqual([])
      expect(process.memoryUsage.rss() - before).toBeLessThan(MEMORY)
      await nothingHeld(caller)
    })
  }

  test("do not block other requests if thirty are sent at the same time", async () => {
    const caller = await gateway.caller("1000000")
    const before = process.memoryUsage.rss()
    const address = "/v1/chat/completions"
    const base = BASES[address] ?? {}
    const field: Field = { path: ["messages"], kind: "list", max: 10_000 }
    const body = worstBody(base, field, "full", 4 * MEBIBYTE)
    const { pause, responses } = await sent({ caller, address, body, times: 30 })
    expect(pause).toBeLessThan(MAX_PAUSE_OF_MANY_MS)
    for (const response of responses) expect(response).toMatch(/^200 |^503 .*overloaded/)
    expect(process.memoryUsage.rss() - before).toBeLessThan(MEMORY)
    await nothingHeld(caller)
  })
})
