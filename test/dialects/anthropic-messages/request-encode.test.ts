import { describe, expect, test } from "bun:test"
import type { Message, Part } from "../../../src/canon/message.ts"
import {
  ANTHROPIC_MESSAGES,
  anthropicMessages,
} from "../../../src/dialects/anthropic-messages/index.ts"
import { USER, request, encode, encodeParts, text } from "./encoded-request.ts"

describe("the Anthropic request encoder", () => {
  test("encodes a request with only the required fields", () => {
    expect(encode({})).toEqual({
      body: {
        model: "claude",
        max_tokens: 100,
        messages: [{ role: "user", content: "Hi" }],
      },
      losses: [],
    })
  })

  test("reports no loss when it drops penalties of 0", () => {
    expect(encode({ presencePenalty: 0, frequencyPenalty: 0 }).losses).toEqual([])
  })

  test("sets a default output limit if the request has no limit", () => {
    const { maxTokens: _, ...unlimited } = request({})
    expect(ANTHROPIC_MESSAGES.encodeRequest(unlimited).body.max_tokens).toBe(8192)
    const small = anthropicMessages({ defaultMaxTokens: 50 })
    expect(small.encodeRequest(unlimited).body.max_tokens).toBe(50)
  })

  test("encodes a request with every field of the dialect", () => {
    const { body, losses } = encode({
      stream: true,
      streamUsage: true,
      temperature: 0.2,
      topK: 40,
      stop: ["END"],
      user: "u-1",
      serviceTier: "default",
    })
    expect(losses).toEqual([])
    expect(body).toMatchObject({
      stream: true,
      temperature: 0.2,
      top_k: 40,
      stop_sequences: ["END"],
      metadata: { user_id: "u-1" },
      service_tier: "standard_only",
    })
  })

  test("writes Anthropic extras to their original fields, and reports extras of other dialects as lost", () => {
    const search = { type: "web_search_20250305", name: "web_search" }
    const fields = {
      container: "c",
      tools: [search],
      metadata: { other: 1 },
      output_config: { task_budget: { total: 5 } },
    }
    const { body } = encode({
      tools: [{ name: "f" }],
      user: "u",
      responseFormat: { type: "json-schema", name: "x", schema: { type: "object" } },
      extra: { dialect: "anthropic-messages", fields },
    })
    expect(body).toMatchObject({
      container: "c",
      tools: [{ name: "f" }, search],
      metadata: { user_id: "u", other: 1 },
      output_config: { task_budget: { total: 5 }, format: { type: "json_schema" } },
    })
    const others = { dialect: "openai-chat" as const, fields: { logit_bias: {}, store: true } }
    expect(encode({ extra: others }).losses).toEqual(["logit_bias:dropped", "store:dropped"])
  })

  test("omits an empty list of stop strings", () => {
    expect(encode({ stop: ["END"] }).body.stop_sequences).toEqual(["END"])
    expect(encode({ stop: [] }).body).not.toHaveProperty("stop_sequences")
  })
})

describe("the Anthropic sampling encoder", () => {
  test("drops top_p if temperature is set, unless the model accepts both", () => {
    const both = { temperature: 0.3, topP: 0.9 }
    const { body, losses } = encode(both)
    expect(body).toMatchObject({ temperature: 0.3 })
    expect(body).not.toHaveProperty("top_p")
    expect(losses).toEqual(["top_p:dropped"])
    const lenient = encode(both, anthropicMessages({ temperatureWithTopP: true }))
    expect(lenient.body).toMatchObject({ temperature: 0.3, top_p: 0.9 })
    // A default value causes no loss.
    expect(encode({ temperature: 0.3, topP: 1 }).losses).toEqual([])
  })

  test("lowers a temperature above the maximum", () => {
    const { body, losses } = encode({ temperature: 1.7 })
    expect([body.temperature, losses]).toEqual([1, ["temperature:approximated"]])
  })

  test("drops sampling parameters for the newest models", () => {
    const sampling = { temperature: 0.3, topP: 0.9, topK: 5 }
    const { body, losses } = encode({ model: "claude-opus-4-8", ...sampling })
    expect(Object.keys(body)).toEqual(["model", "max_tokens", "messages"])
    expect(losses).toEqual(["temperature:dropped", "top_p:dropped", "top_k:dropped"])
    expect(encode({ model: "claude-opus-4-8", temperature: 1, topP: 1 }).losses).toEqual([])
  })
})

