import { describe, expect, test } from "bun:test"
import { modelAt, sixUpstreams, type Upstream, UPSTREAMS } from "../matrix/six-upstreams.ts"
import { ask, framesOf } from "./agent-requests.ts"

const upstreams = sixUpstreams()

const PATH = "/v1/messages?beta=true"
const BETAS = [
  "claude-code-20250219",
  "context-1m-2025-08-07",
  "interleaved-thinking-2025-05-14",
  "thinking-token-count-2026-05-13",
  "context-management-2025-06-27",
  "prompt-caching-scope-2026-01-05",
  "mid-conversation-system-2026-04-07",
  "effort-2025-11-24",
]

const HEADERS = {
  accept: "application/json",
  "user-agent": "claude-cli/2.1.197 (external, sdk-cli)",
  "anthropic-beta": BETAS.join(","),
  "anthropic-dangerous-direct-browser-access": "true",
  "anthropic-version": "2023-06-01",
  "x-app": "cli",
  "x-claude-code-session-id": "0ba891fd-fb5e-43a3-bf7e-565e3de932db",
  "x-stainless-lang": "js",
  "x-stainless-retry-count": "0",
  "x-stainless-timeout": "600",
}

const MARK = { cache_control: { type: "ephemeral" } }

const SYSTEM = [
  { type: "text", text: "x-anthropic-billing-header: cc_version=2.1.197.8c9; cc_entrypoint=cli;" },
  { type: "text", text: "You are Claude Code.", ...MARK },
]

const METADATA = { user_id: JSON.stringify({ device_id: "2eee2cee", account_uuid: "" }) }

const TOOLS = ["Edit", "Bash"].map((name) => ({
  name,
  description: `Runs ${name}.`,
  input_schema: {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: { command: { type: "string" }, all: { default: false, type: "boolean" } },
    required: ["command"],
    additionalProperties: false,
  },
}))

const TASK = 'call Edit {"command":"a"}\ncall Bash {"command":"b"}'

const CONVERSATION = [
  {
    role: "user",
    content: [
      { type: "text", text: "<system-reminder>\nThe date is 2026-11-22.\n</system-reminder>" },
      { type: "text", text: TASK },
    ],
  },
  { role: "system", content: "Available agent types for the Agent tool:\n- claude" },
]

interface Block {
  readonly type: string
  readonly id?: string
  readonly name?: string
  readonly input?: object
}

interface Delta {
  readonly text?: string
  readonly thinking?: string
  readonly signature?: string
  readonly partial_json?: string
}

/** Returns the blocks of a streamed response, assembled as by Anthropic's SDK. */
async function blocksOf(response: Response): Promise<readonly Block[]> {
  const frames = await framesOf(response)
  expect(frames[0]).toMatchObject({ type: "message_start", message: { role: "assistant" } })
  expect(frames.at(-2)).toMatchObject({
    type: "message_delta",
    delta: { stop_reason: expect.any(String) },
    usage: { input_tokens: expect.any(Number), output_tokens: expect.any(Number) },
  })
  expect(frames.at(-1)).toEqual({ type: "message_stop" })
  const begun = frames.filter(({ type }) => type === "content_block_start")
  return begun.map(({ index, content_block }) => {
    const deltas = frames
      .filter((frame) => frame.type === "content_block_delta" && frame.index === index)
      .map(({ delta }) => delta as Delta)
    return blockOf(content_block as Block, deltas)
  })
}

function blockOf(begun: Block, deltas: readonly Delta[]): Block {
  const all = (name: keyof Delta) => deltas.map((delta) => delta[name] ?? "").join("")
  switch (begun.type) {
    case "tool_use":
      return { ...begun, input: JSON.parse(all("partial_json") || "{}") as object }
    case "thinking":
      return { ...begun, thinking: all("thinking"), signature: all("signature") } as Block
    default:
      return { ...begun, text: all("text") } as Block
  }
}

function bodyFor(upstream: Upstream, messages: readonly object[]): object {
  return {
    model: modelAt(upstream),
    messages,
    system: SYSTEM,
    tools: TOOLS,
    metadata: METADATA,
    max_tokens: 32_000,
    thinking: { type: "adaptive" },
    context_management: { edits: [{ type: "clear_thinking_20251015", keep: "all" }] },
    output_config: { effort: "high" },
    stream: true,
  }
}

