import { describe, expect, test } from "bun:test"
import type { ChatEvent } from "../../../src/canon/chat.ts"
import type { JsonObject } from "../../../src/canon/json.ts"
import { NO_USAGE } from "../../../src/canon/usage.ts"
import { ANTHROPIC_MESSAGES } from "../../../src/dialects/anthropic-messages/index.ts"
import { REQUEST, START, FINISH, encode, eventsOf, text } from "./encoded-events.ts"

/** Returns the events between the start and the end of the message, in a short form. */
function blocksOf(events: readonly ChatEvent[]): string[] {
  const told = eventsOf(encode([START, ...events]))
  expect(told.slice(0, 2).map(({ type }) => type)).toEqual(["message_start", "ping"])
  expect(told.slice(-2).map(({ type }) => type)).toEqual(["message_delta", "message_stop"])
  return told.slice(2, -2).map(inShort)
}

function inShort({ type, index, content_block: block, delta }: JsonObject): string {
  if (type === "content_block_start") {
    const { type: kind, id } = block as JsonObject
    return `${index} ${String(kind)}${id === undefined ? "" : ` ${String(id)}`}`
  }
  if (type === "content_block_stop") return `${index} stop`
  const { type: _, ...said } = delta as JsonObject
  return `${index} ${JSON.stringify(Object.values(said)[0])}`
}

function call(index: number): ChatEvent {
  return { type: "tool-call-start", choice: 0, call: index, id: `c${index}`, name: "f" }
}

function written(index: number, value: string): ChatEvent {
  return { type: "tool-call-delta", choice: 0, call: index, arguments: value }
}

describe("the Anthropic stream encoder", () => {
  test("writes every frame with its event name", () => {
    const usage = { ...NO_USAGE, inputFresh: 7, inputCacheRead: 2, output: 3, reasoning: 1 }
    const frames = encode([
      START,
      { type: "usage", usage: { ...NO_USAGE, inputFresh: 7, output: 1 } },
      text('Hi "you"\n'),
      FINISH,
      { type: "usage", usage },
    ])
    for (const { event, data } of frames) expect(JSON.parse(data).type).toBe(event)
    expect(eventsOf(frames)).toEqual([
      {
        type: "message_start",
        message: {
          id: "msg_1",
          type: "message",
          role: "assistant",
          model: "m",
          content: [],
          stop_reason: null,
          stop_sequence: null,
          stop_details: null,
          container: null,
          diagnostics: null,
          usage: {
            input_tokens: 7,
            cache_creation_input_tokens: 0,
            cache_read_input_tokens: 0,
            cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
            output_tokens: 1,
            output_tokens_details: null,
            server_tool_use: null,
            inference_geo: null,
            service_tier: null,
            speed: null,
          },
        },
      },
      { type: "ping" },
      {
        type: "content_block_start",
        index: 0,
        content_block: { type: "text", text: "" },
      },
      {
        type: "content_block_delta",
        index: 0,
        delta: { type: "text_delta", text: 'Hi "you"\n' },
      },
      { type: "content_block_stop", index: 0 },
      {
        type: "message_delta",
        delta: {
          stop_reason: "end_turn",
          stop_sequence: null,
          stop_details: null,
          container: null,
        },
        usage: {
          input_tokens: 7,
          cache_creation_input_tokens: 0,
          cache_read_input_tokens: 2,
          output_tokens: 3,
          output_tokens_details: { thinking_tokens: 1 },
          server_tool_use: null,
        },
      },
      { type: "message_stop" },
    ])
  })

  test("sends message_delta only when the stream ends, so that the cost can be added", () => {
    const encoder = ANTHROPIC_MESSAGES.encodeEvents(REQUEST)
    const before = [START, text("a"), FINISH].flatMap((event) => encoder.push(event))
    expect(before.map(({ event }) => event)).not.toContain("message_delta")
    const [carrier, last, ...more] = encoder.end()
    expect([last?.event, more]).toEqual(["message_stop", []])
    expect(carrier?.json).toEqual(JSON.parse(carrier?.data ?? ""))
    const json = carrier?.json ?? {}
    ANTHROPIC_MESSAGES.setCost(json, "0.000012")
    expect(json.usage).toMatchObject({ output_tokens: 0, cost: 0.000012 })
  })

  test("writes the first and last events even without content", () => {
    const told = eventsOf(encode([]))
    expect(told.map(({ type }) => type)).toEqual([
      "message_start",
      "ping",
      "message_delta",
      "message_stop",
    ])
    const { message } = told[0] as { message: JsonObject }
    expect(String(message.id)).toStartWith("msg_")
    expect(message.model).toBe("vendor/model")
  })

  test("adds Anthropic's prefix to message ids of other vendors", () => {
    const [start] = eventsOf(encode([{ type: "start", id: "chatcmpl-1" }]))
    expect(start).toMatchObject({ message: { id: "msg_chatcmpl-1" } })
  })

  test("writes only the first choice", () => {
    expect(blocksOf([text("a"), { type: "text-delta", choice: 1, text: "b" }])).toEqual([
      "0 text",
      '0 "a"',
      "0 stop",
    ])
  })
})

