import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { provider, simulated, startGateway } from "../../support/gateway.ts"
import { message, response } from "../billable-frames.ts"
import { CHAT, HELLO, nanocredits, receiptOf } from "../support.ts"
import {
  CLAUDE_CODE,
  CODEX,
  gateway,
  type Json,
  MESSAGES,
  RESPONSES,
  setUp,
  tearDown,
  vendor,
  vendorDoes,
  whenAsked,
} from "./billable-agents-world.ts"

beforeAll(setUp)
afterAll(tearDown)

/** The requests are those that agents send, with the known prices of their vendors. */

describe("requests of coding agents", () => {
  test("reach OpenAI unchanged from Codex, and the searches are charged", async () => {
    const search = { type: "web_search_call", id: "ws_1", action: { type: "search", query: "q" } }
    whenAsked(RESPONSES, response([search, search], { service_tier: "default" }))
    const caller = await gateway.caller("10")
    const asked = await caller.post(RESPONSES, CODEX)
    const text = await asked.text()
    expect(asked.status, text).toBe(200)
    const { model: _, ...sent } = CODEX
    expect(vendor.bodies.at(-1)).toMatchObject(sent)
    const receipt = await receiptOf(caller, asked)
    expect(receipt.usage).toEqual({ input: 100, output: 10, search: 2 })
    // 100 tokens at 2.50 per million, 10 tokens at 15 per million, and two searches at 10 per thousand.
    expect(nanocredits(receipt.cost)).toBe(250_000n + 150_000n + 20_000_000n)
    // A few credits are enough for an agent, which may then make fewer searches.
    const poor = await gateway.caller("3")
    const second = await poor.post(RESPONSES, CODEX)
    await second.text()
    expect(second.headers.get("x-tollgate-max-tokens")).toBeNull()
    expect(vendor.bodies.at(-1)).toMatchObject({ max_tool_calls: 4 })
  })

  test("cost the price of the reported service tier in Codex's fast mode", async () => {
    whenAsked(RESPONSES, response([], { service_tier: "priority" }))
    const caller = await gateway.caller("10")
    const asked = await caller.post(RESPONSES, { ...CODEX, service_tier: "priority" })
    await asked.text()
    const receipt = await receiptOf(caller, asked)
    expect(receipt).toMatchObject({ modes: ["priority"], price: { per_million: { input: "5" } } })
    expect(nanocredits(receipt.cost)).toBe(800_000n)
  })

  test("reach Anthropic unchanged from Claude Code, and the cache and searches are charged", async () => {
    const usage = {
      cache_creation_input_tokens: 1_000,
      cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 1_000 },
      server_tool_use: { web_search_requests: 3, web_fetch_requests: 0 },
      service_tier: "standard",
      speed: "standard",
      inference_geo: "global",
    }
    const use = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} }
    whenAsked(MESSAGES, message([use], usage))
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

  test("have the model's fast price in Claude Code's fast mode", async () => {
    whenAsked(MESSAGES, message([], { speed: "fast" }))
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
    "cost only the price of their tokens: %s",
    async (id) => {
      whenAsked(RESPONSES, response([]))
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

  test("do not include a server tool in a namespace, which is rejected if it has no price", async () => {
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
        "`tools[0].tools[0].type` asks for `image_generation`, which cannot be priced: the price of such a tool is unknown. Leave it out, or choose another model.",
    })
  })
})

describe("requested features that are not sent to the vendor", () => {
  test("include a tool without an equivalent in the vendor's dialect, and cost nothing", async () => {
    whenAsked(MESSAGES, message([]))
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
    // The difference is only the prompt that a vendor adds for tools, estimated by its bytes.
    expect(nanocredits(receipt.hold) - nanocredits(hold)).toBeLessThan(1_000_000n)
  })

  test("include a service tier that exists only in the caller's dialect", async () => {
    vendorDoes.response = () =>
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
})

test("a request is sent only to deployments with a price for each of its features", async () => {
  whenAsked(RESPONSES, response([]))
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
