import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test"
import * as fc from "fast-check"
import { parseCredits } from "../../src/ledger/money.ts"
import { creditsOf, HELLO, receiptOf } from "../relay/support.ts"
import { audioModels, wave } from "../support/audio.ts"
import { png } from "../support/png.ts"
import { TurnCounter } from "../support/turn-counter.ts"
import {
  provider,
  simulated,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../support/gateway.ts"
import { sampleRuns } from "../support/exhaustive.ts"

let gateway: TestGateway
let caller: TestCaller

beforeAll(async () => {
  const audio = audioModels()
  gateway = await startGateway({
    providersAt: (url) => ({
      ...audio.providersAt?.(url),
      claude: { ...provider(url, "anthropic"), apiKey: "upstream" },
    }),
    models: {
      ...audio.models,
      "sim/echo": simulated({ price: { input: "3", cached_input: "0.3", output: "15" } }),
      "claude/claude": simulated(),
      "sim/asked": simulated({
        price: { input: "1", output: "2", request: "500" },
        deployments: [{ provider: "sim", model: "echo", weight: 1 }],
      }),
      "sim/tiered": simulated({
        price: { input: "1", output: "2", tiers: [{ above: 200, input: "4", output: "8" }] },
        deployments: [{ provider: "sim", model: "echo", weight: 1 }],
      }),
      "two/echo": simulated({
        deployments: [
          { provider: "claude", model: "claude", weight: 1, price: { input: "5", output: "9" } },
          { provider: "sim", model: "echo", weight: 3 },
        ],
      }),
      "sim/embed": { kind: "embedding", price: { input: "1" } },
      "sim/moderate": { kind: "moderation", price: { input: "1" } },
      "sim/free-moderate": {
        kind: "moderation",
        price: { input: "0" },
        deployments: [{ provider: "sim", model: "omni-moderation-latest", weight: 1 }],
      },
      "sim/rerank": { kind: "rerank", price: { search: "2000" } },
      "sim/dall-e-2": { kind: "image", price: { image: "20000" } },
      "sim/gpt-image-1": { kind: "image", price: { input: "5", output: "40" } },
    },
  })
  caller = await gateway.caller("1000")
})

afterAll(() => gateway[Symbol.asyncDispose]())

interface Estimated {
  readonly least: string
  readonly most: string
  readonly is_covered: boolean
  readonly rejection: { readonly error_type: string; readonly status: number } | null
  readonly max_tokens: number | null
  readonly balance: string
  readonly budgets: readonly { readonly budget: string; readonly left: string }[]
  readonly parts: readonly {
    readonly model: string
    readonly most: string
    readonly lines: readonly { readonly name: string; readonly quantity: number; credits: string }[]
    readonly route: readonly {
      readonly provider: string
      readonly way: string | null
      readonly losses: readonly string[]
      readonly error: { readonly error_type: string } | null
    }[]
  }[]
}

async function estimate(
  path: string,
  body: object,
  { by = caller, headers = {} }: { by?: TestCaller; headers?: Record<string, string> } = {},
): Promise<Estimated> {
  const response = await by.post("/v1/estimate", { path, body }, headers)
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${response.status} ${text}`)
  return JSON.parse(text) as Estimated
}

/**
 * Asserts that the cost of the request is between the minimum and the maximum of the estimate, and that exactly the
 * maximum is held.
 */
async function comesTrue(path: string, body: object, send?: () => Promise<Response>) {
  const told = await estimate(path, body)
  const response = await (send?.() ?? caller.post(path, body))
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
  await response.arrayBuffer()
  const receipt = await receiptOf(caller, response)
  expect([path, receipt.hold]).toEqual([path, told.most])
  expect(told.is_covered).toBe(true)
  const cost = parseCredits(receipt.cost)
  expect(cost).toBeGreaterThanOrEqual(parseCredits(told.least))
  expect(cost).toBeLessThanOrEqual(parseCredits(told.most))
  const sum = told.parts.flatMap(({ lines }) => lines).map(({ credits }) => parseCredits(credits))
  const lines = sum.reduce((total, amount) => total + amount, 0n)
  // Each line is rounded up separately.
  expect(lines).toBeGreaterThanOrEqual(parseCredits(told.most))
  expect(lines - parseCredits(told.most)).toBeLessThan(BigInt(sum.length + 1))
  return { told, receipt }
}

const CHATS = {
  "/v1/chat/completions": (text: string, limit: number | undefined) => ({
    messages: [{ role: "user", content: text }],
    ...(limit !== undefined && { max_tokens: limit }),
  }),
  "/v1/messages": (text: string, limit: number | undefined) => ({
    messages: [{ role: "user", content: text }],
    max_tokens: limit ?? 50,
  }),
  "/v1/responses": (text: string, limit: number | undefined) => ({
    input: text,
    ...(limit !== undefined && { max_output_tokens: limit }),
  }),
} as const

test("the estimate equals the hold, and the charge is between the minimum and the maximum", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        path: fc.constantFrom(...(Object.keys(CHATS) as (keyof typeof CHATS)[])),
        model: fc.constantFrom("sim/echo", "sim/asked", "sim/tiered", "claude/claude", "two/echo"),
        text: fc
          .string({ minLength: 1, maxLength: 600, unit: "grapheme" })
          .map((text) => `x${text}`),
        limit: fc.option(fc.integer({ min: 1, max: 900 }), { nil: undefined }),
        stream: fc.boolean(),
        n: fc.integer({ min: 1, max: 3 }),
      }),
      async ({ path, model, text, limit, stream, n }) => {
        const several = path === "/v1/chat/completions" && n > 1 ? { n } : {}
        await comesTrue(path, { model, stream, ...several, ...CHATS[path](text, limit) })
      },
    ),
    { numRuns: sampleRuns(60) },
  )
})

describe("an estimate of an endpoint", () => {
  test("covers embeddings, rerank and speech", async () => {
    await comesTrue("/v1/embeddings", { model: "sim/embed", input: ["one text", "another one"] })
    await comesTrue("/v1/embeddings", { model: "sim/embed", input: [[1, 2, 3]] })
    const rerank = { model: "sim/rerank", query: "a", documents: ["b", "c"] }
    await comesTrue("/v1/rerank", rerank)
    await comesTrue("/v2/rerank", rerank)
    const emulated = { ...rerank, model: "sim/embed" }
    const { told } = await comesTrue("/v1/rerank", emulated)
    expect(told.parts[0]?.route[0]?.losses).toContain("rerank:emulated")
    await comesTrue("/v1/audio/speech", { model: "sim/tts-1", voice: "alloy", input: "Hello." })
  })

  test("covers free and priced moderations", async () => {
    const parts = [
      { type: "text", text: "Hello." },
      { type: "image_url", image_url: { url: "https://example.com/a.png" } },
    ]
    for (const input of ["Hello.", ["Hello.", "Bye."], parts]) {
      const priced = await comesTrue("/v1/moderations", { model: "sim/moderate", input })
      expect(parseCredits(priced.receipt.cost)).toBeGreaterThan(0n)
      const free = await comesTrue("/v1/moderations", { model: "sim/free-moderate", input })
      expect([free.receipt.hold, free.receipt.cost]).toEqual(["0", "0"])
    }
    const input = [{ role: "user", content: "Hello." }]
    await comesTrue("/v1/chat/moderations", { model: "sim/moderate", input })
  })

  test("covers images that are sent, and images that are only described", async () => {
    for (const model of ["sim/dall-e-2", "sim/gpt-image-1"]) {
      const body = { model, prompt: "a cat", n: 2 }
      await comesTrue("/v1/images/generations", body)
      const image = { width: 256 }
      const described = { ...body, image, mask: image }
      await comesTrue("/v1/images/edits", described, () =>
        upload(
          "/v1/images/edits",
          { model, prompt: "a cat", n: "2" },
          { image: IMAGE, mask: IMAGE },
        ),
      )
    }
    const variation = { model: "sim/dall-e-2", image: { width: 256 } }
    await comesTrue("/v1/images/variations", variation, () =>
      upload("/v1/images/variations", { model: "sim/dall-e-2" }, { image: IMAGE }),
    )
  })

  test("covers audio files that are only described", async () => {
    const sound = wave(3)
    const file = { format: "wav", bytes: sound.byteLength, seconds: 3 }
    const model = "sim/whisper-1"
    for (const path of ["/v1/audio/transcriptions", "/v1/audio/translations"]) {
      await comesTrue(path, { model, file }, () => upload(path, { model }, { file: sound }))
    }
  })

  test("has two parts if a translation uses two models", async () => {
    const sound = wave(3)
    const file = { format: "wav", bytes: sound.byteLength, seconds: 3 }
    const body = { model: "mistral/voxtral-mini", file }
    const told = await estimate("/v1/audio/translations", body)
    expect(told.parts.map(({ model }) => model)).toEqual([
      "mistral/voxtral-mini",
      expect.any(String),
    ])
    const sum = told.parts.reduce((total, { most }) => total + parseCredits(most), 0n)
    expect(parseCredits(told.most)).toBe(sum)
    expect(told.parts[0]?.route[0]?.losses).toContain("translation:emulated")
  })
})

const IMAGE = png(256, 256)

function upload(
  path: string,
  fields: Record<string, string>,
  files: Record<string, Uint8Array<ArrayBuffer>>,
): Promise<Response> {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  for (const [name, bytes] of Object.entries(files)) form.append(name, new File([bytes], name))
  const headers = { authorization: `Bearer ${caller.key}` }
  return fetch(`${gateway.url}${path}`, { method: "POST", headers, body: form })
}

describe("an estimate", () => {
  const body = { model: "two/echo", messages: HELLO, max_tokens: 100, logit_bias: { "1": 5 } }

  test("returns the deployments of the route, with the fields that each would drop", async () => {
    const { parts } = await estimate("/v1/chat/completions", body)
    expect(parts[0]?.route).toMatchObject([
      { provider: "sim", way: "verbatim", losses: [], error: null },
      { provider: "claude", way: "transcoded", losses: ["logit_bias:dropped"], error: null },
    ])
    const headers = { "x-tollgate-strict": "true" }
    const strict = await estimate("/v1/chat/completions", body, { headers })
    expect(strict.parts[0]?.route[1]?.error?.error_type).toBe("not_carried")
  })

  test("holds no credits, leaves no receipt and calls no provider", async () => {
    const before = await creditsOf(caller)
    const called = gateway.simulator.requests.length
    let fetched = 0
    await using server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () => (fetched++, new Response()),
    })
    const url = `http://127.0.0.1:${server.port}/cat.png`
    const image = [{ role: "user", content: [{ type: "image_url", image_url: { url } }] }]
    await estimate("/v1/chat/completions", { model: "claude/claude", messages: image })
    await Promise.all(Array.from({ length: 20 }, () => estimate("/v1/chat/completions", body)))
    expect(await creditsOf(caller)).toEqual(before)
    expect(gateway.simulator.requests.length).toBe(called)
    expect(fetched).toBe(0)
    const poor = await gateway.caller("0.001")
    await estimate("/v1/chat/completions", body, { by: poor })
    expect(await gateway.store.entries.list(poor.account.id, 0, 10)).toHaveLength(1)
  })

  test("reports whether the balance is sufficient for the request", async () => {
    const long = { ...body, model: "sim/echo" }
    const poor = await gateway.caller("0.001")
    const told = await estimate("/v1/chat/completions", long, { by: poor })
    expect(told).toMatchObject({ is_covered: true, balance: "0.001" })
    const response = await poor.post("/v1/chat/completions", long)
    expect(response.headers.get("x-tollgate-max-tokens")).toBe(String(told.max_tokens))
    await response.text()
    const receipt = await receiptOf(poor, response)
    expect(receipt.hold).toBe(told.most)

    const none = await gateway.caller("0")
    const rejected = await estimate("/v1/chat/completions", long, { by: none })
    expect(rejected).toMatchObject({
      is_covered: false,
      rejection: { error_type: "insufficient_credits", status: 402 },
    })
    const error = await none.post("/v1/chat/completions", long)
    const { error: told402 } = (await error.json()) as { error: { required: string } }
    expect(told402.required).toBe(rejected.most)

    const budgeted = await gateway.caller("10", { budget: 1_000n })
    expect(await estimate("/v1/chat/completions", long, { by: budgeted })).toMatchObject({
      is_covered: false,
      rejection: { error_type: "key_budget_exceeded" },
      budgets: [{ budget: "total", left: "0.000001" }],
    })
    const headers = { "x-tollgate-on-low-balance": "refuse" }
    const rich = await gateway.caller("0.001")
    expect(await estimate("/v1/chat/completions", long, { by: rich, headers })).toMatchObject({
      is_covered: false,
      max_tokens: null,
    })
  })

  test("reads a long text at most once per event-loop turn", async () => {
    const long = "é".repeat(100_000)
    const readsByTurn = new Map<number, number>()
    const none = await gateway.caller("0")
    const custom = { type: "custom_tool_call", call_id: "c", name: "run", input: long }
    const output = { type: "custom_tool_call_output", call_id: "c", output: "x" }
    const request = { model: "sim/echo", store: false, input: [custom, output] }
    const { join } = Array.prototype
    using turns = new TurnCounter()
    using _ = spyOn(Array.prototype, "join").mockImplementation(function (
      this: unknown[],
      separator,
    ) {
      const text = join.call(this, separator)
      if (text.length >= long.length) {
        readsByTurn.set(turns.count, (readsByTurn.get(turns.count) ?? 0) + 1)
      }
      return text
    })
    await estimate("/v1/responses", request, { by: none })
    expect(Math.max(...readsByTurn.values())).toBe(1)
  })

  test("returns the error that the request would get, or an error if its own body is malformed", async () => {
    const cases: [object, number, string | null][] = [
      [
        { path: "/v1/chat/completions", body: { model: "sim/none", messages: HELLO } },
        404,
        "model",
      ],
      [{ path: "/v1/chat/completions", body: { model: "sim/echo" } }, 400, "messages"],
      [{ path: "/v1/models", body: {} }, 400, "path"],
      [{ body: {} }, 400, "path"],
      [{ path: "/v1/embeddings" }, 400, "body"],
      [{ path: "/v1/embeddings", body: [] }, 400, "body"],
      [{ path: "/v1/audio/transcriptions", body: { model: "sim/whisper-1" } }, 400, "file"],
      [
        { path: "/v1/audio/transcriptions", body: { model: "sim/whisper-1", file: "x" } },
        400,
        "file",
      ],
      [
        { path: "/v1/images/edits", body: { model: "sim/dall-e-2", prompt: "x", image: {} } },
        400,
        "image.width",
      ],
    ]
    for (const [options, status, parameter] of cases) {
      const response = await caller.post("/v1/estimate", options)
      const { error } = (await response.json()) as { error: { param: string | null } }
      expect([options, response.status, error.param]).toEqual([options, status, parameter])
    }
    const unknown = await fetch(`${gateway.url}/v1/estimate`, { method: "POST", body: "{}" })
    expect(unknown.status).toBe(401)
    await unknown.body?.cancel()
  })

  test("counts toward the key's limit of requests, but not toward its limit of tokens", async () => {
    const limits = { requestsPerMinute: 3, tokensPerMinute: 2_000 }
    const limited = await gateway.caller("10", limits)
    for (const path of ["/v1/chat/completions", "/v1/chat/completions"]) {
      await estimate(path, body, { by: limited })
    }
    const embedding = { model: "sim/embed", input: "x" }
    await estimate("/v1/embeddings", embedding, { by: limited })
    const options = { path: "/v1/embeddings", body: embedding }
    const response = await limited.post("/v1/estimate", options)
    expect(response.status).toBe(429)
    await response.body?.cancel()
  })
})
