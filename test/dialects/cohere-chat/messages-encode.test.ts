import { describe, expect, test } from "bun:test"
import type { Part } from "../../../src/canon/message.ts"
import type { JsonObject } from "../../../src/canon/json.ts"
import { assistant, conversation, encoded, text, user } from "./fixtures.ts"

const CALL: Part = {
  type: "tool-call",
  id: "weather_1",
  name: "weather",
  arguments: '{"city":"A"}',
}

function messagesOf(...messages: Parameters<typeof conversation>): JsonObject[] {
  return encoded(conversation(...messages)).body.messages as JsonObject[]
}

function toolResult(content: Extract<Part, { type: "tool-result" }>["content"], id = "weather_1") {
  return { type: "tool-result" as const, id, content }
}

describe("the Cohere message encoder", () => {
  test("joins instructions at the start of a conversation", () => {
    const request = conversation(
      { role: "system", parts: [text("Be kind.")] },
      { role: "developer", parts: [text("Be brief.")] },
      user(text("Hello")),
    )
    expect(encoded(request)).toMatchObject({
      body: {
        messages: [
          {
            role: "system",
            content: [
              { type: "text", text: "Be kind." },
              { type: "text", text: "Be brief." },
            ],
          },
          { role: "user", content: "Hello" },
        ],
      },
      losses: [],
    })
    const later = encoded(
      conversation(user(text("Hello")), { role: "system", parts: [text("Be kind.")] }),
    )
    expect(later.body.messages).toEqual([
      { role: "system", content: "Be kind." },
      { role: "user", content: "Hello" },
    ])
    expect(later.losses).toEqual(["system.position:approximated"])
  })

  test("sends images as URLs or as data, and keeps their detail", () => {
    const url = "https://example.com/cat.png"
    const [message] = messagesOf(
      user(
        text("Look"),
        { type: "image", source: { type: "url", url }, detail: "low" },
        { type: "image", source: { type: "base64", data: "/9j/4AAQ" } },
      ),
    )
    expect(message?.content).toEqual([
      { type: "text", text: "Look" },
      { type: "image_url", image_url: { url, detail: "low" } },
      { type: "image_url", image_url: { url: "data:image/jpeg;base64,/9j/4AAQ" } },
    ])
  })

  test("sends reasoning as a tool plan before a call, or as thinking before a response", () => {
    const reasoning: Part = { type: "reasoning", text: "I think." }
    const messages = messagesOf(
      user(text("Weather?")),
      assistant(reasoning, CALL),
      { role: "tool", parts: [toolResult([{ type: "text", text: "Sunny" }])] },
      assistant(reasoning, text("It is sunny.")),
    )
    expect(messages.slice(1)).toEqual([
      {
        role: "assistant",
        tool_plan: "I think.",
        tool_calls: [
          {
            id: "weather_1",
            type: "function",
            function: { name: "weather", arguments: '{"city":"A"}' },
          },
        ],
      },
      { role: "tool", tool_call_id: "weather_1", content: "Sunny" },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "I think." },
          { type: "text", text: "It is sunny." },
        ],
      },
    ])
  })

  test("drops signatures and redacted reasoning", () => {
    const { body, losses } = encoded(
      conversation(
        user(text("Hello")),
        assistant(
          { type: "reasoning", text: "", signature: "x", signedBy: "gemini", isRedacted: true },
          text("Hi"),
        ),
      ),
    )
    expect(body.messages).toContainEqual({
      role: "assistant",
      content: [{ type: "text", text: "Hi" }],
    })
    expect(losses).toEqual(["reasoning.signature:dropped"])
  })

  test("sends one message per tool result, and images after the last result", () => {
    const image = {
      type: "image" as const,
      source: { type: "url" as const, url: "https://a.b/c" },
    }
    const request = conversation(
      user(text("Weather?")),
      assistant(CALL, { ...CALL, id: "weather_2" }),
      {
        role: "tool",
        parts: [
          { ...toolResult([{ type: "text", text: "Sunny" }, image]), failed: true },
          toolResult(
            [
              { type: "text", text: "Rain" },
              { type: "text", text: "later" },
            ],
            "weather_2",
          ),
        ],
      },
      user(text("And?")),
    )
    const { body, losses } = encoded(request)
    expect((body.messages as JsonObject[]).slice(2)).toEqual([
      { role: "tool", tool_call_id: "weather_1", content: "Sunny" },
      {
        role: "tool",
        tool_call_id: "weather_2",
        content: [
          { type: "text", text: "Rain" },
          { type: "text", text: "later" },
        ],
      },
      { role: "user", content: [{ type: "image_url", image_url: { url: "https://a.b/c" } }] },
      { role: "user", content: "And?" },
    ])
    expect(losses).toEqual(["tool_result.failed:dropped", "tool_result.media:approximated"])
  })

  test("sends text files and drops other files", () => {
    const file = (mediaType: string): Part => ({
      type: "file",
      name: "notes.md",
      source: { type: "base64", data: Buffer.from("café").toString("base64"), mediaType },
    })
    const readable = encoded(conversation(user(file("text/markdown"))))
    expect(readable.body.messages).toEqual([{ role: "user", content: "notes.md:\ncafé" }])
    expect(readable.losses).toEqual(["file.data:approximated"])
    expect(encoded(conversation(user(text("Read"), file("application/pdf"))))).toMatchObject({
      body: { messages: [{ role: "user", content: "Read" }] },
      losses: ["file.data:dropped"],
    })
  })

  test("sends earlier refusals as text, and empty turns with an empty text", () => {
    const { body, losses } = encoded(
      conversation(user(text("Hello")), assistant({ type: "refusal", text: "No." }), assistant()),
    )
    expect((body.messages as JsonObject[]).slice(1)).toEqual([
      { role: "assistant", content: [{ type: "text", text: "No." }] },
      { role: "assistant", content: "" },
    ])
    expect(losses).toEqual(["refusal:approximated"])
  })
})