async function turn(upstream: Upstream, messages: readonly object[]): Promise<readonly Block[]> {
  const body = bodyFor(upstream, messages)
  return blocksOf(await ask(upstreams, { path: PATH, headers: HEADERS, body }))
}

describe.each(UPSTREAMS)("Claude Code with %s", (upstream) => {
  const model = modelAt(upstream)
  const messages = [{ role: "user", content: "quota" }]

  test("calls its tools in sequence and completes its task, with thinking", async () => {
    let conversation: readonly object[] = CONVERSATION
    const calls: Block[] = []
    for (;;) {
      const content = await turn(upstream, conversation)
      const call = content.find(({ type }) => type === "tool_use")
      if (call === undefined) break
      calls.push(call)
      const result = { tool_use_id: call.id, type: "tool_result", content: "done", ...MARK }
      conversation = [
        ...conversation,
        { role: "assistant", content },
        { role: "user", content: [result] },
      ]
    }
    expect(calls).toMatchObject([
      { name: "Edit", input: { command: "a" } },
      { name: "Bash", input: { command: "b" } },
    ])
  })

  test("receives a title in the requested schema", async () => {
    const properties = { title: { type: "string" } }
    const schema = { type: "object", properties, required: ["title"], additionalProperties: false }
    const body = {
      model,
      messages: [{ role: "user", content: [{ type: "text", text: "<session>\nHi</session>" }] }],
      system: SYSTEM,
      tools: [],
      metadata: METADATA,
      max_tokens: 32_000,
      output_config: { effort: "high", format: { type: "json_schema", schema } },
    }
    const headers = { ...HEADERS, "anthropic-beta": "structured-outputs-2025-12-15" }
    // Models without structured output receive the schema as text, and thinking is switched off. The loss is reported.
    const response = await upstreams.caller.post(PATH, body, headers)
    expect(response.status).toBe(200)
    const { content } = (await response.json()) as { content: { type: string; text?: string }[] }
    const said = content.find(({ type }) => type === "text")?.text ?? ""
    expect(JSON.parse(said)).toEqual({ title: expect.any(String) })
  })

  test.each([0, 1])("checks its access with a request for max_tokens %d", async (max_tokens) => {
    const body = { model, max_tokens, messages, metadata: METADATA }
    const response = await upstreams.caller.post(PATH, body, HEADERS)
    expect([response.status, await response.json()]).toMatchObject([200, { type: "message" }])
  })

  test("counts its tokens", async () => {
    const body = { model, messages, system: SYSTEM, tools: TOOLS, thinking: { type: "adaptive" } }
    const path = "/v1/messages/count_tokens?beta=true"
    const response = await ask(upstreams, { path, headers: HEADERS, body })
    expect(await response.json()).toEqual({ input_tokens: expect.any(Number) })
  })

  test("searches the web with a separate request", async () => {
    const body = {
      ...bodyFor(upstream, [{ role: "user", content: "Perform a web search for the query: Oslo" }]),
      tools: [{ type: "web_search_20250305", name: "web_search", max_uses: 8 }],
      tool_choice: { type: "auto" },
    }
    const response = await upstreams.caller.post(PATH, body, HEADERS)
    expect(response.status).toBe(200)
    const blocks = await blocksOf(response)
    expect(blocks.some(({ type }) => type === "text")).toBe(true)
  })
})

test("Claude Code first checks whether the address answers", async () => {
  const response = await fetch(upstreams.gateway.url, { method: "HEAD", redirect: "manual" })
  expect(response.status).toBe(302)
})

test("the model names that Claude Code uses can be aliases of a key", async () => {
  const model = "claude-haiku-4-5-20251001"
  const aliases = { [model]: modelAt("openai-chat") }
  const caller = await upstreams.gateway.caller("10", { aliases })
  const body = { model, max_tokens: 512, messages: [{ role: "user", content: "Hello" }] }
  const response = await caller.post(PATH, body, HEADERS)
  expect([response.status, await response.json()]).toMatchObject([200, { type: "message", model }])
})
