import { describe, expect, test } from "bun:test"
import type { JsonObject } from "../../../src/canon/json.ts"
import { decode } from "./decoded-request.ts"

describe("the Anthropic cache marker decoder", () => {
  const marker = { type: "ephemeral" }

  test("reads markers on blocks and tools", () => {
    const request = decode({
      tools: [{ name: "f", input_schema: { type: "object" }, cache_control: marker }],
      messages: [
        {
          role: "user",
          content: [{ type: "text", text: "Hi", cache_control: { ...marker, ttl: "5m" } }],
        },
      ],
    })
    expect(request.tools?.[0]?.cache).toEqual({})
    expect(request.messages[0]?.parts[0]).toMatchObject({ cache: { ttl: "5m" } })
  })

  test("applies a cache marker on the request to the request's last block", () => {
    const messages = [
      { role: "user", content: "A" },
      { role: "user", content: "B" },
    ]
    const request = decode({ messages, cache_control: { ...marker, ttl: "1h" } })
    expect(request.messages.map(({ parts }) => parts[0])).toEqual([
      { type: "text", text: "A" },
      { type: "text", text: "B", cache: { ttl: "1h" } },
    ])
    expect(request).not.toHaveProperty("extra")
  })
})

describe("the Anthropic tool decoder", () => {
  const schema = { type: "object", properties: { x: { type: "number" } } }

  test("reads the caller's tools and Anthropic's own tools", () => {
    const search = { type: "web_search_20250305", name: "web_search", max_uses: 3 }
    const request = decode({
      tools: [
        { name: "f", description: "D", input_schema: schema, strict: true, defer_loading: true },
        search,
        { type: "custom", name: "g", input_schema: schema },
      ],
    })
    expect(request.tools).toEqual([
      {
        name: "f",
        description: "D",
        parameters: schema,
        strict: true,
        extra: { dialect: "anthropic-messages", fields: { defer_loading: true } },
      },
      { name: "g", parameters: schema },
    ])
    expect(request.extra?.fields).toEqual({ tools: [search] })
    expect(decode({ tools: [search] })).not.toHaveProperty("tools")
    expect(decode({ tools: [] }).tools).toEqual([])
  })

  test("reads every tool choice", () => {
    const choice = (value: JsonObject) => {
      const { toolChoice, parallelToolCalls } = decode({ tool_choice: value })
      return [toolChoice, parallelToolCalls]
    }
    expect(choice({ type: "auto" })).toEqual([{ type: "auto" }, undefined])
    expect(choice({ type: "none" })).toEqual([{ type: "none" }, undefined])
    expect(choice({ type: "any", disable_parallel_tool_use: true })).toEqual([
      { type: "required" },
      false,
    ])
    expect(choice({ type: "tool", name: "f", disable_parallel_tool_use: false })).toEqual([
      { type: "tool", name: "f" },
      true,
    ])
  })
})

describe("the Anthropic decoder of thinking and formats", () => {
  const order = (fields: JsonObject) => decode({ max_tokens: 4000, ...fields }).reasoning

  test("reads every form of thinking options", () => {
    expect(order({ thinking: { type: "enabled", budget_tokens: 2000 } })).toEqual({ budget: 2000 })
    expect(order({ thinking: { type: "disabled" } })).toEqual({ effort: "none" })
    expect(order({ thinking: { type: "adaptive", display: "summarized" } })).toEqual({
      isAdaptive: true,
      summary: "auto",
    })
    const adaptive = { type: "adaptive", display: "omitted" }
    expect(order({ thinking: adaptive, output_config: { effort: "max" } })).toEqual({
      effort: "max",
      isAdaptive: true,
      summary: "none",
    })
    expect(order({ output_config: { effort: "low" } })).toEqual({ effort: "low" })
    expect(order({})).toBeUndefined()
  })

  test("keeps an effort as an extra if thinking is disabled", () => {
    const fields = { thinking: { type: "disabled" }, output_config: { effort: "low" } }
    const request = decode(fields)
    expect(request.reasoning).toEqual({ effort: "none" })
    expect(request.extra?.fields).toEqual({ output_config: { effort: "low" } })
  })

  test("reads a schema from the current and the older field", () => {
    const format = { type: "json_schema", schema: { type: "object" } }
    const expected = { type: "json-schema", name: "answer", schema: { type: "object" } }
    expect(decode({ output_config: { format } }).responseFormat).toEqual(expected as never)
    expect(decode({ output_format: format }).responseFormat).toEqual(expected as never)
    expect(decode({ output_config: { format: { type: "regex" } } }).extra?.fields).toEqual({
      output_config: { format: { type: "regex" } },
    })
  })
})
