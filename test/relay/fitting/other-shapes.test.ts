import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test"
import { FittedWorld } from "./fitted-world.ts"

let world: FittedWorld

beforeAll(async () => {
  world = await FittedWorld.start({
    "m/gpt": ["openai", "gpt-4.1"],
    "m/gpt-5.4": ["openai", "gpt-5.4"],
    "m/claude": ["anthropic", "claude-sonnet-4-5"],
    "m/local": ["vllm", "qwen"],
  })
})

beforeEach(() => {
  world.script = { text: "Hi" }
})

afterAll(() => world[Symbol.asyncDispose]())

const CHAT = "/v1/chat/completions"
const PARAMETERS = { type: "object", properties: { a: { type: "string" } } }
const HELLO = [{ role: "user", content: "Hello" }]

test.each([false, true])(
  "a Responses request sent to the chat completions path gets a chat response, streamed: %p",
  async (stream) => {
    world.script = { calls: [{ name: "f", arguments: '{"a":"b"}' }] }
    const body = {
      model: "m/local",
      stream,
      instructions: "Be brief.",
      input: [
        { role: "user", content: [{ type: "input_text", text: "Hello" }] },
        { type: "function_call", call_id: "c1", name: "f", arguments: "{}" },
        { type: "function_call_output", call_id: "c1", output: "4" },
      ],
      tools: [
        { type: "function", name: "f", parameters: PARAMETERS, strict: false },
        { type: "custom", name: "ApplyPatch", description: "d" },
      ],
      tool_choice: "auto",
      max_output_tokens: 100,
      reasoning: { effort: "low", summary: "auto" },
      text: { verbosity: "low" },
      include: ["reasoning.encrypted_content"],
      store: false,
    }
    const { sent, calls, finish } = await world.post(CHAT, body)
    expect(sent.body.messages).toMatchObject([
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hello" },
      { role: "assistant", tool_calls: [{ id: "c1", function: { name: "f" } }] },
      { role: "tool", tool_call_id: "c1", content: "4" },
    ])
    expect(sent.body).toMatchObject({
      tools: [
        { type: "function", function: { name: "f", parameters: PARAMETERS } },
        { type: "function", function: { name: "ApplyPatch" } },
      ],
      max_tokens: 100,
      reasoning_effort: "low",
      verbosity: "low",
    })
    expect(sent.body).not.toHaveProperty("input")
    expect(sent.body).not.toHaveProperty("include")
    expect(calls).toEqual([{ name: "f", arguments: { a: "b" } }])
    expect(finish).toBe("tool_calls")
  },
)

test("a Responses request with text input sent to the chat completions path gets a chat response", async () => {
  const { sent, text } = await world.post(CHAT, { model: "m/claude", input: "Hello" })
  expect(sent.body.messages).toMatchObject([{ role: "user", content: "Hello" }])
  expect(text).toBe("Hi")
})

test("a chat request cannot continue a stored response", async () => {
  const body = { model: "m/gpt", input: "Hello", previous_response_id: "resp_1" }
  const response = await world.request(CHAT, body)
  expect([response.status, await response.text()]).toEqual([
    400,
    expect.stringContaining("previous_response_id"),
  ])
})

test.each(["m/gpt", "m/local", "m/claude"])(
  "tools without a nested member `function` are sent to %s as functions",
  async (model) => {
    const { sent } = await world.post(CHAT, {
      model,
      messages: HELLO,
      tools: [
        { type: "function", name: "f", parameters: PARAMETERS },
        { type: "function", function: { name: "g" } },
        { name: "h", description: "d", input_schema: PARAMETERS },
      ],
      tool_choice: { type: "function", name: "f" },
    })
    const isClaude = model === "m/claude"
    expect(sent.body.tools).toMatchObject(
      isClaude
        ? [{ name: "f", input_schema: PARAMETERS }, { name: "g" }, { name: "h" }]
        : [
            { type: "function", function: { name: "f", parameters: PARAMETERS } },
            { type: "function", function: { name: "g" } },
            {
              type: "function",
              function: { name: "h", description: "d", parameters: PARAMETERS },
            },
          ],
    )
    expect(sent.body.tool_choice).toEqual(
      isClaude ? { type: "tool", name: "f" } : { type: "function", function: { name: "f" } },
    )
  },
)

