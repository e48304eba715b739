import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test"
import type { JsonObject } from "../../../src/canon/json.ts"
import { FittedWorld, FORMATS, type Format } from "./fitted-world.ts"

let world: FittedWorld

beforeAll(async () => {
  world = await FittedWorld.start({
    "m/gpt": ["openai", "gpt-4.1"],
    "m/claude": ["anthropic", "claude-sonnet-4-5"],
    "m/deepseek": ["deepseek", "deepseek-chat"],
    "m/gpt-responses": ["azure", "gpt-5.4"],
    "m/kimi": ["moonshot", "kimi-k2"],
    "m/glm": ["zai", "glm-4.6"],
    "m/local": ["vllm", "qwen"],
    "m/grok": ["xai", "grok-4.3"],
    "m/router": ["openrouter", "x-ai/grok-4.3"],
    "m/pixtral": ["mistral", "pixtral-large"],
  })
})

beforeEach(() => {
  world.script = { text: "Hi" }
})

afterAll(() => world[Symbol.asyncDispose]())

const LONG =
  "mcp__plugin_claude-code-home-manager_github__pull_request_read_and_comment_with_reviews"
const DOTTED = "srv.tool:x"

const ALL = FORMATS.flatMap((format) =>
  [false, true].map((stream): [Format, boolean] => [format, stream]),
)

/** Returns the name of the only tool in a request of any format. */
function nameIn({ tools }: JsonObject): string {
  const [tool] = tools as { readonly name?: string; readonly function?: { name: string } }[]
  return tool?.function?.name ?? tool?.name ?? ""
}

describe.each(ALL)("tools in a request at %s, streamed: %p", (format, stream) => {
  test.each(["m/deepseek", "m/kimi", "m/gpt"])(
    "get a shorter name for %s, and the caller gets its original name back",
    async (model) => {
      const isMaker = model === "m/gpt" && (format === "chat" || format === "responses")
      if (isMaker) return
      const first = await world.ask(format, model, { tools: [{ name: LONG }] }, { stream })
      const name = nameIn(first.sent.body)
      expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
      world.script = { text: "Calling.", calls: [{ name, arguments: '{"a":"1"}' }] }
      const { sent, calls } = await world.ask(
        format,
        model,
        { tools: [{ name: LONG }] },
        { stream },
      )
      expect(calls).toEqual([{ name: LONG, arguments: { a: "1" } }])
      expect(nameIn(sent.body)).toBe(name)
    },
  )

  test("keep their names if the vendor accepts the names", async () => {
    for (const model of ["m/local", "m/claude"]) {
      const { sent, losses } = await world.ask(
        format,
        model,
        { tools: [{ name: LONG }] },
        { stream },
      )
      expect([nameIn(sent.body), losses]).toEqual([LONG, ""])
    }
  })
})

test("tool names with punctuation that only Google accepts are adapted in tools, history and tool choice", async () => {
  const body = {
    contents: [
      { role: "user", parts: [{ text: "Go on." }] },
      { role: "model", parts: [{ functionCall: { name: DOTTED, args: {} } }] },
      { role: "user", parts: [{ functionResponse: { name: DOTTED, response: { ok: true } } }] },
    ],
    tools: [{ functionDeclarations: [{ name: DOTTED }] }],
    toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: [DOTTED] } },
  }
  const { sent } = await world.post("/v1beta/models/m/claude:generateContent", body)
  const name = nameIn(sent.body)
  expect(name).toMatch(/^[A-Za-z0-9_-]+$/)
  expect(sent.body.tool_choice).toEqual({ type: "tool", name })
  expect(sent.body.messages).toMatchObject([
    {},
    { content: [{ type: "tool_use", name }] },
    { content: [{ type: "tool_result" }] },
  ])
})

