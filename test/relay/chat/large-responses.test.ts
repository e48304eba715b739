import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib"
import type { ProviderSettings } from "../../../src/config/settings.ts"
import { wave } from "../../support/audio.ts"
import { sampleCombinations } from "../../support/exhaustive.ts"
import { longestPause } from "../../support/pauses.ts"
import { provider, startGateway, type TestCaller, type TestGateway } from "../../support/gateway.ts"
import { equalLimits } from "../../support/settings.ts"
import { DONE, frame, wholeResponse } from "../scripted-vendor.ts"
import { CHAT, errorOf, HELLO, nothingHeld, receiptOf } from "../support.ts"

const MEGABYTE = 1024 * 1024
const LIMIT = 16 * MEGABYTE

/** Returns the vendor's next response. */
let answer: () => Response = () => Response.json({})
let sent = 0

let vendor: Bun.Server<undefined>
let gateway: TestGateway
let caller: TestCaller

beforeAll(async () => {
  vendor = Bun.serve({ hostname: "127.0.0.1", port: 0, idleTimeout: 0, fetch: () => answer() })
  const baseUrl = `http://127.0.0.1:${vendor.port}`
  const price = { input: "1", output: "2" }
  const chat = { kind: "chat", price, context: 9_000, maxOutput: 100 } as const
  const at = (name: string): ProviderSettings => provider(baseUrl, name)
  gateway = await startGateway({
    providers: { same: at("openai-compatible"), other: at("anthropic") },
    models: {
      "same/m": chat,
      "other/m": chat,
      "two/m": {
        ...chat,
        deployments: [
          { provider: "same", model: "m", weight: 1 },
          { provider: "other", model: "m", weight: 0 },
        ],
        strategy: "order",
      },
      "same/embed": { kind: "embedding", price },
      "same/gpt-image-1": { kind: "image", price: { image: "1" } },
      "same/hear": { kind: "transcription", price: { second: "1" } },
    },
    settings: { limits: equalLimits(LIMIT) },
  })
  caller = await gateway.caller("1000")
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await vendor.stop(true)
})

/** Returns a response of three gigabytes that are generated while they are read. */
function endless(type: string, chunk: Uint8Array, start = ""): Response {
  sent = 0
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        if (start !== "") controller.enqueue(Buffer.from(start))
      },
      pull(controller) {
        sent += chunk.byteLength
        if (sent > 3 * 1024 * MEGABYTE) controller.close()
        else controller.enqueue(chunk)
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(body, { headers: { "content-type": type } })
}

function sound(): Promise<Response> {
  const form = new FormData()
  form.append("model", "same/hear")
  form.append("file", new File([wave(1)], "a.wav", { type: "audio/wav" }))
  return fetch(`${gateway.url}/v1/audio/transcriptions`, {
    method: "POST",
    headers: { authorization: `Bearer ${caller.key}` },
    body: form,
  })
}

const WHOLE: Readonly<Record<string, () => Promise<Response>>> = {
  chat: () => caller.post(CHAT, { model: "same/m", messages: HELLO }),
  "transcoded chat": () => caller.post(CHAT, { model: "other/m", messages: HELLO }),
  embeddings: () => caller.post("/v1/embeddings", { model: "same/embed", input: "a" }),
  images: () => caller.post("/v1/images/generations", { model: "same/gpt-image-1", prompt: "a" }),
  transcriptions: sound,
}

/** Numeric names, which the JavaScript engine sorts each time it lists the members of an object. */
const NUMBERS = Array.from({ length: 9_000 }, (_, index) => 4_000_000_000 - index * 7_919)

/** The longest time in milliseconds in which the gateway may serve no other request. */
const MAX_PAUSE_MS = 200

/** Responses that are expensive to read, by the reason. */
const EXPENSIVE: Readonly<Record<string, () => string>> = {
  "more than a million values": () => `{"data":[${"{},".repeat(1_100_000)}{}]}`,
  "many members named by numbers": () => {
    const wide = JSON.stringify(Object.fromEntries(NUMBERS.map((number) => [number, 1])))
    return `{"data":[${`${wide},`.repeat(40)}{}]}`
  },
  "200,000 levels of nesting": () => {
    const deep = "[".repeat(200_000) + "]".repeat(200_000)
    return `{"data":${deep},"choices":${deep}}`
  },
}

