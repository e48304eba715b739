import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { JsonObject } from "../../src/canon/json.ts"
import { CHAT, expectPaid, receiptOf } from "./checks.ts"
import { readStream } from "./read-stream.ts"
import { type ReplayGateway, type Staged, startReplayGateway } from "./replay-gateway.ts"
import {
  chunk,
  delta,
  DONE,
  frames,
  HELLO,
  idsOf,
  ROLE,
  stagedStreams,
  USAGE,
  WORLD,
  type Written,
} from "./written-streams.ts"
import { until } from "../support/until.ts"

const WORDS = "The server had an error while processing your request."
/** The message that replaces the provider's own error, which may concern the operator's account. */
const OWN_WORDS = "The provider failed while it answered"

/** A stream that breaks after some content was delivered. */
interface Broken extends Written {
  /** The usage that the vendor reported before the stream broke. If it is absent, the gateway's count is charged. */
  readonly usage?: JsonObject
  /** The error message for the caller. */
  readonly words?: string
  /** The chunks that reach the caller; absent: the first three. */
  readonly chunks?: readonly JsonObject[]
  /** Number of requested choices; absent: 1. */
  readonly choices?: number
}

const DELIVERED = [ROLE, HELLO, WORLD]
const COUNTED = { ...WORLD, usage: USAGE }

const BROKEN: readonly Broken[] = [
  {
    name: "OpenAI's error frame",
    body: frames(...DELIVERED, {
      error: { message: WORDS, type: "server_error", param: null, code: null },
    }),
    words: OWN_WORDS,
  },
  {
    name: "an error frame followed by [DONE]",
    body: frames(...DELIVERED, { error: { message: WORDS } }, DONE),
    words: OWN_WORDS,
  },
  {
    name: "an event named error",
    vendor: "groq",
    body: frames(...DELIVERED, `event: error\ndata: {"error":{"message":"${WORDS}"}}\n\n`),
    words: OWN_WORDS,
  },
  {
    name: "an event named error with invalid JSON",
    body: frames(...DELIVERED, "event: error\ndata: overloaded\n\n"),
    words: OWN_WORDS,
  },
  {
    name: "OpenRouter's error in a chunk, with an integer code",
    vendor: "openrouter",
    body: frames(...DELIVERED, {
      ...chunk({ choices: [{ index: 0, delta: { content: "" }, finish_reason: "error" }] }),
      error: { code: 502, message: WORDS },
    }),
    words: OWN_WORDS,
  },
  {
    name: "an error that is only text",
    body: frames(...DELIVERED, { error: WORDS }),
    words: OWN_WORDS,
  },
  {
    name: "usage before the error",
    vendor: "perplexity",
    body: frames(ROLE, HELLO, COUNTED, { error: { message: WORDS } }),
    usage: USAGE,
    words: OWN_WORDS,
    chunks: DELIVERED,
  },
  { name: "the end without a finish reason", body: frames(...DELIVERED) },
  {
    name: "the end without a finish reason of the second choice",
    vendor: "vllm",
    body: frames(...DELIVERED, delta({}, "stop"), second("Hi")),
    choices: 2,
    chunks: [...DELIVERED, delta({}, "stop"), second("Hi", { role: "assistant" })],
  },
  {
    name: "the end within a frame",
    body: frames(...DELIVERED, 'data: {"id":"chatcmpl-wri'),
  },
  {
    name: "a frame with invalid JSON",
    body: frames(...DELIVERED, "data: {not json}\n\n", delta({}, "stop"), DONE),
  },
]

/**
 * Returns the second chunk.
 * @param added fields that the relay adds to the first delta of a choice.
 */
function second(content: string, added: JsonObject = {}): JsonObject {
  const delta = { content, ...added }
  return chunk({ choices: [{ index: 1, delta, finish_reason: null }] })
}

/** Responses without content. The caller receives an error status, and nothing is charged. */
const REJECTED: readonly Staged[] = [
  rejected("an error frame before anything else", frames({ error: { message: WORDS } })),
  rejected("an error event before anything else", `event: error\ndata: {"error":{}}\n\n`),
  rejected("an empty stream", ""),
  rejected("a stream of comments", ": hello\n\n: hello\n\n"),
  rejected("JSON in place of a stream", '{"choices":[]}', "application/json"),
  rejected("a page in place of a stream", "<html>Bad gateway</html>", "text/html"),
]

function rejected(id: string, body: string, type = "text/event-stream"): Staged {
  const replay = { status: 200, headers: { "content-type": type }, body }
  return { id, provider: "rejected", vendor: "openai-compatible", replay }
}

let replaying: ReplayGateway

beforeAll(async () => {
  replaying = await startReplayGateway([...stagedStreams(BROKEN), ...REJECTED])
})

afterAll(() => replaying[Symbol.asyncDispose]())

const REQUEST = { messages: [{ role: "user", content: "Hello" }], stream: true }

describe("a recorded stream that breaks", () => {
  for (const broken of BROKEN) {
    for (const id of idsOf(broken)) {
      test(`ends with an error: ${id}`, async () => {
        const { caller } = replaying
        const model = replaying.modelOf(id)
        const before = await caller.balance()
        const received = await readStream(
          await caller.post(CHAT, { ...REQUEST, model, n: broken.choices ?? 1 }),
        )
        const after = await caller.balance()

        const chunks = broken.chunks ?? DELIVERED
        expect(received.status).toBe(200)
        expect(received.chunks).toEqual(chunks.map((each) => ({ ...each, model })))
        expect(received.isDone).toBe(false)
        expect(received.error).toMatchObject({
          type: "server_error",
          code: "upstream_error",
          error_type: "upstream_error",
          request_id: received.requestId,
        })
        expect(String(received.error?.message)).toContain(broken.words ?? "")
        const payment = { requestId: received.requestId, before, after }
        await expectPaid(caller, payment, broken.usage)
      })
    }
  }
})

describe("a recorded response that is not a stream", () => {
  for (const { id } of REJECTED) {
    test(`ends with an error: ${id}`, async () => {
      const { caller } = replaying
      const before = await caller.balance()
      const response = await caller.post(CHAT, { ...REQUEST, model: replaying.modelOf(id) })
      const body: unknown = await response.json()
      expect(response.status).toBe(502)
      expect(body).toMatchObject({ error: { code: "upstream_error" } })
      const requestId = response.headers.get("x-request-id") ?? ""
      await until(async () => (await caller.get(`/v1/receipts/${requestId}`)).status === 200)
      expect(await receiptOf(caller, requestId)).toMatchObject({ status: "released", charged: "0" })
      expect(await caller.balance()).toBe(before)
    })
  }
})