test("a long function name in the legacy format is shortened in `functions` and `function_call`", async () => {
  const asked = {
    model: "m/deepseek",
    messages: [{ role: "user", content: "Go on." }],
    functions: [{ name: LONG }],
    function_call: { name: LONG },
  }
  const { sent } = await world.post("/v1/chat/completions", asked)
  const [declared] = sent.body.functions as { readonly name: string }[]
  expect(declared?.name.length).toBeLessThanOrEqual(64)
  expect(sent.body.function_call).toEqual({ name: declared?.name ?? "" })
})

test("a long id of a tool call is shortened to the same id in the call and in its result", async () => {
  const id = `call_${"x".repeat(60)}`
  const { sent } = await world.post("/v1/messages", {
    model: "m/gpt",
    max_tokens: 50,
    messages: [
      { role: "user", content: "Go on." },
      { role: "assistant", content: [{ type: "tool_use", id, name: "f", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "ok" }] },
    ],
    tools: [{ name: "f", input_schema: { type: "object" } }],
  })
  const [, call, result] = sent.body.messages as JsonObject[]
  const [made] = (call?.tool_calls ?? []) as { readonly id: string }[]
  expect(made?.id.length).toBeLessThanOrEqual(40)
  expect(result?.tool_call_id).toBe(made?.id ?? "")
})

test("the first tools and the required tool are kept for a vendor with a maximum number of tools", async () => {
  const tools = Array.from({ length: 130 }, (_, index) => ({
    name: `t${index}`,
    input_schema: { type: "object" },
  }))
  const { sent, losses } = await world.post("/v1/messages", {
    model: "m/gpt",
    max_tokens: 50,
    messages: [{ role: "user", content: "Go on." }],
    tools,
    tool_choice: { type: "tool", name: "t129" },
  })
  const names = (sent.body.tools as JsonObject[]).map((tool) => (tool.function as JsonObject).name)
  expect(names).toEqual([...tools.slice(0, 127).map(({ name }) => name), "t129"])
  expect(losses).toBe("tools:dropped")
})

test.each(["required", { type: "function", function: { name: "f" } }])(
  "a required tool choice is dropped for a vendor that supports only auto: %p",
  async (choice) => {
    const { sent, losses } = await world.post("/v1/chat/completions", {
      model: "m/glm",
      messages: [{ role: "user", content: "Go on." }],
      tools: [{ type: "function", function: { name: "f" } }],
      tool_choice: choice,
    })
    expect(sent.body).not.toHaveProperty("tool_choice")
    expect(losses).toBe("tool_choice:approximated")
  },
)

test("tools are dropped if the caller forbids calls and the vendor has no tool choice that forbids them", async () => {
  const { sent, losses } = await world.post("/v1/chat/completions", {
    model: "m/glm",
    messages: [{ role: "user", content: "Go on." }],
    tools: [{ type: "function", function: { name: "f" } }],
    tool_choice: "none",
  })
  expect([sent.body.tools, sent.body.tool_choice, losses]).toEqual([undefined, undefined, ""])
})

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

test("the oldest images are dropped for a vendor with a maximum number of images", async () => {
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } }
  const { sent, losses } = await world.post("/v1/messages", {
    model: "m/pixtral",
    max_tokens: 50,
    messages: [{ role: "user", content: Array.from({ length: 10 }, () => image) }],
  })
  const [{ content } = { content: [] }] = sent.body.messages as { content: JsonObject[] }[]
  expect(content.map(({ type }) => type)).toEqual([
    "text",
    "text",
    ...Array.from({ length: 8 }, () => "image_url"),
  ])
  expect(losses).toBe("image:dropped")
})

test("the type of an image is determined by its bytes", async () => {
  const { sent } = await world.post("/v1/chat/completions", {
    model: "m/claude",
    messages: [
      {
        role: "user",
        content: [{ type: "image_url", image_url: { url: `data:image/jpeg;base64,${PNG}` } }],
      },
    ],
  })
  expect(sent.body.messages).toMatchObject([
    { content: [{ type: "image", source: { media_type: "image/png" } }] },
  ])
})