describe("the Anthropic stream encoder of content blocks", () => {
  test("starts a block for each kind of content", () => {
    const signature = { type: "reasoning-signature", choice: 0, signedBy: "gemini" } as const
    expect(
      blocksOf([
        { type: "reasoning-delta", choice: 0, text: "Hm" },
        { ...signature, signature: "s1" },
        { type: "reasoning-delta", choice: 0, text: "Hm again" },
        text("a"),
        text(""),
        text("b"),
        { ...signature, signature: "s2", isRedacted: true },
        { ...signature, signature: "s3" },
        text("c"),
      ]),
    ).toEqual([
      "0 thinking",
      '0 "Hm"',
      '0 "s1"',
      "0 stop",
      "1 thinking",
      '1 "Hm again"',
      "1 stop",
      "2 text",
      '2 "a"',
      '2 "b"',
      "2 stop",
      "3 redacted_thinking",
      "3 stop",
      "4 thinking",
      '4 "s3"',
      "4 stop",
      "5 text",
      '5 "c"',
      "5 stop",
    ])
  })

  test("writes a single empty chunk for a tool call without arguments", () => {
    expect(blocksOf([call(0), written(0, ""), FINISH])).toEqual(["0 tool_use c0", '0 ""', "0 stop"])
  })

  test("sends a call immediately if the preceding call has ended", () => {
    const encoder = ANTHROPIC_MESSAGES.encodeEvents(REQUEST)
    const push = (event: ChatEvent) => eventsOf(encoder.push(event)).map(({ type }) => type)
    push(START)
    push(call(0))
    expect(push(written(0, '{"x":1}'))).toEqual(["content_block_delta"])
    expect(push(call(1))).toEqual(["content_block_stop", "content_block_start"])
    expect(push(written(1, "{"))).toEqual(["content_block_delta"])
    expect(push(written(1, "}"))).toEqual(["content_block_delta"])
    expect(push(FINISH)).toEqual(["content_block_stop"])
  })

  test("delays interleaved calls until the open call ends", () => {
    expect(
      blocksOf([
        call(0),
        call(1),
        written(1, '{"b"'),
        written(0, '{"a":1'),
        written(1, ":2"),
        written(0, "}"),
        written(1, "}"),
        call(2),
        FINISH,
      ]),
    ).toEqual([
      "0 tool_use c0",
      '0 "{\\"a\\":1"',
      '0 "}"',
      "0 stop",
      "1 tool_use c1",
      '1 "{\\"b\\":2}"',
      "1 stop",
      "2 tool_use c2",
      '2 ""',
      "2 stop",
    ])
  })

  test("sends delayed calls before the last event if the open call never ends", () => {
    expect(blocksOf([call(0), call(1), written(1, "{}"), written(0, "{}"), FINISH])).toEqual([
      "0 tool_use c0",
      '0 "{}"',
      "0 stop",
      "1 tool_use c1",
      '1 "{}"',
      "1 stop",
    ])
  })

  test("delays text until an open call ends", () => {
    expect(blocksOf([call(0), written(0, '{"x":'), text("a"), written(0, "1}"), FINISH])).toEqual([
      "0 tool_use c0",
      '0 "{\\"x\\":"',
      '0 "1}"',
      "0 stop",
      "1 text",
      '1 "a"',
      "1 stop",
    ])
  })

  test("sends a signature after text only if another block follows", () => {
    const thought: ChatEvent = { type: "reasoning-delta", choice: 0, text: "hm" }
    const signed = { type: "reasoning-signature", choice: 0, signedBy: "gemini" } as const
    const signature: ChatEvent = { ...signed, signature: "s" }
    const spoken = ["0 thinking", '0 "hm"', "0 stop", "1 text", '1 "a"', "1 stop"]
    expect(blocksOf([thought, text("a"), signature, FINISH])).toEqual(spoken)
    expect(blocksOf([thought, text("a"), signature, call(0), written(0, "{}"), FINISH])).toEqual([
      ...spoken,
      "2 thinking",
      '2 "s"',
      "2 stop",
      "3 tool_use c0",
      '3 "{}"',
      "3 stop",
    ])
    expect(blocksOf([signature, FINISH])).toEqual(["0 thinking", '0 "s"', "0 stop"])
  })

  test("writes citations in the block of their text, and starts a new block for the following text", () => {
    const own = { type: "char_location", cited_text: "q" }
    const extra = { dialect: "anthropic-messages", fields: own } as const
    const told = eventsOf(
      encode([
        START,
        text("a"),
        { type: "citation", choice: 0, citation: { extra } },
        { type: "citation", choice: 0, citation: { url: "https://a", title: "A", quote: "q" } },
        text("b"),
      ]),
    ).slice(4, -2)
    expect(told).toMatchObject([
      { index: 0, delta: { type: "citations_delta", citation: own } },
      {
        index: 0,
        delta: {
          citation: {
            type: "web_search_result_location",
            url: "https://a",
            title: "A",
            cited_text: "q",
            encrypted_index: "",
          },
        },
      },
      { type: "content_block_stop", index: 0 },
      { type: "content_block_start", index: 1 },
      { index: 1, delta: { text: "b" } },
      { type: "content_block_stop", index: 1 },
    ])
  })

  test("sends Anthropic-only blocks completely and drops blocks of other dialects", () => {
    const block = { type: "server_tool_use", id: "s", name: "web_search", input: { query: "x" } }
    const fields = { content: [block], container: { id: "c" }, context_management: { edits: [] } }
    const events = (dialect: "anthropic-messages" | "gemini") =>
      eventsOf(
        encode([START, text("a"), { type: "choice-extra", choice: 0, extra: { dialect, fields } }]),
      )
    expect(events("anthropic-messages").slice(5)).toMatchObject([
      { type: "content_block_start", index: 1, content_block: block },
      { type: "content_block_stop", index: 1 },
      {
        type: "message_delta",
        delta: { container: { id: "c" } },
        context_management: { edits: [] },
      },
      { type: "message_stop" },
    ])
    expect(
      events("gemini")
        .slice(5)
        .map(({ type }) => type),
    ).toEqual(["message_delta", "message_stop"])
  })
})
