import { afterAll, beforeAll, expect, test } from "bun:test"
import { longestPause } from "../../support/pauses.ts"
import {
  provider,
  simulated,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../support/gateway.ts"
import { CHAT, HELLO } from "../support.ts"

const EVENTS = "text/event-stream"

/** A provider's response that is not streamed and contains about fifteen megabytes of unknown fields. */
const LONG = JSON.stringify({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
  // Many names are slower to parse than the same number of values.
  details: Array.from({ length: 45 }, (_, block) =>
    Object.fromEntries(
      Array.from({ length: 10_000 }, (_, at) => [`member number ${block * 10_000 + at}`, at]),
    ),
  ),
})

const TOKENS = 100_000
const TOKEN = { token: "é", logprob: -0.1, bytes: [195, 169], top_logprobs: [] }

/** Yields a stream with many log probabilities and a long tool call. */
function* longStream(): Generator<string> {
  const chunk = (delta: object, more: object = {}) =>
    `data: ${JSON.stringify({ id: "c", choices: [{ index: 0, delta, ...more }] })}\n\n`
  const content = Array.from({ length: 1_000 }, () => TOKEN)
  for (let sent = 0; sent < TOKENS; sent += content.length) {
    yield chunk({ content: "é".repeat(content.length) }, { logprobs: { content } })
  }
  const written = { name: "f", arguments: `{"a":"${"x".repeat(999_992)}"}` }
  yield chunk({ tool_calls: [{ index: 0, id: "t", type: "function", function: written }] })
  yield chunk({}, { finish_reason: "tool_calls" })
  yield "data: [DONE]\n\n"
}

let vendor: Bun.Server<undefined>
let gateway: TestGateway
let caller: TestCaller

beforeAll(async () => {
  vendor = Bun.serve({
    port: 0,
    idleTimeout: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { stream } = (await request.json()) as { stream?: boolean }
      return stream === true
        ? new Response([...longStream()].join(""), { headers: { "content-type": EVENTS } })
        : new Response(LONG, { headers: { "content-type": "application/json" } })
    },
  })
  gateway = await startGateway({
    providers: {
      long: provider(`http://127.0.0.1:${vendor.port}/v1`),
      groq: provider(`http://127.0.0.1:${vendor.port}/v1`, "groq"),
    },
    models: { "long/m": simulated(), "groq/m": simulated() },
  })
  caller = await gateway.caller("100")
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await vendor.stop(true)
})

test("a long whole chat response does not block other requests and is delivered unchanged", async () => {
  let text = ""
  const pause = await longestPause(150, async () => {
    const response = await caller.post(CHAT, { model: "long/m", messages: HELLO })
    expect(response.status).toBe(200)
    text = await response.text()
  })
  const { model: _, ...answer } = JSON.parse(text) as Record<string, unknown>
  const { model: _model, ...given } = JSON.parse(LONG) as Record<string, unknown>
  // Comparing the members one by one takes seconds.
  expect(JSON.stringify(answer) === JSON.stringify(given)).toBe(true)
  expect(pause).toBeLessThan(150)
})

interface Part {
  readonly text?: string
  readonly logprobs?: readonly unknown[]
}

/** A frame of the Responses API or of Gemini. */
interface Frame {
  readonly sequence_number?: number
  readonly response?: {
    readonly output: readonly { readonly content?: readonly Part[]; readonly arguments?: string }[]
  }
  readonly candidates?: readonly {
    readonly index?: number
    readonly content: { readonly parts: readonly (Part & { readonly functionCall?: object })[] }
    readonly logprobsResult?: { readonly chosenCandidates: readonly unknown[] }
  }[]
}

/** Returns the frames of a stream, and checks that the stream does not block the event loop. */
async function framesOf(path: string, body: object): Promise<readonly Frame[]> {
  let text = ""
  const pause = await longestPause(150, async () => {
    text = await (await caller.post(path, body)).text()
  })
  expect(pause).toBeLessThan(150)
  return text
    .split("\n")
    .filter((line) => line.startsWith("data: "))
    .map((line) => JSON.parse(line.slice("data: ".length)) as Frame)
}

test("a long streamed response is written in slices in the Responses format", async () => {
  const body = { model: "long/m", input: "Hi", stream: true }
  const frames = await framesOf("/v1/responses", body)
  expect(frames.map((frame) => frame.sequence_number)).toEqual([...frames.keys()])
  const [message, call] = frames.at(-1)?.response?.output ?? []
  const [part] = message?.content ?? []
  expect(part?.text === "é".repeat(TOKENS)).toBe(true)
  expect(part?.logprobs).toHaveLength(TOKENS)
  expect(call?.arguments).toHaveLength(1_000_000)
})

test("a long streamed response is written in slices in Gemini's format", async () => {
  const body = { contents: [{ role: "user", parts: [{ text: "Hi" }] }] }
  const frames = await framesOf("/v1beta/models/long/m:streamGenerateContent?alt=sse", body)
  const candidates = frames.flatMap((frame) => frame.candidates ?? [])
  const parts = candidates.flatMap(({ content }) => content.parts)
  expect(parts.map((part) => part.text ?? "").join("") === "é".repeat(TOKENS)).toBe(true)
  expect(parts.filter((part) => part.functionCall)).toHaveLength(1)
  expect(candidates.at(-1)?.logprobsResult?.chosenCandidates).toHaveLength(TOKENS)
})

test("several long choices from separate calls are delivered completely and in slices", async () => {
  const contents = [{ role: "user", parts: [{ text: "Hi" }] }]
  const body = { contents, generationConfig: { candidateCount: 3 } }
  const frames = await framesOf("/v1beta/models/groq/m:streamGenerateContent?alt=sse", body)
  const candidates = frames.flatMap((frame) => frame.candidates ?? [])
  for (const index of [0, 1, 2]) {
    const own = candidates.filter((candidate) => (candidate.index ?? 0) === index)
    const parts = own.flatMap(({ content }) => content?.parts ?? [])
    expect(parts.map((part) => part.text ?? "").join("") === "é".repeat(TOKENS)).toBe(true)
    const calls = parts.flatMap((part) => (part.functionCall ? [JSON.stringify(part)] : []))
    expect(calls).toHaveLength(1)
    expect(calls[0]?.length).toBeGreaterThan(999_992)
  }
})
