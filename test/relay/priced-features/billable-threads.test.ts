import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test"
import { provider, startGateway, type TestCaller, type TestGateway } from "../../support/gateway.ts"
import { message } from "../billable-frames.ts"
import { type ScriptedVendor, startVendor } from "../scripted-vendor.ts"
import { HELLO, nanocredits, nothingHeld, receiptOf } from "../support.ts"

/**
 * The path of threads. A thread keeps the declarations of its first request for later turns (@anthropic-ai/sdk 1.12,
 * ThreadState), which can use the tools without naming them.
 */

const MESSAGES = "/v1/messages"
const CREATE = { thread: { type: "create" } }
const HEAD = { model: "anthropic/claude-opus-4-8", max_tokens: 100, messages: HELLO }
const SEARCH = { type: "web_search_20250305", name: "web_search" }
const OWN = { name: "Bash", input_schema: { type: "object" } }

let vendor: ScriptedVendor
let gateway: TestGateway
let caller: TestCaller
let responses = 0
let usage: Record<string, unknown>

beforeAll(async () => {
  vendor = startVendor(() => Response.json(message([], usage, { id: `msg_${responses++}` })))
  const anthropic = provider(vendor.url.replace(/\/v1$/, ""), "anthropic")
  gateway = await startGateway({ providers: { anthropic: { ...anthropic, knownModels: true } } })
  caller = await gateway.caller("10")
})

beforeEach(() => {
  usage = {}
  vendor.bodies.length = 0
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

const BILLED: readonly [place: string, body: object][] = [
  ["tools[1].type", { tools: [OWN, SEARCH] }],
  ["tools[0].type", { tools: [{ type: "web_fetch_20250910", name: "web_fetch" }] }],
  ["tools[0].type", { tools: [{ type: "code_execution_20250825", name: "code_execution" }] }],
  ["tools[0].type", { tools: [{ type: "advisor_20260301", name: "advisor", model: "x" }] }],
  ["tools[0].type", { tools: [{ type: "mcp_toolset", mcp_server_name: "a" }] }],
]

test.each(BILLED)(
  "a thread that stores a charged tool is rejected: %s of %j",
  async (place, body) => {
    for (const thread of [{ type: "create" }, { type: "continue", previous_message_id: "msg_x" }]) {
      if (thread.type === "continue") {
        const left = await caller.post(MESSAGES, { ...HEAD, ...CREATE })
        Object.assign(thread, { previous_message_id: ((await left.json()) as { id: string }).id })
        vendor.bodies.length = 0
      }
      const rejected = await caller.post(MESSAGES, { ...HEAD, ...body, thread })
      const text = await rejected.text()
      expect(rejected.status, text).toBe(400)
      expect(JSON.parse(text)).toMatchObject({
        error: {
          type: "invalid_request_error",
          param: place,
          details: { error_code: "thread_unsupported_request", unsupported: ["thread"] },
        },
      })
    }
    expect(vendor.bodies).toBeEmpty()
    await nothingHeld(caller)
  },
)

test("a priced tool can be used without a thread, and a thread can be used with the caller's own tools", async () => {
  usage = { server_tool_use: { web_search_requests: 3 } }
  const whole = await caller.post(MESSAGES, { ...HEAD, tools: [SEARCH] })
  await whole.text()
  expect((await receiptOf(caller, whole)).usage).toMatchObject({ search: 3 })
  usage = {}
  const first = await caller.post(MESSAGES, { ...HEAD, ...CREATE, tools: [OWN] })
  const { id } = (await first.json()) as { id: string }
  const thread = { type: "continue", previous_message_id: id }
  const second = await caller.post(MESSAGES, { ...HEAD, thread })
  expect(second.status, await second.text()).toBe(200)
})

const DEFINED = { type: "tool_addition", tool: { type: "tool_definition", definition: SEARCH } }
const COMPACTED = { type: "compaction", content: "Before.", tool_changes: [DEFINED] }

const DEFINING: readonly [place: string, messages: readonly object[]][] = [
  [
    "messages[1].content[0].tool.definition.type",
    [...HELLO, { role: "system", content: [DEFINED] }],
  ],
  [
    "messages[0].content[0].tool_changes[0].tool.definition.type",
    [{ role: "assistant", content: [COMPACTED] }, ...HELLO],
  ],
  [
    "messages[0].content[0].tool.definition.type",
    [{ role: "user", content: [DEFINED, { type: "text", text: "Hi" }] }],
  ],
  [
    "messages[0].content[0].tool_changes[0].tool.definition.type",
    [{ role: "user", content: [COMPACTED, { type: "text", text: "Hi" }] }],
  ],
]

test.each(DEFINING)(
  "the hold for a tool defined at %s equals the hold for a tool in the list of tools",
  async (place, messages) => {
    usage = { server_tool_use: { web_search_requests: 3 } }
    const named = await caller.post(MESSAGES, { ...HEAD, tools: [SEARCH] })
    await named.text()
    const defined = await caller.post(MESSAGES, { ...HEAD, messages })
    expect(defined.status, await defined.text()).toBe(200)
    const [own, other] = [await receiptOf(caller, defined), await receiptOf(caller, named)]
    expect(own.usage).toMatchObject({ search: 3 })
    expect(nanocredits(own.hold)).toBeGreaterThanOrEqual(nanocredits(other.hold))
    const unknown = JSON.parse(JSON.stringify(messages).replaceAll(SEARCH.type, "weather_20300101"))
    const rejected = await caller.post(MESSAGES, { ...HEAD, messages: unknown })
    expect(rejected.status).toBe(400)
    expect(await rejected.json()).toMatchObject({ error: { param: place } })
    const kept = await caller.post(MESSAGES, { ...HEAD, ...CREATE, messages })
    expect(await kept.json()).toMatchObject({
      error: { param: place, details: { error_code: "thread_unsupported_request" } },
    })
  },
)