describe("the Anthropic instruction encoder", () => {
  test("moves instructions to the top from any position", () => {
    const { body, losses } = encode({
      messages: [
        { role: "system", parts: [text("A")] },
        { role: "developer", parts: [{ type: "text", text: "B", cache: { ttl: "1h" } }] },
        USER,
        { role: "system", parts: [text("C")] },
      ],
    })
    expect(body.system).toEqual([
      { type: "text", text: "A" },
      { type: "text", text: "B", cache_control: { type: "ephemeral", ttl: "1h" } },
      { type: "text", text: "C" },
    ])
    expect(body.messages).toEqual([{ role: "user", content: "Hi" }])
    expect(losses).toEqual(["system.position:approximated"])
    const alone = encode({ messages: [{ role: "system", parts: [text("A")] }, USER] })
    expect([alone.body.system, alone.losses]).toEqual(["A", []])
  })

  test("adds an instruction to answer in JSON if JSON is requested without a schema", () => {
    const { body, losses } = encode({
      messages: [{ role: "system", parts: [text("Be brief.")] }, USER],
      responseFormat: { type: "json-object" },
    })
    expect(body.system).toMatchObject([{ text: "Be brief." }, { type: "text" }])
    expect(JSON.stringify(body.system)).toContain("one JSON object")
    expect(losses).toEqual(["json_object:approximated"])
    expect(encode({ responseFormat: { type: "text" } }).losses).toEqual([])
  })
})

describe("the Anthropic turn encoder", () => {
  const call = (id: string): Part => ({ type: "tool-call", id, name: "f", arguments: '{"x":1}' })
  const response = (id: string): Message => ({
    role: "tool",
    parts: [{ type: "tool-result", id, content: [{ type: "text", text: `of ${id}` }] }],
  })
  const use = (id: string) => ({ type: "tool_use", id, name: "f", input: { x: 1 } })
  const result = (id: string) => ({ type: "tool_result", tool_use_id: id, content: `of ${id}` })

  test("joins successive turns of one role, with tool results first", () => {
    const { body } = encode({
      messages: [
        USER,
        { role: "user", parts: [text("More")] },
        { role: "assistant", parts: [text("Well")] },
        { role: "assistant", parts: [call("a"), call("b")] },
        response("a"),
        { role: "user", parts: [text("And?")] },
        response("b"),
      ],
    })
    expect(body.messages).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "Hi" },
          { type: "text", text: "More" },
        ],
      },
      { role: "assistant", content: [{ type: "text", text: "Well" }, use("a"), use("b")] },
      { role: "user", content: [result("a"), result("b"), { type: "text", text: "And?" }] },
    ])
  })

  test("drops a turn without text", () => {
    const { body } = encode({
      messages: [
        USER,
        { role: "assistant", parts: [text(""), text(" \n")] },
        { role: "user", parts: [text("Still there?")] },
      ],
    })
    expect(body.messages).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "Hi" },
          { type: "text", text: "Still there?" },
        ],
      },
    ])
  })

  test("removes trailing white space from a prefilled assistant turn", () => {
    const prefill: Message = { role: "assistant", parts: [text("The answer is: \n")] }
    expect(encode({ messages: [USER, prefill] }).body.messages).toEqual([
      { role: "user", content: "Hi" },
      { role: "assistant", content: "The answer is:" },
    ])
  })

  test("replaces an invalid id with the same valid id in the call and the result", () => {
    const { body } = encode({
      messages: [USER, { role: "assistant", parts: [call("a:0")] }, response("a:0")],
    })
    const [, asking, answering] = body.messages as { content: Record<string, string>[] }[]
    const id = asking?.content[0]?.id ?? ""
    expect(id).toMatch(/^[a-zA-Z0-9_-]+$/)
    expect(answering?.content[0]?.tool_use_id).toBe(id)
  })

  test("wraps tool arguments in an object if they are not an object", () => {
    const broken: Part = { type: "tool-call", id: "a", name: "f", arguments: '{"x":' }
    expect(encodeParts("assistant", broken).content).toEqual([
      { type: "tool_use", id: "a", name: "f", input: { arguments: '{"x":' } },
    ])
  })

  test("drops the names of message authors", () => {
    expect(encode({ messages: [{ ...USER, name: "Ann" }] }).losses).toEqual(["name:dropped"])
  })
})

