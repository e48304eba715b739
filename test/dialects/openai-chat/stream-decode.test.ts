import { describe, expect, test } from "bun:test"
import { OPENAI_CHAT } from "../../../src/dialects/openai-chat/index.ts"
import { CallIndexes } from "../../../src/dialects/openai-chat/patches/repair.ts"
import { DONE, chunk, delta, calls, finish, decode, changes } from "./decoded-events.ts"

/** Matches the id that the gateway generates for a call without an id. */
const MINTED = /^call_[0-9A-Za-z]{24}$/

describe("the OpenAI stream decoder", () => {
  test("reads a role, text, a finish reason, usage and the end of the stream", () => {
    const decoder = OPENAI_CHAT.decodeEvents()
    const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 }
    const frames = [
      delta({ role: "assistant", content: "", refusal: null }),
      delta({ content: "Hi" }),
      finish("stop"),
      { data: JSON.stringify({ id: "chatcmpl-1", choices: [], usage }) },
    ]
    const events = frames.flatMap((frame) => decoder.push(frame))
    expect(decoder.finished).toBe(false)
    expect(decoder.push(DONE)).toEqual([])
    expect(decoder.finished).toBe(true)
    expect(events).toMatchObject([
      { type: "start", id: "chatcmpl-1", model: "m", created: 5 },
      { type: "text-delta", choice: 0, text: "Hi" },
      { type: "finish", choice: 0, reason: "stop" },
      { type: "usage", usage: { inputFresh: 1, output: 2 } },
    ])
    expect(events.some((event) => "extra" in event)).toBe(false)
  })

  test("does not parse a parsed frame again", () => {
    const json = { id: "a", choices: [{ index: 0, delta: { content: "x" } }] }
    expect(changes({ data: "{broken", json })).toEqual([
      { type: "text-delta", choice: 0, text: "x" },
    ])
  })

  test("separates interleaved choices", () => {
    const events = changes(
      chunk({ index: 1, delta: { content: "b" } }),
      chunk({ index: 0, delta: { content: "a" } }),
      chunk({ index: 1, delta: {}, finish_reason: "length" }),
      chunk({ index: 0, delta: {}, finish_reason: "stop" }),
      DONE,
    )
    expect(events).toEqual([
      { type: "text-delta", choice: 1, text: "b" },
      { type: "text-delta", choice: 0, text: "a" },
      { type: "finish", choice: 1, reason: "length" },
      { type: "finish", choice: 0, reason: "stop" },
    ])
  })

  test("separates a refusal from text", () => {
    expect(changes(delta({ content: null, refusal: "No" }))).toEqual([
      { type: "refusal-delta", choice: 0, text: "No" },
    ])
  })
})

