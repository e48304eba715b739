import { afterAll, beforeAll, expect, test } from "bun:test"
import type { JsonObject } from "../../../src/canon/json.ts"
import { provider, startGateway, type TestGateway } from "../../support/gateway.ts"
import { completion, respond, response } from "../billable-frames.ts"
import { type ScriptedVendor, startVendor } from "../scripted-vendor.ts"
import { HELLO, nanocredits, receiptOf } from "../support.ts"

const PRICE = {
  input: "1",
  cache_write: "2",
  cache_write_1h: "3",
  cache_write_12h: "5",
  output: "0",
}
/** Number of tokens that were written to the cache, which are all input tokens. */
const WRITTEN = 1_000

let vendor: ScriptedVendor
let gateway: TestGateway
let answer: JsonObject = {}

beforeAll(async () => {
  vendor = startVendor((request) =>
    respond(new URL(request.url).pathname, vendor.bodies.at(-1), answer),
  )
  const at = (vendorId: string, dialect: string) => ({
    ...provider(vendor.url, vendorId),
    dialects: [dialect],
  })
  const model = { kind: "chat", price: PRICE, context: 100_000, maxOutput: 50 } as const
  gateway = await startGateway({
    providers: {
      chat: at("openai", "openai-chat"),
      responses: at("openai", "openai-responses"),
      claude: at("anthropic", "anthropic-messages"),
    },
    models: { "chat/m": model, "responses/m": model, "claude/m": model },
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

const details = (lifetimes?: JsonObject): JsonObject => ({
  cached_tokens: 0,
  cache_write_tokens: WRITTEN,
  ...(lifetimes && { cache_write_tokens_details: lifetimes }),
})

/** Returns the cost of a request to a model in nanocredits. */
async function costOf(path: string, body: JsonObject, stream: boolean): Promise<bigint> {
  const caller = await gateway.caller("10")
  const posted = await caller.post(path, { ...body, stream })
  expect(posted.status, await posted.text()).toBe(200)
  const { cost, hold } = await receiptOf(caller, posted)
  // Providers do not cache for longer than the request asks for. If one does, the longer lifetime is charged.
  if (JSON.stringify(body).includes("ttl")) {
    expect(nanocredits(hold)).toBeGreaterThanOrEqual(nanocredits(cost))
  }
  return nanocredits(cost)
}

const per = (rate: number) => BigInt(rate * WRITTEN) * 1_000n

type Row = [ttl: string | undefined, lifetimes: JsonObject | undefined, rate: number]
const OPENAI: Row[] = [
  [undefined, undefined, 2],
  ["30m", undefined, 2],
  ["1h", undefined, 3],
  ["12h", undefined, 5],
  ["48h", undefined, 5],
  ["12h", { ttl_30m_tokens: WRITTEN, ttl_12h_tokens: 0 }, 2],
  ["12h", { ttl_30m_tokens: 0, ttl_12h_tokens: WRITTEN }, 5],
  ["12h", { ttl_30m_tokens: 500, ttl_12h_tokens: 500 }, 3.5],
  [undefined, { ttl_30m_tokens: 0, ttl_12h_tokens: WRITTEN }, 5],
]

for (const stream of [false, true]) {
  const how = stream ? "streamed" : "whole"

  test.each(OPENAI)(
    `a chat that requests cache lifetime %p and reports %j pays for cache writes at %p, ${how}`,
    async (ttl, lifetimes, rate) => {
      const usage = { prompt_tokens: WRITTEN, completion_tokens: 1, total_tokens: WRITTEN + 1 }
      answer = completion({
        usage: { ...usage, prompt_tokens_details: details(lifetimes) },
      }) as JsonObject
      const options = ttl === undefined ? {} : { prompt_cache_options: { ttl } }
      const body = { model: "chat/m", messages: [...long(), ...HELLO], ...options }
      expect(await costOf("/v1/chat/completions", body, stream)).toBe(per(rate))
    },
  )

  test.each(OPENAI)(
    `a response that requests cache lifetime %p and reports %j pays for cache writes at %p, ${how}`,
    async (ttl, lifetimes, rate) => {
      const usage = { input_tokens: WRITTEN, output_tokens: 1, total_tokens: WRITTEN + 1 }
      answer = response([], {
        usage: { ...usage, input_tokens_details: details(lifetimes) },
      }) as JsonObject
      const options = ttl === undefined ? {} : { prompt_cache_options: { ttl } }
      const body = { model: "responses/m", input: "x ".repeat(WRITTEN), ...options }
      expect(await costOf("/v1/responses", body, stream)).toBe(per(rate))
    },
  )

  test.each<[string, JsonObject | undefined, number]>([
    ["5m", undefined, 2],
    ["1h", undefined, 3],
    ["1h", { ephemeral_5m_input_tokens: WRITTEN, ephemeral_1h_input_tokens: 0 }, 2],
    ["1h", { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: WRITTEN }, 3],
  ])(
    `a message that requests cache lifetime %p and reports %j pays for cache writes at %p, ${how}`,
    async (ttl, lifetimes, rate) => {
      answer = {
        id: "msg_1",
        type: "message",
        role: "assistant",
        model: "m",
        content: [{ type: "text", text: "Hi" }],
        stop_reason: "end_turn",
        stop_sequence: null,
        usage: {
          input_tokens: 1,
          cache_creation_input_tokens: WRITTEN,
          cache_read_input_tokens: 0,
          output_tokens: 1,
          ...(lifetimes && { cache_creation: lifetimes }),
        },
      }
      const text = {
        type: "text",
        text: "x ".repeat(WRITTEN),
        cache_control: { type: "ephemeral", ttl },
      }
      const messages = [{ role: "user", content: [text] }]
      const body = { model: "claude/m", max_tokens: 50, messages }
      expect(await costOf("/v1/messages", body, stream)).toBe(per(rate) + 1_000n)
    },
  )
}

test.each([false, true])(
  "a chat pays for cache writes that Requesty reports under its own name (streamed: %p)",
  async (stream) => {
    const usage = { prompt_tokens: WRITTEN, completion_tokens: 1, total_tokens: WRITTEN + 1 }
    const reported = { cached_tokens: 0, caching_tokens: WRITTEN }
    answer = completion({ usage: { ...usage, prompt_tokens_details: reported } }) as JsonObject
    for (const [ttl, rate] of [
      ["5m", 2],
      ["1h", 3],
    ] as const) {
      const text = { type: "text", text: "x ".repeat(WRITTEN) }
      const part = { ...text, cache_control: { type: "ephemeral", ttl } }
      const body = { model: "chat/m", messages: [{ role: "user", content: [part] }] }
      expect(await costOf("/v1/chat/completions", body, stream)).toBe(per(rate))
    }
  },
)

const MARK = { cache_control: { type: "ephemeral", ttl: "1h" } }
const CALL = { name: "f", parameters: { type: "object", properties: {} } }

/** Returns a Responses request with a lifetime in one place. */
function responsesBody(place: string): JsonObject {
  const at = (name: string) => (name === place ? MARK : {})
  const text = "x ".repeat(WRITTEN)
  return {
    model: "responses/m",
    store: false,
    input: [
      {
        role: "user",
        content: [{ type: "input_text", text, ...at("a part") }],
        ...at("a message"),
      },
      { type: "function_call", call_id: "c", name: "f", arguments: "{}", ...at("a call") },
      { type: "function_call_output", call_id: "c", output: "1", ...at("a result") },
    ],
    tools: [{ type: "function", ...CALL, ...at("a tool") }],
    ...at("the request"),
  }
}

test.each(["a part", "a message", "a call", "a result", "a tool", "the request"])(
  "a cache lifetime in %s of a Responses request determines the hold and the charge",
  async (place) => {
    const usage = { input_tokens: WRITTEN, output_tokens: 1, total_tokens: WRITTEN + 1 }
    const reported = { usage: { ...usage, input_tokens_details: details() } }
    answer = response([], reported) as JsonObject
    expect(await costOf("/v1/responses", responsesBody(place), false)).toBe(per(3))
    expect(JSON.stringify(vendor.bodies.at(-1))).toContain(JSON.stringify(MARK).slice(1, -1))
  },
)

test.each(["a tool", "a function"])(
  "a cache lifetime in %s of a chat request determines the charge",
  async (place) => {
    const usage = { prompt_tokens: WRITTEN, completion_tokens: 1, total_tokens: WRITTEN + 1 }
    const reported = { usage: { ...usage, prompt_tokens_details: details() } }
    answer = completion(reported) as JsonObject
    const tool = { type: "function", function: CALL }
    const marked =
      place === "a tool" ? { ...tool, ...MARK } : { ...tool, function: { ...CALL, ...MARK } }
    const body = { model: "chat/m", messages: [...long(), ...HELLO], tools: [marked] }
    expect(await costOf("/v1/chat/completions", body, false)).toBe(per(3))
  },
)

/** Returns messages that are long enough for the hold to cover the usage that the vendor reports. */
function long(): JsonObject[] {
  return [{ role: "user", content: "x ".repeat(WRITTEN) }]
}