describe("the Anthropic encoder of earlier reasoning", () => {
  const own = { signature: "c2ln", signedBy: "anthropic-messages" } as const

  test("sends earlier reasoning back if it has Anthropic's signature", () => {
    const { content, losses } = encodeParts(
      "assistant",
      { type: "reasoning", text: "Hm.", ...own },
      { type: "reasoning", text: "", ...own, isRedacted: true },
      text("Hello"),
    )
    expect(content).toEqual([
      { type: "thinking", thinking: "Hm.", signature: "c2ln" },
      { type: "redacted_thinking", data: "c2ln" },
      { type: "text", text: "Hello" },
    ])
    expect(losses).toEqual([])
  })

  test("drops reasoning without an Anthropic signature", () => {
    const foreign = { signature: "x", signedBy: "gemini" } as const
    expect(
      encodeParts("assistant", { type: "reasoning", text: "Hm.", ...foreign }, text("a")),
    ).toEqual({ content: "a", losses: ["reasoning.signature:dropped", "reasoning:dropped"] })
    expect(encodeParts("assistant", { type: "reasoning", text: "Hm." }, text("a"))).toEqual({
      content: "a",
      losses: ["reasoning:dropped"],
    })
  })
})

describe("the Anthropic image and file encoder", () => {
  const data = "iVBORw0KGgo="

  test("encodes supported images and files", () => {
    const { content, losses } = encodeParts(
      "user",
      { type: "image", source: { type: "base64", data, mediaType: "image/webp" } },
      { type: "image", source: { type: "base64", data } },
      { type: "image", source: { type: "url", url: "https://example.com/a.png" } },
      { type: "image", source: { type: "reference", id: "file_1" } },
      { type: "file", source: { type: "base64", data: "JVBERi0=", mediaType: "application/pdf" } },
      { type: "file", source: { type: "base64", data: "JVBERi0=" }, name: "a.pdf" },
      { type: "file", source: { type: "base64", data: "R3LDvMOfZQ==", mediaType: "text/plain" } },
      { type: "file", source: { type: "url", url: "https://example.com/a.pdf" } },
    )
    expect(losses).toEqual([])
    const pdf = { type: "base64", media_type: "application/pdf", data: "JVBERi0=" }
    expect(content).toEqual([
      { type: "image", source: { type: "base64", media_type: "image/webp", data } },
      { type: "image", source: { type: "base64", media_type: "image/png", data } },
      { type: "image", source: { type: "url", url: "https://example.com/a.png" } },
      { type: "image", source: { type: "file", file_id: "file_1" } },
      { type: "document", source: pdf },
      { type: "document", source: pdf, title: "a.pdf" },
      { type: "document", source: { type: "text", media_type: "text/plain", data: "Grüße" } },
      { type: "document", source: { type: "url", url: "https://example.com/a.pdf" } },
    ])
  })

  test("drops images and files of unsupported types", () => {
    const file = (mediaType: string): Part => ({
      type: "file",
      source: { type: "base64", data: "eA==", mediaType },
    })
    expect(encodeParts("user", text("a"), file("application/zip")).losses).toEqual([
      "file.data:dropped",
    ])
    expect(encodeParts("user", file("text/csv"))).toEqual({
      content: [
        { type: "document", source: { type: "text", media_type: "text/plain", data: "x" } },
      ],
      losses: ["file.data:approximated"],
    })
    const kept: Part = { type: "image", source: { type: "reference", id: "file-openai" } }
    expect(encodeParts("user", text("a"), kept).losses).toEqual(["image.data:dropped"])
    const sound: Part = { type: "audio", source: { type: "base64", data: "eA==" }, format: "wav" }
    expect(encodeParts("user", text("a"), sound)).toEqual({
      content: "a",
      losses: ["audio:dropped"],
    })
    const detailed: Part = { type: "image", source: { type: "base64", data }, detail: "low" }
    expect(encodeParts("user", detailed).losses).toEqual(["image.detail:dropped"])
  })

  test("encodes images and files in tool results", () => {
    const { content, losses } = encodeParts("tool", {
      type: "tool-result",
      id: "a",
      failed: true,
      cache: {},
      content: [
        { type: "text", text: "Look:" },
        { type: "image", source: { type: "base64", data } },
      ],
    })
    expect(losses).toEqual([])
    expect(content).toEqual([
      {
        type: "tool_result",
        tool_use_id: "a",
        content: [
          { type: "text", text: "Look:" },
          { type: "image", source: { type: "base64", media_type: "image/png", data } },
        ],
        is_error: true,
        cache_control: { type: "ephemeral" },
      },
    ])
    expect(encodeParts("tool", { type: "tool-result", id: "a", content: [] }).content).toEqual([
      { type: "tool_result", tool_use_id: "a" },
    ])
  })
})
