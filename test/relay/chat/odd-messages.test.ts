import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import {
  provider,
  simulated,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../support/gateway.ts"
import { type ScriptedVendor, startVendor, streamed } from "../scripted-vendor.ts"
import { CHAT, contentOf, HELLO } from "../support.ts"

/** The tests use messages that no official client can read, from servers that are almost compatible with OpenAI. */

type Json = Record<string, unknown>

const MESSAGES = "/v1/messages"
const RESPONSES = "/v1/responses"
let answer: () => Response = () => Response.json({})
let vendor: ScriptedVendor
let gateway: TestGateway
let caller: TestCaller

beforeAll(async () => {
  vendor = startVendor(() => answer())
  gateway = await startGateway({
    providers: {
      chat: provider(vendor.url),
      responses: { ...provider(vendor.url), dialects: ["openai-responses"] },
    },
    models: { "chat/m": simulated(), "responses/m": simulated() },
  })
  caller = await gateway.caller("10")
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

function bodyAt(path: string, model: string, stream = false): Json {
  const input = path === RESPONSES ? { input: "Hi" } : { messages: HELLO }
  return { model, stream, ...input, ...(path === MESSAGES && { max_tokens: 50 }) }
}

async function ask(path: string, model: string, stream = false): Promise<string> {
  const response = await caller.post(path, bodyAt(path, model, stream))
  const text = await response.text()
  expect(response.status, text).toBe(200)
  return text
}

const USAGE = { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 }
const HEAD = { id: "chatcmpl-1", created: 1, model: "m" }

function completion(message: Json, finish: string): Json {
  const choices = [{ index: 0, message: { role: "assistant", ...message }, finish_reason: finish }]
  return { ...HEAD, object: "chat.completion", choices, usage: USAGE }
}

function chunk(choice: Json, more: Json = {}): string {
  const choices = [{ index: 0, finish_reason: null, ...choice }]
  return `data: ${JSON.stringify({ ...HEAD, object: "chat.completion.chunk", choices, ...more })}\n\n`
}

test("a tool call without an id gets an id, and its arguments are converted to text", async () => {
  const call = { function: { name: "f", arguments: { city: "Oslo" } } }
  answer = () => Response.json(completion({ content: null, tool_calls: [call] }, "tool_calls"))
  const { choices } = JSON.parse(await ask(CHAT, "chat/m")) as {
    choices: { message: { tool_calls: Json[] } }[]
  }
  expect(choices[0]?.message.tool_calls).toEqual([
    {
      id: expect.stringMatching(/^call_/),
      type: "function",
      function: { name: "f", arguments: '{"city":"Oslo"}' },
    },
  ])
})

test.each([CHAT, MESSAGES, RESPONSES])(
  "a whole message inside a chunk of a stream is delivered at %s",
  async (path) => {
    answer = () =>
      streamed([
        chunk({ message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }),
        "data: [DONE]\n\n",
      ])
    const text = await ask(path, "chat/m", true)
    expect(text).toContain("Hello")
    if (path === CHAT) expect(contentOf(text)).toBe("Hello")
  },
)

test.each([CHAT, MESSAGES, RESPONSES])(
  "text after the end of a message is not delivered at %s",
  async (path) => {
    const end = chunk({ delta: {}, finish_reason: "stop" }, { usage: USAGE })
    const late = chunk({ delta: { content: "late" } })
    answer = () => streamed([chunk({ delta: { content: "Hello" } }), end, "data: [DONE]\n\n", late])
    const text = await ask(path, "chat/m", true)
    expect([text.includes("Hello"), text.includes("late")]).toEqual([true, false])
  },
)

const PART = { type: "output_text", text: "Hello", annotations: [] }

describe.each([
  ["parts of type text", { type: "message", content: [{ type: "text", text: "Hello" }] }],
  ["parts without a type", { type: "message", content: [{ text: "Hello" }] }],
  ["parts that are strings", { type: "message", content: ["Hello"] }],
  ["string content", { type: "message", content: "Hello" }],
  ["an item without a type", { content: [PART] }],
])("a response with %s", (_, item) => {
  const whole = {
    id: "resp_1",
    object: "response",
    created_at: 1,
    status: "completed",
    model: "m",
    output: [{ id: "msg_1", ...item }],
    usage: { input_tokens: 5, output_tokens: 5, total_tokens: 10 },
  }

  test.each([CHAT, MESSAGES, RESPONSES])("reaches the caller of %s", async (path) => {
    answer = () => Response.json(whole)
    const text = await ask(path, "responses/m")
    expect(text).toContain("Hello")
    if (path !== RESPONSES) return
    const { output } = JSON.parse(text) as { output: Json[] }
    expect(output).toMatchObject([{ type: "message", role: "assistant", content: [PART] }])
  })
})