describe("a large whole response", () => {
  for (const [operation, ask] of Object.entries(WHOLE)) {
    test(`fails if it exceeds its size limit: ${operation}`, async () => {
      const chunk = Buffer.alloc(64 * 1024, "a")
      answer = () => endless("application/json", chunk, '{"text":"')
      const error = await errorOf(await ask())
      expect(error).toMatchObject({ status: 502, error_type: "upstream_error" })
      expect(error.message).toContain("limits.response_mb")
      // The vendor has also sent the bytes that are still in socket buffers.
      expect(sent).toBeLessThan(2 * LIMIT + 16 * MEGABYTE)
      await nothingHeld(caller)
    })
  }

  for (const [[operation, ask], [name, make]] of sampleCombinations(
    2,
    Object.entries(WHOLE),
    Object.entries(EXPENSIVE),
  )) {
    test(`fails without blocking other requests if it has ${name}: ${operation}`, async () => {
      const body = make()
      answer = () => bodyOf(body)
      const pause = await longestPause(MAX_PAUSE_MS, async () => {
        const error = await errorOf(await ask())
        expect(error).toMatchObject({ status: 502, error_type: "upstream_error" })
        await nothingHeld(caller)
      })
      expect(pause).toBeLessThan(MAX_PAUSE_MS)
    })
  }

  test("fails above its size limit, and no other deployment is tried", async () => {
    const chunk = Buffer.alloc(64 * 1024, "a")
    for (let count = 0; count < 4; count++) {
      answer = () => endless("application/json", chunk, '{"text":"')
      const response = await caller.post(CHAT, { model: "two/m", messages: HELLO })
      expect((await errorOf(response)).message).toContain("limits.response_mb")
      const { attempts } = await receiptOf(caller, response)
      expect(attempts.map(({ deployment }) => deployment)).toEqual(["same/m"])
    }
  })

  test("can contain the logprobs of 12,000 tokens", async () => {
    const top = Array.from({ length: 20 }, () => ({ token: "a", logprob: -1, bytes: [] }))
    const content = Array.from({ length: 12_000 }, () => ({ token: "a", top_logprobs: top }))
    const whole = wholeResponse("a") as { choices: object[] }
    const body = JSON.stringify({
      ...whole,
      choices: [{ ...whole.choices[0], logprobs: { content } }],
    })
    answer = () => bodyOf(body)
    const response = await caller.post(CHAT, { model: "same/m", messages: HELLO, logprobs: true })
    expect(response.status).toBe(200)
    expect((await response.text()).length).toBeGreaterThan(body.length - 1_000)
  })

  test("arrives completely if it does not exceed the size limit", async () => {
    answer = () => Response.json(wholeResponse("x".repeat(LIMIT - 1_000)))
    const response = await caller.post(CHAT, { model: "same/m", messages: HELLO })
    expect(response.status).toBe(200)
    const { choices } = (await response.json()) as ReturnType<typeof wholeResponse> & {
      choices: { message: { content: string } }[]
    }
    expect(choices[0]?.message.content.length).toBe(LIMIT - 1_000)
  })
})

function bodyOf(text: string) {
  return new Response(text, { headers: { "content-type": "application/json" } })
}

describe("a large compressed response", () => {
  const plain = Buffer.alloc(256 * MEGABYTE, "a")
  plain.write('{"text":"')
  const packers: Readonly<Record<string, (bytes: Buffer) => Uint8Array<ArrayBuffer>>> = {
    gzip: (bytes) => new Uint8Array(gzipSync(bytes)),
    deflate: (bytes) => new Uint8Array(deflateSync(bytes)),
    br: (bytes) => new Uint8Array(brotliCompressSync(bytes, { params: { 1: 1 } })),
    zstd: (bytes) => new Uint8Array(zstdCompressSync(bytes)),
  }
  for (const [encoding, pack] of Object.entries(packers)) {
    test(`stops being decompressed at its limit, and does not block other responses: ${encoding}`, async () => {
      const bomb = pack(plain)
      const headers = { "content-encoding": encoding, "content-type": "application/json" }
      answer = () => new Response(bomb, { headers })
      const before = process.memoryUsage.rss()
      const pause = await longestPause(MAX_PAUSE_MS, async () => {
        const error = await errorOf(await caller.post(CHAT, { model: "same/m", messages: HELLO }))
        expect(error).toMatchObject({ status: 502, error_type: "upstream_error" })
        expect(error.message).toContain("limits.response_mb")
      })
      expect(pause).toBeLessThan(MAX_PAUSE_MS)
      expect(process.memoryUsage.rss() - before).toBeLessThan(100 * MEGABYTE)
    })

    test(`reaches the caller like an uncompressed response: ${encoding}`, async () => {
      const bytes = pack(Buffer.from(JSON.stringify(wholeResponse("x".repeat(300_000)))))
      const headers = { "content-encoding": encoding, "content-type": "application/json" }
      answer = () => new Response(bytes, { headers })
      const response = await caller.post(CHAT, { model: "same/m", messages: HELLO })
      expect(response.status).toBe(200)
      expect(await response.text()).toContain("x".repeat(300_000))
    })
  }

  test("fails if its encoding is unknown", async () => {
    const headers = { "content-encoding": "compress", "content-type": "application/json" }
    answer = () => new Response("{}", { headers })
    const error = await errorOf(await caller.post(CHAT, { model: "same/m", messages: HELLO }))
    expect(error).toMatchObject({ status: 502, error_type: "upstream_error" })
  })

  test("has the same size limit if it is an error", async () => {
    const headers = { "content-encoding": "gzip", "content-type": "application/json" }
    const packed = new Uint8Array(gzipSync(plain))
    answer = () => new Response(packed, { status: 400, headers })
    const pause = await longestPause(MAX_PAUSE_MS, async () => {
      const rejected = await caller.post(CHAT, { model: "same/m", messages: HELLO })
      expect(rejected.status).toBe(400)
      expect((await rejected.text()).length).toBeLessThan(5_000)
    })
    expect(pause).toBeLessThan(MAX_PAUSE_MS)
    const stream = gzipSync(frame("Hello") + frame("", "stop") + DONE)
    answer = () =>
      new Response(new Uint8Array(stream), {
        headers: { "content-encoding": "gzip", "content-type": "text/event-stream" },
      })
    const order = { model: "same/m", messages: HELLO, stream: true }
    expect(await (await caller.post(CHAT, order)).text()).toContain("Hello")
  })
})

