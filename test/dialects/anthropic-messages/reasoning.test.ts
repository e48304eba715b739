import { describe, expect, test } from "bun:test"
import type { ChatRequest, ReasoningOptions } from "../../../src/canon/chat.ts"
import type { Message } from "../../../src/canon/message.ts"
import { ANTHROPIC_MESSAGES } from "../../../src/dialects/anthropic-messages/index.ts"

const BUDGETS = "claude-haiku-4-5"
const EITHER = "claude-sonnet-4-6"
const EFFORTS = "claude-opus-4-8"

function encode(model: string, reasoning: ReasoningOptions, fields: Partial<ChatRequest> = {}) {
  const { body, losses } = ANTHROPIC_MESSAGES.encodeRequest({
    model,
    messages: [{ role: "user", parts: [{ type: "text", text: "Hi" }] }],
    stream: false,
    streamUsage: false,
    choices: 1,
    maxTokens: 10_000,
    reasoning,
    ...fields,
  })
  const { thinking, output_config: output } = body
  return { body, thinking, output, losses: losses.map(({ name, effect }) => `${name}:${effect}`) }
}

describe("the Anthropic encoder for a model with a thinking budget", () => {
  test("sends the caller's budget or the budget that matches the effort", () => {
    const budget = encode(BUDGETS, { budget: 2000 })
    expect([budget.thinking, budget.losses]).toEqual([{ type: "enabled", budget_tokens: 2000 }, []])
    const effort = encode(BUDGETS, { effort: "medium" })
    expect([effort.thinking, effort.losses]).toEqual([{ type: "enabled", budget_tokens: 5000 }, []])
    expect(effort.output).toBeUndefined()
  })

  test("disables thinking on request", () => {
    expect(encode(BUDGETS, { effort: "none" }).thinking).toEqual({ type: "disabled" })
    expect(encode(EFFORTS, { budget: 0 }).thinking).toEqual({ type: "disabled" })
  })

  test("does not start thinking if only the display of thoughts is requested", () => {
    expect(encode(BUDGETS, { summary: "auto" }).thinking).toBeUndefined()
    expect(encode(BUDGETS, { budget: 2000, summary: "none" }).thinking).toMatchObject({
      display: "omitted",
    })
  })

  test("lowers the budget to fit into the output limit", () => {
    const small = encode(BUDGETS, { budget: 500 })
    expect([small.thinking, small.losses]).toEqual([
      { type: "enabled", budget_tokens: 1024 },
      ["reasoning_budget:approximated"],
    ])
    const large = encode(BUDGETS, { budget: 20_000 })
    expect([large.thinking, large.losses]).toEqual([
      { type: "enabled", budget_tokens: 8000 },
      ["reasoning_budget:approximated"],
    ])
    const tight = encode(BUDGETS, { budget: 2000 }, { maxTokens: 1100 })
    expect(tight.thinking).toEqual({ type: "enabled", budget_tokens: 1024 })
    const none = encode(BUDGETS, { effort: "high" }, { maxTokens: 1000 })
    expect([none.thinking, none.losses]).toEqual([undefined, ["reasoning_effort:approximated"]])
  })

  test("sets a medium budget for adaptive thinking", () => {
    const adaptive = encode(BUDGETS, { isAdaptive: true })
    expect([adaptive.thinking, adaptive.losses]).toEqual([
      { type: "enabled", budget_tokens: 5000 },
      ["reasoning_effort:approximated"],
    ])
  })

  test("disables thinking if a tool call is required", () => {
    const tools = [{ name: "f" }]
    const forced = encode(BUDGETS, { effort: "low" }, { tools, toolChoice: { type: "required" } })
    expect([forced.thinking, forced.losses]).toEqual([undefined, ["reasoning_effort:dropped"]])
    const format = { type: "json-schema", name: "x", schema: {} } as const
    const older = encode("claude-3-7-sonnet", { budget: 2000 }, { responseFormat: format })
    expect([older.thinking, older.losses]).toEqual([
      undefined,
      ["json_schema:approximated", "reasoning_budget:dropped"],
    ])
  })

  test("does not start thinking between a tool call and its result", () => {
    const signed = { signature: "s", signedBy: "anthropic-messages" } as const
    const conversation = (isSigned: boolean): Message[] => [
      { role: "user", parts: [{ type: "text", text: "Go" }] },
      {
        role: "assistant",
        parts: [
          { type: "reasoning", text: "Hm.", ...(isSigned ? signed : {}) },
          { type: "tool-call", id: "a", name: "f", arguments: "{}" },
        ],
      },
      { role: "tool", parts: [{ type: "tool-result", id: "a", content: [] }] },
    ]
    const unsigned = encode(BUDGETS, { budget: 2000 }, { messages: conversation(false) })
    expect([unsigned.thinking, unsigned.losses]).toEqual([
      undefined,
      ["reasoning:dropped", "reasoning_budget:dropped"],
    ])
    const kept = encode(BUDGETS, { budget: 2000 }, { messages: conversation(true) })
    expect(kept.thinking).toEqual({ type: "enabled", budget_tokens: 2000 })
    const prefill: Message = { role: "assistant", parts: [{ type: "text", text: "So" }] }
    expect(encode(BUDGETS, { budget: 2000 }, { messages: [prefill] }).thinking).toBeUndefined()
    expect(encode(EFFORTS, { effort: "low" }, { messages: conversation(false) }).thinking).toEqual({
      type: "adaptive",
    })
  })

  test("drops sampling parameters while thinking is enabled", () => {
    const sampling = { temperature: 0.3, topK: 5 }
    const { body, losses } = encode(BUDGETS, { budget: 2000 }, sampling)
    expect(body).not.toHaveProperty("temperature")
    expect(losses).toEqual(["temperature:dropped", "top_k:dropped"])
    const medium = encode(BUDGETS, { budget: 2000 }, { temperature: 1 })
    expect([medium.body.temperature, medium.losses]).toEqual([1, []])
    expect(encode(BUDGETS, { budget: 2000 }, { topP: 0.97 }).body.top_p).toBe(0.97)
    expect(encode(BUDGETS, { budget: 2000 }, { topP: 0.5 }).losses).toEqual(["top_p:dropped"])
    expect(encode(BUDGETS, { effort: "none" }, sampling).losses).toEqual([])
  })
})