describe("the OpenAI stream decoder of tool calls", () => {
  test("accepts up to 1,000 tool calls in a response", () => {
    const called = { name: "f", arguments: "{}" }
    const decoder = OPENAI_CHAT.decodeEvents()
    const indexes = new CallIndexes()
    const read = (index: number): void => {
      const call = { index, id: `call_${index}`, type: "function", function: called }
      decoder.push(calls(call))
      indexes.repair({ tool_calls: [call] })
    }
    for (let index = 0; index < 1_000; index++) read(index)
    const tooMany = "more than 1,000 tool calls"
    expect(() => read(1_000)).toThrow(tooMany)
    expect(() => indexes.repair({ tool_calls: [{ id: "another", function: called }] })).toThrow(
      tooMany,
    )
  })

  const opened = { id: "call_a", type: "function", function: { name: "f", arguments: "" } }

  test("reads the id and the name from the first delta and arguments from later deltas", () => {
    const events = changes(
      calls({ index: 0, ...opened }),
      calls({ index: 0, function: { arguments: '{"a"' } }),
      calls({ index: 1, id: "call_b", type: "function", function: { name: "g", arguments: "" } }),
      calls({ index: 0, function: { arguments: ":1}" } }),
      finish("tool_calls"),
    )
    expect(events).toEqual([
      { type: "tool-call-start", choice: 0, call: 0, id: "call_a", name: "f" },
      { type: "tool-call-delta", choice: 0, call: 0, arguments: '{"a"' },
      { type: "tool-call-start", choice: 0, call: 1, id: "call_b", name: "g" },
      { type: "tool-call-delta", choice: 0, call: 0, arguments: ":1}" },
      { type: "finish", choice: 0, reason: "tool-calls" },
    ])
  })

  test("accepts a complete call without index and type", () => {
    const events = changes(
      calls(
        { id: "a", function: { name: "f", arguments: "{}" } },
        { id: "b", function: { name: "f", arguments: '{"x":1}' } },
      ),
    )
    expect(events).toEqual([
      { type: "tool-call-start", choice: 0, call: 0, id: "a", name: "f" },
      { type: "tool-call-delta", choice: 0, call: 0, arguments: "{}" },
      { type: "tool-call-start", choice: 0, call: 1, id: "b", name: "f" },
      { type: "tool-call-delta", choice: 0, call: 1, arguments: '{"x":1}' },
    ])
  })

  test("continues a call by its id, or continues the last call if there is no index", () => {
    const events = changes(
      calls({ id: "a", function: { name: "f", arguments: "{" } }),
      calls({ id: "b", function: { name: "g", arguments: "{" } }),
      calls({ id: "a", function: { arguments: "1}" } }),
      calls({ function: { arguments: "2}" } }),
    )
    expect(events.filter(({ type }) => type === "tool-call-delta")).toEqual([
      { type: "tool-call-delta", choice: 0, call: 0, arguments: "{" },
      { type: "tool-call-delta", choice: 0, call: 1, arguments: "{" },
      { type: "tool-call-delta", choice: 0, call: 0, arguments: "1}" },
      { type: "tool-call-delta", choice: 0, call: 1, arguments: "2}" },
    ])
  })

  test("accepts calls that share an index", () => {
    const events = changes(
      calls({ index: 0, id: "a", function: { name: "f", arguments: "{}" } }),
      calls({ index: 0, id: "b", function: { name: "f", arguments: "{}" } }),
      calls({ index: 0, function: { name: "", arguments: " " } }),
    )
    expect(events.at(-1)).toMatchObject({ call: 1, arguments: " " })
    expect(events.filter(({ type }) => type === "tool-call-start")).toHaveLength(2)
  })

  test("numbers calls from zero", () => {
    const events = changes(
      calls({ index: 1, ...opened }),
      calls({ index: 1, function: { arguments: "{}" } }),
    )
    expect(events).toMatchObject([{ call: 0 }, { call: 0, arguments: "{}" }])
  })

  test("accepts a call with a late id or without an id", () => {
    const events = changes(
      calls({ index: 0, function: { name: "f", arguments: "{}" } }),
      calls({ index: 1, id: "b" }),
      calls({ index: 1, function: { name: "g", arguments: "{}" } }),
    )
    expect(events.filter(({ type }) => type === "tool-call-start")).toEqual([
      { type: "tool-call-start", choice: 0, call: 0, id: expect.stringMatching(MINTED), name: "f" },
      { type: "tool-call-start", choice: 0, call: 1, id: "b", name: "g" },
    ])
  })

  test("keeps an id that the gateway assigned before the vendor's id arrived", () => {
    const events = changes(
      calls({ index: 0, function: { name: "f", arguments: "{" } }),
      calls({ index: 0, id: "late", function: { name: "f", arguments: "}" } }),
    )
    expect(events).toEqual([
      { type: "tool-call-start", choice: 0, call: 0, id: expect.stringMatching(MINTED), name: "f" },
      { type: "tool-call-delta", choice: 0, call: 0, arguments: "{" },
      { type: "tool-call-delta", choice: 0, call: 0, arguments: "}" },
    ])
  })

  test("assigns a different id to each call without an id", () => {
    const whole = calls(
      { function: { name: "f", arguments: "{}" } },
      { function: { name: "f", arguments: "{}" } },
    )
    const ids = [...changes(whole), ...changes(whole)].map((event) => "id" in event && event.id)
    expect(new Set(ids.filter(Boolean)).size).toBe(4)
  })

  test("accepts arguments that are an object", () => {
    const events = changes(
      calls({ index: 0, id: "a", function: { name: "f", arguments: { x: 1 } } }),
    )
    expect(events.at(-1)).toMatchObject({ arguments: '{"x":1}' })
  })

  test("reads the legacy `function_call` format", () => {
    const events = changes(
      delta({ function_call: { name: "f", arguments: "" } }),
      delta({ function_call: { arguments: "{}" } }),
      finish("function_call"),
    )
    expect(events).toMatchObject([
      { type: "tool-call-start", name: "f" },
      { type: "tool-call-delta", arguments: "{}" },
      { type: "finish", reason: "tool-calls", rawReason: "function_call" },
    ])
  })

  test("reports tool calls as the finish reason if a choice with calls ends with stop", () => {
    const events = changes(calls({ index: 0, ...opened }), finish("stop"))
    expect(events.at(-1)).toMatchObject({ reason: "tool-calls", rawReason: "stop" })
  })
})

