import { afterAll, beforeAll, expect, test } from "bun:test"
import {
  provider,
  simulated,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../support/gateway.ts"
import {
  type ScriptedVendor,
  startVendor,
  streamed,
  wholeResponse,
  WHOLE_STREAM,
} from "../scripted-vendor.ts"
import { CHAT, contentOf, HELLO, receiptOf } from "../support.ts"

const MESSAGE = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "x",
  content: [
    { type: "text", text: "Hello" },
    { type: "tool_use", id: "t1", name: "f", input: { a: 1 } },
  ],
  stop_reason: "tool_use",
  usage: { input_tokens: 10, output_tokens: 1 },
}

/** Returns the provider's next response. */
let answer: () => Response
let server: ScriptedVendor
let gateway: TestGateway
let caller: TestCaller
beforeAll(async () => {
  server = startVendor(() => answer())
  gateway = await startGateway({
    providers: {
      own: provider(server.url, "vllm"),
      claude: provider(server.url, "anthropic"),
    },
    models: { "own/m": simulated(), "claude/m": simulated() },
  })
  caller = await gateway.caller("10")
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  server[Symbol.dispose]()
})

test.each([
  "Text/Event-Stream",
  "text/event-stream;charset=UTF-8",
  "text/plain",
  "text/plain; charset=utf-8",
  "application/x-ndjson",
  "application/octet-stream",
])("a stream with the content type '%s' is accepted", async (type) => {
  answer = () => streamed([WHOLE_STREAM], type)
  const response = await caller.post(CHAT, { model: "own/m", messages: HELLO, stream: true })
  const text = await response.text()
  expect([response.status, contentOf(text)]).toEqual([200, "Hello"])
  expect(text).toEndWith("data: [DONE]\n\n")
})

test("a whole response to a request for a stream is converted to a stream in the same format", async () => {
  answer = () => Response.json(wholeResponse("Hello"))
  const body = { model: "own/m", messages: HELLO, stream: true }
  const response = await caller.post(CHAT, body)
  const text = await response.text()
  expect([response.status, contentOf(text)]).toEqual([200, "Hello"])
  expect(text).toEndWith("data: [DONE]\n\n")
  expect((await receiptOf(caller, response)).usage).toMatchObject({ input: 10, output: 1 })
})

test.each(["/v1/messages", CHAT, "/v1/responses"])(
  "a whole Anthropic response to a request for a stream is converted to a stream by %s",
  async (path) => {
    answer = () => Response.json(MESSAGE)
    const input = path === "/v1/responses" ? { input: "Hi" } : { messages: HELLO }
    const tools =
      path === CHAT
        ? [{ type: "function", function: { name: "f" } }]
        : path === "/v1/messages"
          ? [{ name: "f", input_schema: { type: "object" } }]
          : [{ type: "function", name: "f", parameters: {} }]
    const limit = path === "/v1/messages" ? { max_tokens: 99 } : {}
    const body = { model: "claude/m", ...input, ...limit, tools, stream: true }
    const response = await caller.post(path, body)
    const text = await response.text()
    expect(response.status).toBe(200)
    expect(text).toContain("Hello")
    expect(text).toMatch(/\{\\"a\\":1\}/)
    expect((await receiptOf(caller, response)).usage).toMatchObject({ input: 10, output: 1 })
  },
)

test("a stream in response to a request without streaming is joined into a whole response", async () => {
  answer = () => streamed([WHOLE_STREAM])
  const response = await caller.post(CHAT, { model: "own/m", messages: HELLO })
  const { choices } = (await response.json()) as ReturnType<typeof wholeResponse> & {
    choices: { message: { content: string } }[]
  }
  expect([response.status, choices[0]?.message.content]).toEqual([200, "Hello"])
  expect((await receiptOf(caller, response)).usage).toMatchObject({ input: 10, output: 1 })
})

test("an error that a provider returns instead of a stream counts as a failed attempt", async () => {
  answer = () => Response.json({ error: { message: "Insufficient credits", code: 402 } })
  const response = await caller.post(CHAT, { model: "own/m", messages: HELLO, stream: true })
  expect(response.status).toBeGreaterThanOrEqual(500)
  expect(await response.text()).not.toContain("Insufficient credits")
})

test.each([
  ["a short response", '{"id":"c","choices":['],
  ["a deeply nested response", `{"id":"c","choices":[${"[".repeat(100_000)}`],
])("%s whose JSON is cut off is reported as invalid JSON", async (_, text) => {
  answer = () => new Response(text, { headers: { "content-type": "application/json" } })
  const response = await caller.post(CHAT, { model: "own/m", messages: HELLO })
  expect(response.status).toBe(502)
  expect(await response.text()).toContain("a response that is not valid JSON")
})