test("a custom tool without a nested member `custom` is sent to OpenAI in the nested form", async () => {
  const { sent } = await world.post(CHAT, {
    model: "m/gpt",
    messages: HELLO,
    tools: [{ type: "custom", name: "ApplyPatch", description: "d" }],
  })
  expect(sent.body.tools).toEqual([
    { type: "custom", custom: { name: "ApplyPatch", description: "d" } },
  ])
})

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
const IMAGE = { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } }

test("content in Anthropic's form is converted for a vendor with the chat completions API", async () => {
  const { sent } = await world.post(CHAT, {
    model: "m/gpt",
    messages: [
      { role: "user", content: [{ type: "text", text: "Look" }, IMAGE] },
      {
        role: "assistant",
        content: [
          { type: "text", text: "I will." },
          { type: "tool_use", id: "t1", name: "f", input: { a: "b" } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "t1", content: [{ type: "text", text: "4" }, IMAGE] },
          { type: "input_text", text: "And?" },
        ],
      },
    ],
    tools: [{ name: "f", input_schema: PARAMETERS }],
    tool_choice: { type: "auto" },
  })
  const image = { type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } }
  expect(sent.body.messages).toEqual([
    { role: "user", content: [{ type: "text", text: "Look" }, image] },
    {
      role: "assistant",
      content: [{ type: "text", text: "I will." }],
      tool_calls: [{ id: "t1", type: "function", function: { name: "f", arguments: '{"a":"b"}' } }],
    },
    { role: "tool", tool_call_id: "t1", content: [{ type: "text", text: "4" }] },
    { role: "user", content: [image, { type: "text", text: "And?" }] },
  ])
  expect(sent.body.tool_choice).toBe("auto")
})

test("content in Anthropic's form is sent to Claude unchanged", async () => {
  const { sent } = await world.post(CHAT, {
    model: "m/claude",
    system: "Be brief.",
    messages: [
      { role: "user", content: [{ type: "text", text: "Look" }, IMAGE] },
      { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "f", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "4" }] },
    ],
    tools: [{ name: "f", input_schema: PARAMETERS }],
  })
  expect(sent.body.system).toBe("Be brief.")
  expect(sent.body.messages).toMatchObject([
    { role: "user", content: [{ type: "text" }, IMAGE] },
    { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "f" }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "t1" }] },
  ])
})

test.each(["m/gpt-5.4", "m/gpt", "m/local", "m/claude"])(
  "a tool output without a matching call is sent to %s as a user message",
  async (model) => {
    const { sent } = await world.post("/v1/responses", {
      model,
      input: [
        { role: "user", content: "Hello" },
        { type: "function_call_output", name: "create_thread", output: "done" },
        {
          type: "function_call_output",
          name: "look",
          output: [{ type: "input_text", text: "seen" }],
        },
      ],
    })
    const said = JSON.stringify(sent.body.messages ?? sent.body.input)
    for (const text of ["Output of create_thread: done", "Output of look:", "seen"]) {
      expect(said).toContain(text)
    }
    expect(said).not.toContain("function_call_output")
  },
)

test.each(["m/gpt", "m/local", "m/claude"])(
  "a stream from %s contains usage if the caller requests it in OpenRouter's form",
  async (model) => {
    const body = { model, messages: HELLO, stream: true, usage: { include: true } }
    const response = await world.request(CHAT, body)
    const text = await response.text()
    expect([response.status, response.headers.get("x-tollgate-losses")]).toEqual([200, null])
    expect(text).toContain('"total_tokens":8')
    const plain = await world.request(CHAT, { ...body, usage: { include: false } })
    expect(await plain.text()).not.toContain('"total_tokens":8')
  },
)