describe("the Anthropic encoder for a model with adaptive thinking", () => {
  test("sends an effort instead of a thinking budget", () => {
    const effort = encode(EFFORTS, { effort: "xhigh" })
    expect([effort.thinking, effort.output, effort.losses]).toEqual([
      { type: "adaptive" },
      { effort: "xhigh" },
      [],
    ])
    expect(encode(EFFORTS, { effort: "minimal" }).output).toEqual({ effort: "low" })
    const alone = encode(EFFORTS, { isAdaptive: true, summary: "concise" })
    expect([alone.thinking, alone.output]).toEqual([
      { type: "adaptive", display: "summarized" },
      undefined,
    ])
  })

  test("converts a budget to the matching effort", () => {
    const budget = encode(EFFORTS, { budget: 2000 })
    expect([budget.thinking, budget.output, budget.losses]).toEqual([
      { type: "adaptive" },
      { effort: "low" },
      ["reasoning_budget:approximated"],
    ])
  })

  test("sends the effort together with an output format", () => {
    const responseFormat = { type: "json-schema", name: "x", schema: {} } as const
    expect(encode(EFFORTS, { effort: "low" }, { responseFormat }).output).toMatchObject({
      effort: "low",
      format: { type: "json_schema" },
    })
  })

  test("keeps thinking enabled if a tool call is required", () => {
    const tools = [{ name: "f" }]
    const forced = { tools, toolChoice: { type: "required" } } as const
    expect(encode(EFFORTS, { effort: "low" }, forced)).toMatchObject({
      thinking: { type: "adaptive" },
      losses: [],
    })
  })
})

test("a model with both thinking budgets and adaptive thinking gets the form that the caller requested", () => {
  expect(encode(EITHER, { budget: 2000 }).thinking).toEqual({
    type: "enabled",
    budget_tokens: 2000,
  })
  const effort = encode(EITHER, { effort: "xhigh" })
  expect([effort.thinking, effort.output]).toEqual([{ type: "adaptive" }, { effort: "max" }])
})

test("the Anthropic format recognizes thinking models by name at every vendor", () => {
  const kinds = {
    "claude-3-5-haiku-20241022": "enabled",
    "claude-sonnet-4-20250514": "enabled",
    "claude-opus-4-1-20250805": "enabled",
    "claude-sonnet-4-5@20250929": "enabled",
    "anthropic.claude-haiku-4-5-20251001-v1:0": "enabled",
    "claude-opus-4-6": "adaptive",
    "us.anthropic.claude-opus-4-7": "adaptive",
    "claude-sonnet-5": "adaptive",
    "claude-opus-5-5": "adaptive",
    "claude-fable-5": "adaptive",
    "some-other-model": "enabled",
  }
  for (const [model, type] of Object.entries(kinds)) {
    expect([model, encode(model, { effort: "low" }).thinking]).toMatchObject([model, { type }])
  }
  const structured = (model: string) => {
    const responseFormat = { type: "json-schema", name: "x", schema: {} } as const
    return encode(model, { effort: "none" }, { responseFormat }).output !== undefined
  }
  expect(structured("claude-sonnet-4-20250514")).toBe(false)
  expect(structured("claude-3-7-sonnet-20250219")).toBe(false)
  expect(structured("claude-opus-4-1-20250805")).toBe(true)
  expect(structured("claude-sonnet-4-5")).toBe(true)
})
