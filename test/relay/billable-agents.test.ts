import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { ModelSettings, ProviderSettings } from "../../src/config/settings.ts"
import { provider, simulated, startGateway, type TestGateway } from "../support/gateway.ts"
import { completion, framesOf, message, response } from "./billable-frames.ts"
import { type ScriptedVendor, startVendor, streamed } from "./scripted-vendor.ts"
import {
  CHAT,
  HELLO,
  nanocredits,
  nothingHeld,
  onlyReceipt,
  readUntil,
  receiptOf,
} from "./support.ts"
import { until } from "../support/until.ts"

/** Requests as agents send them, at the prices that are known of their vendors today. */

type Json = Record<string, unknown>

const MESSAGES = "/v1/messages"
const RESPONSES = "/v1/responses"

let gateway: TestGateway
let vendor: ScriptedVendor
let answer: (body: Json) => Response

beforeAll(async () => {
  vendor = startVendor((_, number) => answer(vendor.bodies[number - 1] ?? {}))
  const bare = vendor.url.replace(/\/v1$/, "")
  const known = (id: string, baseUrl = vendor.url): ProviderSettings => ({
    ...provider(baseUrl, id),
    knownModels: true,
  })
  const models: Record<string, ModelSettings> = {
    // Three vendors of one model: only the first one's searches have a price.
    "mixed/searching": simulated({
      deployments: [
        { provider: "unpriced", model: "up", weight: 1 },
        { provider: "openai", model: "up", weight: 1 },
      ],
    }),
    "claude/plain": simulated({ deployments: [{ provider: "anthropic", model: "up", weight: 1 }] }),
    "gpt/plain": simulated({ deployments: [{ provider: "openai", model: "up", weight: 1 }] }),
    "gemini/plain": simulated({ deployments: [{ provider: "google", model: "up", weight: 1 }] }),
  }
  gateway = await startGateway({
    providers: {
      openai: { ...known("openai"), dialects: ["openai-responses"] },
      anthropic: known("anthropic", bare),
      google: { ...provider(bare, "google") },
      unpriced: { ...provider(vendor.url, "azure"), dialects: ["openai-responses"] },
    },
    models,
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

const told = (path: string, whole: Json): void => {
  answer = (body) =>
    body["stream"] === true ? streamed(framesOf(path, whole)) : Response.json(whole)
}

/** What Codex sends with every turn. */
const CODEX: Json = {
  model: "openai/gpt-5.4",
  instructions: "You are a coding agent.",
  input: [{ type: "message", role: "user", content: [{ type: "input_text", text: "Hello" }] }],
  tools: [
    { type: "function", name: "exec_command", parameters: { type: "object", properties: {} } },
    {
      type: "custom",
      name: "apply_patch",
      format: { type: "grammar", syntax: "lark", definition: "start: /.+/" },
    },
    { type: "web_search", external_web_access: true },
    { type: "local_shell" },
    {
      type: "namespace",
      name: "agents",
      tools: [{ type: "function", name: "spawn_agent", parameters: { type: "object" } }],
    },
  ],
  tool_choice: "auto",
  parallel_tool_calls: false,
  reasoning: { effort: "medium", summary: "auto" },
  store: false,
  stream: true,
  include: ["reasoning.encrypted_content"],
  prompt_cache_key: "0199-aaaa",
  client_metadata: { "x-codex-turn": "1" },
  text: { verbosity: "low" },
}

/** What Claude Code sends when it searches, and with every turn. */
const CLAUDE_CODE: Json = {
  model: "anthropic/claude-opus-4-8",
  max_tokens: 1_000,
  stream: true,
  system: [{ type: "text", text: "You are an agent.", cache_control: { type: "ephemeral" } }],
  messages: [
    {
      role: "user",
      content: [{ type: "text", text: "Hello", cache_control: { type: "ephemeral", ttl: "1h" } }],
    },
  ],
  tools: [
    { name: "Bash", description: "Runs", input_schema: { type: "object" } },
    { type: "web_search_20250305", name: "web_search", max_uses: 8 },
  ],
  metadata: { user_id: "user_1" },
  thinking: { type: "adaptive" },
  context_management: { edits: [{ type: "clear_thinking_20251015", keep: "all" }] },
  output_config: { effort: "high" },
}

describe("an agent's request", () => {
  test("Codex: is priced as it comes, and its searches are paid", async () => {
    const search = { type: "web_search_call", id: "ws_1", action: { type: "search", query: "q" } }
    told(RESPONSES, response([search, search], { service_tier: "default" }))
    const caller = await gateway.caller("10")
    const asked = await caller.post(RESPONSES, CODEX)
    const text = await asked.text()
    expect(asked.status, text).toBe(200)
    const { model: _, ...sent } = CODEX
    expect(vendor.bodies.at(-1)).toMatchObject(sent)
    const receipt = await receiptOf(caller, asked)
    expect(receipt.usage).toEqual({ input: 100, output: 10, search: 2 })
    // 100 at 2.50 and 10 at 15 a million, and two searches at 10 a thousand.
    expect(nanocredits(receipt.cost)).toBe(250_000n + 150_000n + 20_000_000n)
    // An account of a few credits has to be enough for an agent.
    expect(nanocredits(receipt.hold)).toBeLessThan(3_000_000_000n)
  })

  test("Codex, in its fast mode: is paid at the price of what served it", async () => {
    told(RESPONSES, response([], { service_tier: "priority" }))
    const caller = await gateway.caller("10")
    const asked = await caller.post(RESPONSES, { ...CODEX, service_tier: "priority" })
    await asked.text()
    const receipt = await receiptOf(caller, asked)
    expect(receipt).toMatchObject({ modes: ["priority"], price: { per_million: { input: "5" } } })
    expect(nanocredits(receipt.cost)).toBe(800_000n)
  })

  test("Claude Code: is priced as it comes, its cache and its searches too", async () => {
    const usage = {
      cache_creation_input_tokens: 1_000,
      cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 1_000 },
      server_tool_use: { web_search_requests: 3, web_fetch_requests: 0 },
      service_tier: "standard",
      speed: "standard",
      inference_geo: "global",
    }
    const use = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} }
    told(MESSAGES, message([use], usage))
    const caller = await gateway.caller("10")
    const asked = await caller.post(MESSAGES, CLAUDE_CODE, {
      "anthropic-version": "2023-06-01",
      "anthropic-beta": "context-management-2025-06-27",
    })
    const text = await asked.text()
    expect(asked.status, text).toBe(200)
    const { model: _, ...sent } = CLAUDE_CODE
    expect(vendor.bodies.at(-1)).toMatchObject(sent)
    const receipt = await receiptOf(caller, asked)
    expect(receipt.usage).toEqual({ input: 100, cache_write_1h: 1_000, output: 10, search: 3 })
    expect(nanocredits(receipt.cost)).toBe(500_000n + 10_000_000n + 250_000n + 30_000_000n)
  })

  test("Claude Code, in its fast mode: at the model's own price for it", async () => {
    told(MESSAGES, message([], { speed: "fast" }))
    const caller = await gateway.caller("10")
    const asked = await caller.post(MESSAGES, { ...CLAUDE_CODE, tools: [], speed: "fast" })
    await asked.text()
    const receipt = await receiptOf(caller, asked)
    expect(nanocredits(receipt.cost)).toBe(2n * 750_000n)
  })
})

describe("tools that run on the caller's side", () => {
  const tools = [
    { type: "function", name: "exec_command", parameters: { type: "object", properties: {} } },
    { type: "custom", name: "apply_patch" },
    { type: "namespace", name: "agents", tools: [{ type: "function", name: "spawn_agent" }] },
    { type: "tool_search", execution: "client" },
    { type: "local_shell" },
    { type: "shell" },
    { type: "shell", environment: { type: "local" } },
    { type: "apply_patch" },
    { type: "computer" },
    { type: "computer_use_preview", environment: "browser" },
  ]

  test.each(["openai", "azure", "xai", "openrouter", "openai-compatible"])(
    "%s: bill nothing but their tokens",
    async (id) => {
      told(RESPONSES, response([]))
      await using own = await startGateway({
        providers: { one: { ...provider(vendor.url, id), dialects: ["openai-responses"] } },
        models: { "one/m": simulated() },
      })
      const caller = await own.caller("10")
      for (const tool of tools) {
        const asked = await caller.post(RESPONSES, { model: "one/m", input: "Hi", tools: [tool] })
        expect(asked.status, await asked.text()).toBe(200)
      }
    },
  )

  test("a server's tool in a namespace is still billed", async () => {
    await using own = await startGateway({
      providers: { one: { ...provider(vendor.url, "xai"), dialects: ["openai-responses"] } },
      models: { "one/m": simulated() },
    })
    const caller = await own.caller("10")
    const namespace = { type: "namespace", name: "agents", tools: [{ type: "image_generation" }] }
    const asked = await caller.post(RESPONSES, { model: "one/m", input: "Hi", tools: [namespace] })
    const { error } = (await asked.json()) as { error: Json }
    expect(error).toMatchObject({
      code: "feature_not_priced",
      param: "tools[0].tools[0].type",
      message:
        "`tools[0].tools[0].type` asks for `image_generation`, which cannot be priced: what such a tool costs is not known. Leave it out, or choose another model.",
    })
  })
})

describe("what does not go to a vendor", () => {
  test("a tool that another dialect has no word for is dropped, not billed and not refused", async () => {
    told(MESSAGES, message([]))
    const caller = await gateway.caller("10")
    const asked = await caller.post(RESPONSES, {
      model: "claude/plain",
      input: "Hello",
      max_output_tokens: 50,
      tools: [{ type: "file_search", vector_store_ids: [] }, { type: "teleport" }],
    })
    expect(asked.status).toBe(200)
    expect(asked.headers.get("x-tollgate-losses")).toContain("tools:dropped")
    const receipt = await receiptOf(caller, asked)
    expect(receipt.usage).toEqual({ input: 100, output: 10 })
    expect(nanocredits(receipt.cost)).toBe(120_000n)
    const plain = await caller.post(RESPONSES, {
      model: "claude/plain",
      input: "Hello",
      max_output_tokens: 50,
    })
    const { hold } = await receiptOf(caller, plain)
    // But for the prompt that a vendor adds for tools, by its bytes.
    expect(nanocredits(receipt.hold) - nanocredits(hold)).toBeLessThan(1_000_000n)
  })

  test("a class of service that goes to another dialect is billed there", async () => {
    answer = () =>
      Response.json({
        candidates: [
          { content: { role: "model", parts: [{ text: "Hello" }] }, finishReason: "STOP" },
        ],
        usageMetadata: {
          promptTokenCount: 100,
          candidatesTokenCount: 10,
          totalTokenCount: 110,
          serviceTier: "priority",
        },
      })
    const caller = await gateway.caller("10")
    const body = {
      model: "gemini/plain",
      messages: HELLO,
      max_tokens: 50,
      service_tier: "priority",
    }
    const asked = await caller.post(CHAT, body)
    expect(asked.status).toBe(200)
    expect(vendor.bodies.at(-1)).toMatchObject({ serviceTier: "priority" })
    const receipt = await receiptOf(caller, asked)
    expect(receipt).toMatchObject({ modes: ["priority"] })
    expect(nanocredits(receipt.cost)).toBe(240_000n)
  })

  test("of several deployments only those are asked at which everything has a price", async () => {
    told(RESPONSES, response([]))
    for (let time = 0; time < 5; time++) {
      const caller = await gateway.caller("10")
      const asked = await caller.post(RESPONSES, {
        model: "mixed/searching",
        input: "Hello",
        max_output_tokens: 50,
        tools: [{ type: "web_search" }],
      })
      expect(asked.status).toBe(200)
      expect(await receiptOf(caller, asked)).toMatchObject({ deployment: "openai/up" })
    }
  })
})

describe("what was done is paid", () => {
  test("also by a caller who leaves before the end", async () => {
    const search = { type: "web_search_call", id: "ws_1", action: { type: "search", query: "q" } }
    const frames = framesOf(RESPONSES, response([search]))
    const delta = {
      type: "response.output_text.delta",
      output_index: 1,
      content_index: 0,
      item_id: "msg_1",
      delta: "Hello",
    }
    answer = () =>
      streamed([
        ...frames.slice(0, 3),
        `event: ${delta.type}\ndata: ${JSON.stringify(delta)}\n\n`,
        60_000,
      ])
    const caller = await gateway.caller("10")
    const leaving = new AbortController()
    const asked = await fetch(`${gateway.url}${RESPONSES}`, {
      method: "POST",
      headers: { authorization: `Bearer ${caller.key}`, "content-type": "application/json" },
      body: JSON.stringify({
        model: "gpt/plain",
        input: "Hi",
        stream: true,
        max_output_tokens: 50,
        tools: [{ type: "web_search" }],
      }),
      signal: leaving.signal,
    })
    const reader = asked.body?.getReader()
    if (!reader) throw new Error("no body")
    await readUntil(reader, (text) => text.includes("Hello"))
    leaving.abort()
    const receipt = await onlyReceipt(gateway, caller)
    expect(receipt).toMatchObject({ status: "settled", estimated: true, usage: { search: 1 } })
    expect(nanocredits(receipt.cost)).toBeGreaterThan(10_000_000n)
  })
})

describe("a number in a usage that is charged to nobody", () => {
  test("is told to the operator, once for each name and deployment", async () => {
    const usage = { teleports: 3, completion_tokens_details: { dreams: 2, reasoning_tokens: 1 } }
    told(CHAT, completion({}, usage))
    const caller = await gateway.caller("10")
    const own = await startGateway({
      providers: { one: provider(vendor.url) },
      models: { "one/m": simulated() },
    })
    try {
      const other = await own.caller("10")
      for (const stream of [false, true, false]) {
        const asked = await other.post(CHAT, {
          model: "one/m",
          messages: HELLO,
          stream,
        })
        expect(asked.status).toBe(200)
        await asked.text()
      }
      await nothingHeld(other)
      const alarms = () => own.heard.filter(({ name }) => name === "usageUncharged")
      await until(() => alarms().length >= 2)
      expect(alarms().map(({ facts }) => facts.slice(1))).toEqual([
        ["one/m", "teleports"],
        ["one/m", "dreams"],
      ])
    } finally {
      await own[Symbol.asyncDispose]()
    }
    expect(await caller.balance()).toBe(10_000_000_000n)
  })
})

describe("the sandbox", () => {
  const ways: readonly [string, string, string, Json][] = [
    [
      "openai",
      "/v1",
      RESPONSES,
      { input: "search: weather search: news", tools: [{ type: "web_search" }] },
    ],
    [
      "anthropic",
      "",
      MESSAGES,
      {
        messages: [{ role: "user", content: "search: weather search: news search: more" }],
        tools: [{ type: "web_search_20250305", name: "web_search", max_uses: 2 }],
        max_tokens: 100,
      },
    ],
  ]

  for (const [id, path, endpoint, body] of ways) {
    for (const stream of [false, true]) {
      test(`searches as ${id} does, ${stream ? "streamed" : "whole"}`, async () => {
        await using own = await startGateway({
          providersAt: (url) => ({
            own: {
              ...provider(url + path, id),
              ...(id === "openai" ? { dialects: ["openai-responses"] } : {}),
            },
          }),
          models: {
            "own/echo": simulated({ deployments: [{ provider: "own", model: "echo", weight: 1 }] }),
          },
        })
        const caller = await own.caller("10")
        const asked = await caller.post(endpoint, { model: "own/echo", stream, ...body })
        const text = await asked.text()
        expect(asked.status, text).toBe(200)
        const receipt = await receiptOf(caller, asked)
        expect(receipt.usage).toMatchObject({ search: 2 })
        expect(nanocredits(receipt.cost)).toBeGreaterThan(20_000_000n)
      })
    }
  }

  test("tells the class of service that it was asked for", async () => {
    await using own = await startGateway({
      providersAt: (url) => ({
        own: { ...provider(`${url}/v1`), prices: { modes: { priority: "2" } } },
      }),
      models: { "own/echo": simulated() },
    })
    const caller = await own.caller("10")
    const body = { model: "own/echo", messages: HELLO, max_tokens: 20 }
    const plain = await receiptOf(caller, await caller.post(CHAT, body))
    const fast = await receiptOf(
      caller,
      await caller.post(CHAT, { ...body, service_tier: "priority" }),
    )
    expect(nanocredits(fast.cost)).toBe(2n * nanocredits(plain.cost))
  })
})