describe("a large stream", () => {
  const deep = "[".repeat(200_000) + "]".repeat(200_000)

  test("ends with an error if a frame has 200,000 levels or no end", async () => {
    for (const model of ["same/m", "other/m"]) {
      for (const bytes of [
        `data: {"choices":${deep},"type":${deep}}\n\n`,
        `data: {"type":"content_block_delta","delta":${deep}}\n\n`,
      ]) {
        answer = () => new Response(bytes, { headers: { "content-type": "text/event-stream" } })
        const order = { model, messages: HELLO, stream: true }
        const pause = await longestPause(MAX_PAUSE_MS, async () => {
          const text = await (await caller.post(CHAT, order)).text()
          expect(text).toContain('"error"')
        })
        expect(pause).toBeLessThan(MAX_PAUSE_MS)
      }
      answer = () => endless("text/event-stream", Buffer.alloc(64 * 1024, "a"), "data: ")
      const text = await (await caller.post(CHAT, { model, messages: HELLO, stream: true })).text()
      expect(text).toContain('"error"')
      expect(sent).toBeLessThan(72 * MEGABYTE)
    }
    await nothingHeld(caller)
  })

  test("ends with an error if a frame has more than 10,000 parts of a response", async () => {
    const thoughts = `[${'{"type":"reasoning.text","text":"x"},'.repeat(20_000)}{}]`
    const frame = `data: {"choices":[{"index":0,"delta":{"reasoning_details":${thoughts}}}]}\n\n`
    answer = () => new Response(frame, { headers: { "content-type": "text/event-stream" } })
    const pause = await longestPause(MAX_PAUSE_MS, async () => {
      const response = await caller.post(CHAT, { model: "same/m", messages: HELLO, stream: true })
      expect(await response.text()).toContain("more than 10,000 parts")
    })
    expect(pause).toBeLessThan(MAX_PAUSE_MS)
    await nothingHeld(caller)
  })

  test("ends with an error if a frame has millions of values", async () => {
    const objects = `[${"{},".repeat(2_000_000)}{}]`
    const members = `{${Array.from({ length: 700_000 }, (_, index) => `"${index}a":0`).join()}}`
    for (const model of ["same/m", "other/m"]) {
      for (const many of [objects, members]) {
        const bytes = `data: {"type":"ping","choices":${many}}\n\n`
        answer = () => new Response(bytes, { headers: { "content-type": "text/event-stream" } })
        const order = { model, messages: HELLO, stream: true }
        const pause = await longestPause(500, async () => {
          const text = await (await caller.post(CHAT, order)).text()
          expect(text).toContain("lists, objects and members")
        })
        expect(pause).toBeLessThan(500)
      }
    }
    await nothingHeld(caller)
  })

  test("delivers tool arguments with 200,000 levels of nesting unchanged", async () => {
    const call = { id: "c", type: "function", function: { name: "f", arguments: deep } }
    const message = { role: "assistant", content: null, tool_calls: [call] }
    const whole = {
      ...wholeResponse(),
      choices: [{ index: 0, message, finish_reason: "tool_calls" }],
    }
    answer = () => Response.json(whole)
    const body = { model: "same/m", messages: HELLO, max_tokens: 10 }
    const pause = await longestPause(MAX_PAUSE_MS, async () => {
      const response = await caller.post("/v1/messages", body)
      await response.text()
      expect([200, 502]).toContain(response.status)
    })
    expect(pause).toBeLessThan(MAX_PAUSE_MS)
  })
})