test("the last four cache markers are kept for Claude, and earlier markers are dropped", async () => {
  const marked = (text: string) => ({ type: "text", text, cache_control: { type: "ephemeral" } })
  const { sent, losses } = await world.post("/v1/chat/completions", {
    model: "m/claude",
    messages: [
      { role: "user", content: [marked("1"), marked("2"), marked("3")] },
      { role: "assistant", content: "Yes." },
      { role: "user", content: [marked("4"), marked("5")] },
    ],
  })
  const marks = JSON.stringify(sent.body).match(/cache_control/g)
  expect([marks?.length, losses]).toEqual([4, "cache_control:approximated"])
})

test.each(["m/deepseek", "m/gpt-responses"])(
  "%s gets the tools of a coding agent, except for a tool without a price",
  async (model) => {
    const asked = {
      model,
      input: "Go on.",
      tools: [
        { type: "function", name: "shell", parameters: { type: "object", properties: {} } },
        { type: "web_search", external_web_access: false },
        { type: "some_new_tool" },
      ],
      tool_choice: "auto",
    }
    const { sent, losses } = await world.post("/v1/responses", asked)
    expect(sent.body.tools).toMatchObject([{ type: "function", name: "shell" }])
    expect(losses).toBe("tools:dropped")
    const strict = await world.request("/v1/responses", asked, { "x-tollgate-strict": "true" })
    expect([strict.status, await strict.text()]).toEqual([
      400,
      expect.stringContaining("feature_not_priced"),
    ])
    const alone = { ...asked, tools: asked.tools.slice(1) }
    expect((await world.request("/v1/responses", alone)).status).toBe(400)
    const required = { ...asked, tool_choice: { type: "web_search" } }
    expect((await world.request("/v1/responses", required)).status).toBe(400)
  },
)

describe.each(["m/grok", "m/router"])("Codex at %s", (model) => {
  const SHELL = { type: "function", name: "shell", parameters: { type: "object", properties: {} } }
  const REASONING = { type: "reasoning", summary: [], content: null, encrypted_content: "abc" }
  const asked = {
    model,
    store: false,
    input: [
      { role: "user", content: "Hi" },
      REASONING,
      { role: "assistant", content: "Hello." },
      { role: "user", content: "Go on." },
    ],
    tools: [
      SHELL,
      { type: "tool_search" },
      { type: "local_shell" },
      { type: "web_search", external_web_access: true },
    ],
    tool_choice: "auto",
  }

  // A custom tool is sent as a function, so that the request is encoded again.
  test.each([
    ["unchanged", []],
    ["rewritten", [{ type: "custom", name: "patch" }]],
  ] as const)("sends the tools that the provider accepts, %s", async (_, more) => {
    const { sent, losses } = await world.post("/v1/responses", {
      ...asked,
      tools: [...asked.tools, ...more],
    })
    const types = (sent.body.tools as JsonObject[]).map(({ type }) => type)
    expect(types.toSorted()).toEqual([...more.map(() => "function"), "function", "web_search"])
    expect(losses).toBe("tools:dropped")
    expect(JSON.stringify(sent.body)).not.toContain("external_web_access")
    expect(JSON.stringify(sent.body)).not.toContain('"content":null')
  })

  test("gets a reported loss if a search in the cache would become a search of the live web", async () => {
    const tools = [SHELL, { type: "web_search", external_web_access: false }]
    const { sent, losses } = await world.post("/v1/responses", { ...asked, tools })
    expect(sent.body.tools).toMatchObject([{ type: "function" }, { type: "web_search" }])
    expect(losses).toBe("external_web_access:dropped")
  })

  test("gets an error if it requests strict handling", async () => {
    const strict = await world.request("/v1/responses", asked, { "x-tollgate-strict": "true" })
    expect(strict.status).toBe(400)
  })

  test("gets a response even if all of its tools are dropped", async () => {
    const tools = [{ type: "tool_search" }]
    const { sent } = await world.post("/v1/responses", { ...asked, tools })
    expect(sent.body).not.toHaveProperty("tools")
    expect(sent.body).not.toHaveProperty("tool_choice")
  })
})