describe("the OpenAI stream decoder of reasoning", () => {
  test.each(["reasoning_content", "reasoning"])("reads reasoning from the field %s", (field) => {
    expect(changes(delta({ [field]: "hm", content: null }))).toEqual([
      { type: "reasoning-delta", choice: 0, text: "hm" },
    ])
  })

  test("reports a thought once if two fields contain the same thought", () => {
    expect(changes(delta({ reasoning: "hm", reasoning_content: "hm" }))).toHaveLength(1)
  })

  test("accepts content in a list, as Mistral sends it", () => {
    const content = [
      { type: "thinking", thinking: [{ type: "text", text: "hm" }], closed: true },
      { type: "text", text: "so" },
    ]
    expect(changes(delta({ content }))).toEqual([
      { type: "reasoning-delta", choice: 0, text: "hm" },
      { type: "text-delta", choice: 0, text: "so" },
    ])
  })

  test("reads a signature, as OpenRouter sends it", () => {
    const detail = { type: "reasoning.text", format: "anthropic-claude-v1", index: 0 }
    const events = changes(
      delta({ reasoning: "hm", reasoning_details: [{ ...detail, text: "hm" }] }),
      delta({ reasoning_details: [{ ...detail, signature: "sig" }] }),
      delta({ reasoning_details: [{ type: "reasoning.encrypted", data: "x", id: "rs_1" }] }),
    )
    const signedBy = "openai-chat"
    const signed = { type: "reasoning-signature", choice: 0, signedBy } as const
    const extra = { dialect: signedBy, fields: { format: "anthropic-claude-v1" } } as const
    expect(events).toEqual([
      { type: "reasoning-delta", choice: 0, text: "hm" },
      { ...signed, signature: "sig", extra },
      { ...signed, signature: "x", isRedacted: true, id: "rs_1" },
    ])
  })

  test("reads reasoning that occurs only in reasoning_details", () => {
    const summary = { type: "reasoning.summary", summary: "hm" }
    expect(changes(delta({ reasoning_details: [summary] }))).toEqual([
      { type: "reasoning-delta", choice: 0, text: "hm" },
    ])
  })

  test("ignores reasoning_details that repeat plain text or earlier details", () => {
    const first = { type: "reasoning.text", text: "one", signature: "1" }
    const second = { type: "reasoning.text", text: "two", signature: "2" }
    const events = changes(
      delta({ reasoning_content: "one" }),
      delta({ reasoning_details: [first] }),
      delta({ reasoning_content: "two" }),
      delta({ reasoning_details: [first, second] }),
    )
    expect(events).toMatchObject([
      { type: "reasoning-delta", text: "one" },
      { type: "reasoning-signature", signature: "1" },
      { type: "reasoning-delta", text: "two" },
      { type: "reasoning-signature", signature: "2" },
    ])
  })

  test("keeps reasoning_details of unknown kinds as extras", () => {
    const detail = { type: "reasoning.server_tool_call", tool_call: {} }
    expect(changes(delta({ reasoning_details: [detail] }))).toEqual([
      {
        type: "choice-extra",
        choice: 0,
        extra: { dialect: "openai-chat", fields: { message: { reasoning_details: [detail] } } },
      },
    ])
  })
})

describe("the OpenAI stream decoder of citations", () => {
  const place = { url: "https://host/a", title: "A", start_index: 2, end_index: 5 }

  test("reads annotations", () => {
    const cited = { type: "url_citation", url_citation: { ...place, content: "words", x: 1 } }
    const events = changes(delta({ content: "abcde" }), delta({ annotations: [cited] }))
    expect(events.at(-1)).toEqual({
      type: "citation",
      choice: 0,
      citation: {
        url: "https://host/a",
        title: "A",
        quote: "words",
        start: 2,
        end: 5,
        extra: { dialect: "openai-chat", fields: { url_citation: { x: 1 } } },
      },
    })
  })

  test("reports positions relative to the text part", () => {
    const cited = { type: "url_citation", url_citation: place }
    const late = { type: "url_citation", url_citation: { ...place, start_index: 1 } }
    const events = changes(
      delta({ content: "ab" }),
      delta({ reasoning: "hm" }),
      delta({ content: "cde" }),
      delta({ annotations: [cited, late] }),
    )
    expect(events.filter(({ type }) => type === "citation")).toMatchObject([
      { citation: { start: 0, end: 3 } },
      // The citation's range refers to the previous part, so the range is omitted in this part.
      { citation: { url: "https://host/a", title: "A" } },
    ])
    expect(events.at(-1)).not.toHaveProperty("citation.start")
  })
})

describe("the OpenAI stream decoder of OpenAI-only fields", () => {
  test("keeps logprobs and annotations as extras of the choice", () => {
    const logprobs = { content: [{ token: "a", logprob: -1 }] }
    const annotations = [{ type: "file_citation" }]
    expect(changes(delta({ content: "a", annotations }, { logprobs }))).toEqual([
      { type: "text-delta", choice: 0, text: "a" },
      {
        type: "choice-extra",
        choice: 0,
        extra: { dialect: "openai-chat", fields: { logprobs, message: { annotations } } },
      },
    ])
  })

  test("returns no event for empty fields", () => {
    const empty = { logprobs: null, content_filter_results: {}, native_finish_reason: null }
    expect(changes(delta({ content: "a", annotations: [] }, empty))).toHaveLength(1)
  })

  test("keeps fields of the whole response as extras of its start event", () => {
    const more = { system_fingerprint: "fp", service_tier: "default", obfuscation: "xxxx" }
    expect(decode(chunk({ index: 0, delta: {} }, more))).toMatchObject([
      { extra: { fields: { system_fingerprint: "fp", service_tier: "default" } } },
    ])
  })
})
