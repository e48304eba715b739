import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { JsonObject } from "../../../src/canon/json.ts"
import {
  provider,
  simulated,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../support/gateway.ts"
import { message, respond, response } from "../billable-frames.ts"
import { type ScriptedVendor, startVendor } from "../scripted-vendor.ts"
import { HELLO, nanocredits, nothingHeld, type Receipt, receiptOf } from "../support.ts"

const RESPONSES = "/v1/responses"
const MESSAGES = "/v1/messages"
const SEARCH = 10_000_000n
const TOKENS = 120_000n

let vendor: ScriptedVendor
let gateway: TestGateway
let answer: JsonObject = {}

beforeAll(async () => {
  vendor = startVendor((request) =>
    respond(new URL(request.url).pathname, vendor.bodies.at(-1), answer),
  )
  const prices = { search: "10000", file_search: "2500", code_session: "30000" }
  const at = (id: string, ...dialects: string[]) => ({
    ...provider(vendor.url, id),
    dialects,
    prices,
  })
  gateway = await startGateway({
    settings: { vendorState: "any" },
    providers: {
      azure: at("azure", "openai-responses"),
      claude: at("openai-compatible", "anthropic-messages"),
    },
    models: {
      "azure/m": simulated({ context: 1_000_000, maxOutput: 50 }),
      "azure/gpt-image-2": simulated({ context: 1_000_000 }),
      "claude/m": simulated({ context: 1_000_000, maxOutput: 50 }),
      "claude/wise": simulated({ context: 1_000_000 }),
    },
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

interface BoundReceipt extends Receipt {
  readonly usage_beyond_bound?: boolean
  readonly written_off?: string
}

interface Asked {
  readonly caller: TestCaller
  readonly receipt: BoundReceipt
  readonly sent: Record<string, unknown>
}

async function ask(path: string, body: JsonObject, credits = "100"): Promise<Asked> {
  const caller = await gateway.caller(credits)
  const said = path === RESPONSES ? { input: "Hello there" } : { messages: HELLO, max_tokens: 50 }
  const posted = await caller.post(path, { ...said, ...body })
  const text = await posted.text()
  expect(posted.status, text).toBe(200)
  const receipt = (await receiptOf(caller, posted)) as BoundReceipt
  await nothingHeld(caller)
  return { caller, receipt, sent: vendor.bodies.at(-1) ?? {} }
}

function searches(count: number): JsonObject {
  return response([], { tool_usage: { web_search: { num_requests: count } } }) as JsonObject
}

const FILE_SEARCH = { type: "file_search", vector_store_ids: ["vs_1"] }

describe("a limit of tool calls that matches the hold", () => {
  const cases: [string, string, JsonObject, JsonObject][] = [
    [
      "for a search",
      RESPONSES,
      { model: "azure/m", tools: [{ type: "web_search" }] },
      { max_tool_calls: 10, tools: [{ type: "web_search" }] },
    ],
    [
      "for a search of files",
      RESPONSES,
      { model: "azure/m", tools: [FILE_SEARCH] },
      { max_tool_calls: 10, tools: [FILE_SEARCH] },
    ],
    [
      "for images",
      RESPONSES,
      { model: "azure/m", tools: [{ type: "image_generation" }] },
      { max_tool_calls: 4, tools: [{ type: "image_generation" }] },
    ],
    [
      "unless the caller set one",
      RESPONSES,
      { model: "azure/m", tools: [{ type: "web_search" }], max_tool_calls: 25 },
      { max_tool_calls: 25, tools: [{ type: "web_search" }] },
    ],
    [
      "if the caller set null",
      RESPONSES,
      { model: "azure/m", tools: [{ type: "web_search" }], max_tool_calls: null },
      { max_tool_calls: 10, tools: [{ type: "web_search" }] },
    ],
    [
      "in each tool that has its own limit",
      MESSAGES,
      {
        model: "claude/m",
        tools: [
          { type: "web_search_20250305", name: "web_search" },
          { name: "f", input_schema: { type: "object" } },
          { type: "advisor_20260301", name: "advisor", model: "wise" },
        ],
      },
      {
        tools: [
          { type: "web_search_20250305", name: "web_search", max_uses: 10 },
          { name: "f", input_schema: { type: "object" } },
          {
            type: "advisor_20260301",
            name: "advisor",
            model: "wise",
            max_uses: 3,
            max_tokens: 4_096,
          },
        ],
      },
    ],
    [
      "together with a limit for the content of a page",
      MESSAGES,
      { model: "claude/m", tools: [{ type: "web_fetch_20250910", name: "web_fetch" }] },
      {
        tools: [
          {
            type: "web_fetch_20250910",
            name: "web_fetch",
            max_uses: 10,
            max_content_tokens: 25_000,
          },
        ],
      },
    ],
    [
      "unless the caller limited the tool",
      MESSAGES,
      {
        model: "claude/m",
        tools: [{ type: "web_search_20250305", name: "web_search", max_uses: 40 }],
      },
      { tools: [{ type: "web_search_20250305", name: "web_search", max_uses: 40 }] },
    ],
  ]
  for (const [name, path, body, sent] of cases) {
    for (const stream of [false, true]) {
      test(`reaches the vendor ${name}, ${stream ? "streamed" : "whole"}`, async () => {
        const isResponses = body["model"] === "azure/m"
        answer = (isResponses ? response([]) : message([])) as JsonObject
        const asked = await ask(path, { ...body, ...(stream ? { stream } : {}) })
        const { tools, max_tool_calls: max } = asked.sent
        const limits: unknown = { tools, ...(max === undefined ? {} : { max_tool_calls: max }) }
        expect(limits).toEqual(sent)
      })
    }
  }

  test("does not reach the vendor for tools that cost only tokens", async () => {
    answer = response([]) as JsonObject
    const mcp = { type: "mcp", server_label: "a", server_url: "https://example.com" }
    const { sent } = await ask(RESPONSES, { model: "azure/m", tools: [mcp] })
    expect(sent["max_tool_calls"]).toBeUndefined()
  })
})

describe("charges for calls above the hold", () => {
  const tools = [{ type: "web_search" }]
  for (const stream of [false, true]) {
    test(`reduce the balance, ${stream ? "streamed" : "whole"}`, async () => {
      answer = searches(100)
      const { caller, receipt } = await ask(RESPONSES, { model: "azure/m", tools, stream })
      expect(receipt.usage).toMatchObject({ search: 100 })
      expect(receipt.usage_beyond_bound).toBeUndefined()
      expect(await caller.balance()).toBe(100_000_000_000n - TOKENS - 100n * SEARCH)
    })
  }

  test("include searches by Claude", async () => {
    answer = message([], { server_tool_use: { web_search_requests: 40 } }) as JsonObject
    const claude = [{ type: "web_search_20250305", name: "web_search" }]
    const { receipt } = await ask(MESSAGES, { model: "claude/m", tools: claude })
    expect(receipt.usage).toMatchObject({ search: 40 })
    expect(nanocredits(receipt.cost)).toBe(TOKENS + 40n * SEARCH)
  })

  test("include file searches and containers", async () => {
    const item = (number: number, type: string): JsonObject => ({
      type,
      id: `i_${number}`,
      status: "completed",
      container_id: `c_${number}`,
    })
    answer = response([
      ...Array.from({ length: 15 }, (_, number) => item(number, "file_search_call")),
      ...Array.from({ length: 3 }, (_, number) => item(number, "code_interpreter_call")),
    ]) as JsonObject
    const both = [FILE_SEARCH, { type: "code_interpreter", container: { type: "auto" } }]
    const { receipt } = await ask(RESPONSES, { model: "azure/m", tools: both })
    expect(receipt.usage).toMatchObject({ file_search: 15, code_session: 3 })
    expect(receipt.usage_beyond_bound).toBeUndefined()
  })

  test("include images", async () => {
    const usage = { input_tokens: 0, output_tokens: 60_000, total_tokens: 60_000 }
    answer = response([], { tool_usage: { image_gen: usage } }) as JsonObject
    const body = { model: "azure/m", tools: [{ type: "image_generation" }] }
    const { receipt } = await ask(RESPONSES, body)
    expect(nanocredits(receipt.cost)).toBe(TOKENS + 60_000n * 2_000n)
  })

  test("exclude only the part that the balance does not cover", async () => {
    answer = searches(90)
    const { caller, receipt } = await ask(RESPONSES, { model: "azure/m", tools }, "0.6")
    expect(await caller.balance()).toBe(0n)
    expect(nanocredits(receipt.written_off ?? "0")).toBe(TOKENS + 90n * SEARCH - 600_000_000n)
  })

  test("stop at ten times the hold, regardless of the vendor's report", async () => {
    answer = searches(1e12)
    const { receipt } = await ask(RESPONSES, { model: "azure/m", tools })
    expect(receipt.usage).toMatchObject({ search: 100 })
    expect(receipt.usage_beyond_bound).toBe(true)
  })

  test("stop at a limit that the caller set", async () => {
    answer = searches(30)
    const { receipt } = await ask(RESPONSES, { model: "azure/m", tools, max_tool_calls: 3 })
    expect(receipt.usage).toMatchObject({ search: 3 })
    expect(receipt.usage_beyond_bound).toBe(true)
  })
})

describe("a balance that does not cover the default number of tool calls", () => {
  const search = { type: "web_search_20250305", name: "web_search" }
  const cases: [string, string, JsonObject, JsonObject][] = [
    [
      "0.35",
      RESPONSES,
      { model: "azure/m", tools: [{ type: "web_search" }] },
      { max_tool_calls: 4 },
    ],
    [
      "0.03",
      RESPONSES,
      { model: "azure/m", tools: [{ type: "web_search" }] },
      { max_tool_calls: 1 },
    ],
    [
      "0.35",
      MESSAGES,
      { model: "claude/m", tools: [search] },
      { tools: [{ ...search, max_uses: 4 }] },
    ],
  ]
  for (const [credits, path, body, sent] of cases) {
    test(`allows only the calls that it covers: ${path} with ${credits} credits`, async () => {
      answer = (path === RESPONSES ? response([]) : message([])) as JsonObject
      const asked = await ask(path, body, credits)
      expect(asked.sent).toMatchObject(sent)
      expect(nanocredits(asked.receipt.hold)).toBeLessThanOrEqual(nanocredits(credits))
    })
  }

  test("causes a rejection if the caller requests more calls", async () => {
    const caller = await gateway.caller("0.35")
    const tools = [{ type: "web_search" }]
    const body = { model: "azure/m", input: "Hi", tools, max_tool_calls: 10 }
    expect((await caller.post(RESPONSES, body)).status).toBe(402)
  })
})

describe("input that the model reads again after each tool call", () => {
  const mcp = { type: "mcp", server_label: "a", server_url: "https://example.com" }
  for (const stream of [false, true]) {
    test(`costs its price each time it is read, ${stream ? "streamed" : "whole"}`, async () => {
      const usage = { input_tokens: 20_000_000, output_tokens: 10, total_tokens: 20_000_010 }
      answer = { ...(response([]) as JsonObject), usage }
      const { receipt } = await ask(RESPONSES, { model: "azure/m", tools: [mcp], stream })
      expect(receipt.usage).toEqual({ input: 20_000_000, output: 10 })
      expect(receipt.usage_beyond_bound).toBeUndefined()
    })
  }
})

describe("the hold for the prompts of Anthropic's own tools", () => {
  // platform.claude.com/docs/en/agents-and-tools/tool-use: tokens of each tool, and of the prompt for tools.
  const tools: [string, JsonObject, number][] = [
    [
      "computer",
      { type: "computer_20250124", name: "computer", display_width_px: 9, display_height_px: 9 },
      735 + 499,
    ],
    ["text_editor", { type: "text_editor_20250728", name: "str_replace_based_edit_tool" }, 700],
    ["bash", { type: "bash_20250124", name: "bash" }, 245],
  ]
  type Prompted = [string, JsonObject[], number]
  const all: Prompted = [
    "all",
    tools.map(([, tool]) => tool),
    tools.reduce((sum, [, , tokens]) => sum + tokens, 0),
  ]
  for (const [name, list, tokens] of [
    all,
    ...tools.map(([name, tool, tokens]) => [name, [tool], tokens] satisfies Prompted),
  ]) {
    test(`covers ${name}`, async () => {
      answer = message([]) as JsonObject
      const body = { model: "claude/m", tools: list }
      const { receipt } = await ask(MESSAGES, body)
      const most = (tokens + 346 + 10) * 1_000 + 50 * 2_000
      expect(Number(nanocredits(receipt.hold))).toBeGreaterThanOrEqual(most)
    })
  }
})

test("a higher limit of tool calls in the request applies to the hold and to the charge", async () => {
  answer = searches(25)
  const tools = [{ type: "web_search" }]
  const { receipt } = await ask(RESPONSES, { model: "azure/m", tools, max_tool_calls: 25 })
  expect(nanocredits(receipt.hold)).toBeGreaterThanOrEqual(25n * SEARCH)
  expect(receipt.usage).toMatchObject({ search: 25 })
})
