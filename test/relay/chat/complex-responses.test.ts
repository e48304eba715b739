import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { gzipSync } from "node:zlib"
import type { ChatRequest } from "../../../src/canon/chat.ts"
import { readJson } from "../../../src/relay/upstream/read-response.ts"
import { UPSTREAMS } from "../../golden/dialects.ts"
import { responseOf, AttemptWorld } from "../../laws/attempt-world.ts"
import {
  provider,
  simulated,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../support/gateway.ts"
import { type ScriptedVendor, startVendor } from "../scripted-vendor.ts"
import { CHAT, errorOf, HELLO, receiptOf } from "../support.ts"

/** Small responses that are nested too deeply, in every form in which they may arrive. */

let vendor: ScriptedVendor
let gateway: TestGateway
let caller: TestCaller
let respond = (): Response => Response.json({})

beforeAll(async () => {
  vendor = startVendor(() => respond())
  const root = vendor.url.replace("/v1", "")
  gateway = await startGateway({
    providers: {
      anthropic: provider(root, "anthropic"),
      google: provider(root, "google"),
      own: provider(vendor.url, "openai-compatible"),
    },
    models: {
      "anthropic/chat": simulated(),
      "google/chat": simulated(),
      "google/image": { kind: "image", price: { input: "1", output: "2", image_output: "30" } },
      "own/vectors": { kind: "embedding", price: { input: "1" } },
      "own/ranker": { kind: "rerank", price: { input: "1" } },
    },
  })
  caller = await gateway.caller("10")
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

const DEEP = `${'{"a":'.repeat(600)}1${"}".repeat(600)}`
const GOOGLE = { promptTokenCount: 30, candidatesTokenCount: 400, totalTokenCount: 430 }
const CHATS: Readonly<Record<string, object>> = {
  "anthropic/chat": {
    type: "message",
    content: [{ type: "tool_use", id: "c", name: "f", input: "raw" }],
    stop_reason: "tool_use",
    usage: { input_tokens: 30, output_tokens: 400 },
  },
  "google/chat": {
    candidates: [
      {
        content: { role: "model", parts: [{ functionCall: { name: "f", args: "raw" } }] },
        finishReason: "STOP",
      },
    ],
    usageMetadata: GOOGLE,
  },
}
const OPERATIONS: Readonly<Record<string, readonly [string, object, object]>> = {
  "own/vectors": [
    "/v1/embeddings",
    { input: "Hello" },
    { data: "raw", usage: { prompt_tokens: 30 } },
  ],
  "own/ranker": [
    "/v1/rerank",
    { query: "a", documents: ["b"] },
    { results: "raw", usage: { total_tokens: 30 } },
  ],
  "google/image": [
    "/v1/images/generations",
    { prompt: "A cat" },
    { candidates: "raw", usageMetadata: GOOGLE },
  ],
}

const textOf = (body: object | undefined): string =>
  JSON.stringify(body ?? {}).replace('"raw"', DEEP)

function answered(
  body: ConstructorParameters<typeof Response>[0],
  headers: Record<string, string> = {},
): Response {
  return new Response(body, { headers: { "content-type": "application/json", ...headers } })
}

/** The pieces arrive separately, because the gateway answers another request between them. */
function inPieces(text: string): Response {
  const half = text.length / 2
  const pieces = [text.slice(0, half), text.slice(half)]
  return answered(
    new ReadableStream<string>({
      async pull(controller) {
        const piece = pieces.shift()
        if (piece === undefined) return controller.close()
        controller.enqueue(piece)
        for (let index = 0; index < 3; index++) await (await fetch(gateway.url)).text()
      },
    }),
  )
}

const FORMS: Readonly<Record<string, (text: string) => Response>> = {
  whole: (text) => answered(text),
  "in two pieces": inPieces,
  compressed: (text) => answered(gzipSync(text), { "content-encoding": "gzip" }),
  "behind an empty line": (text) => answered(`\r\n${text}`),
  "behind spaces and in pieces": (text) => inPieces(`  ${text}`),
  "behind a byte order mark": (text) => answered(`\uFEFF${text}`),
}

async function failed(path: string, body: object) {
  const before = vendor.bodies.length
  const response = await caller.post(path, body)
  const receipt = await receiptOf(caller, response)
  expect((await errorOf(response)).message).toContain("was charged")
  expect(response.headers.get("x-should-retry")).toBe("false")
  expect(vendor.bodies.length).toBe(before + 1)
  return receipt
}

describe.each(Object.keys(FORMS))("a response that is nested too deeply and arrives %s", (form) => {
  const send = FORMS[form] ?? inPieces

  test.each(
    Object.keys(CHATS).flatMap((model) => [
      { model, stream: false },
      { model, stream: true },
    ]),
  )("results in a charge for its usage: $model, stream: $stream", async ({ model, stream }) => {
    respond = () => send(textOf(CHATS[model]))
    const receipt = await failed(CHAT, { model, messages: HELLO, max_tokens: 1_000, stream })
    expect(receipt).toMatchObject({
      status: "settled",
      estimated: false,
      usage: { input: 30, output: 400 },
    })
  })

  test.each(Object.keys(OPERATIONS))(
    "results in a charge for its usage in an operation other than chat: %s",
    async (model) => {
      const [path = "", order = {}, response = {}] = OPERATIONS[model] ?? []
      respond = () => send(textOf(response))
      const receipt = await failed(path, { model, ...order })
      expect(receipt).toMatchObject({ status: "settled", estimated: false, usage: { input: 30 } })
    },
  )
})

test("the usage of a deeply nested response is kept if the response arrives in two chunks of any length", async () => {
  using world = new AttemptWorld()
  const request: ChatRequest = {
    model: "m",
    messages: [],
    stream: false,
    streamUsage: false,
    choices: 1,
  }
  const dialect = UPSTREAMS[0]
  if (dialect === undefined) throw new Error("no dialects")
  const bytes = new TextEncoder().encode(textOf(CHATS["google/chat"]))
  for (let cut = 0; cut <= bytes.length; cut += 41) {
    // The reader of a response may detach its chunks.
    const chunks = [bytes.slice(0, cut), bytes.slice(cut)].values()
    const response = responseOf("application/json", () => chunks.next().value)
    const members = await world.with(dialect, request, async (attempt) => {
      const reading = readJson(attempt, response)
      await expect(reading).rejects.toMatchObject({ details: { billedResponse: {} } })
      return attempt.usageMembers
    })
    expect(members).toEqual({ usageMetadata: GOOGLE })
  }
})
