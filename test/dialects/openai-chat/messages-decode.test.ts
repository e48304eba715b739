import { describe, expect, test } from "bun:test"
import type { Extra } from "../../../src/canon/extra.ts"
import type { JsonObject, JsonValue } from "../../../src/canon/json.ts"
import { OPENAI_CHAT } from "../../../src/dialects/openai-chat/index.ts"

const { decodeRequest } = OPENAI_CHAT

function body(fields: JsonObject = {}): JsonObject {
  return { model: "vendor/model", messages: [{ role: "user", content: "Hi" }], ...fields }
}

function withMessage(...messages: JsonValue[]): JsonObject {
  return body({ messages })
}

function withPart(part: JsonValue): JsonObject {
  return withMessage({ role: "user", content: [part] })
}

function file(fields: JsonObject): unknown {
  return partsOf(withPart({ type: "file", file: fields }))
}

function partsOf(request: JsonObject, index = 0): unknown {
  return decodeRequest(request).messages[index]?.parts
}

const extra = (fields: JsonObject) => ({ dialect: "openai-chat", fields })

describe("the OpenAI message decoder", () => {
  test("reads roles and names", () => {
    const request = decodeRequest(
      withMessage(
        { role: "system", content: "s", name: null },
        { role: "developer", content: [{ type: "text", text: "d" }] },
        { role: "user", content: "u", name: "ann" },
        { role: "assistant", content: "" },
      ),
    )
    expect(request.messages).toMatchObject([
      { role: "system", parts: [{ text: "s" }] },
      { role: "developer", parts: [{ text: "d" }] },
      { role: "user", name: "ann" },
      { role: "assistant", parts: [] },
    ])
  })

  test("reads the calls of an assistant message and their results", () => {
    const called = { name: "f", arguments: '{"a":1}' }
    const request = decodeRequest(
      withMessage(
        {
          role: "assistant",
          tool_calls: [
            { id: "a", type: "function", function: called },
            { id: "b", function: { name: "g", arguments: "" }, index: 1 },
            { id: "c", type: "custom", custom: { name: "h", input: "x" } },
          ],
        },
        { role: "tool", tool_call_id: "a", content: "ok" },
        { role: "tool", tool_call_id: "b", content: [{ type: "text", text: "fine" }] },
      ),
    )
    expect(request.messages).toEqual([
      {
        role: "assistant",
        parts: [
          { type: "tool-call", id: "a", name: "f", arguments: '{"a":1}' },
          { type: "tool-call", id: "b", name: "g", arguments: "{}" },
          {
            type: "tool-call",
            id: "c",
            name: "h",
            arguments: '{"input":"x"}',
            origin: { form: "text", name: "h" },
          },
        ],
      },
      {
        role: "tool",
        parts: [{ type: "tool-result", id: "a", content: [{ type: "text", text: "ok" }] }],
      },
      {
        role: "tool",
        parts: [{ type: "tool-result", id: "b", content: [{ type: "text", text: "fine" }] }],
      },
    ])
  })

  test("reads functions in the legacy format", () => {
    const request = decodeRequest(
      withMessage(
        { role: "assistant", content: null, function_call: { name: "f", arguments: "{}" } },
        { role: "function", name: "f", content: "ok" },
      ),
    )
    expect(request.messages).toMatchObject([
      { role: "assistant", parts: [{ type: "tool-call", id: "f", name: "f" }] },
      { role: "tool", parts: [{ type: "tool-result", id: "f", content: [{ text: "ok" }] }] },
    ])
  })

  test("assigns different ids to two calls of the same function in the legacy format", () => {
    const call = { role: "assistant", content: null, function_call: { name: "f", arguments: "{}" } }
    const response = { role: "function", name: "f", content: "ok" }
    const { messages } = decodeRequest(withMessage(call, response, call, response))
    const ids = messages.flatMap(({ parts }) => parts.map((part) => "id" in part && part.id))
    expect(ids).toEqual(["f", "f", "f_2", "f_2"])
  })

  test("applies the cache marker of a message to its last part", () => {
    const mark = { type: "ephemeral", ttl: "1h" }
    const { messages } = decodeRequest(
      withMessage(
        { role: "system", content: "Long.", cache_control: mark },
        { role: "user", content: [{ type: "text", text: "a" }], cache_control: mark },
        { role: "assistant", content: null, refusal: "No", cache_control: mark },
      ),
    )
    expect(messages[0]?.parts).toEqual([{ type: "text", text: "Long.", cache: { ttl: "1h" } }])
    expect(messages[1]?.parts).toEqual([{ type: "text", text: "a", cache: { ttl: "1h" } }])
    expect(messages[0]?.extra).toBeUndefined()
    // Parts of this message cannot have this field, so the loss is reported where the field is dropped.
    expect(messages[2]?.extra?.fields).toEqual({ cache_control: mark })
  })

  test("reads reasoning and refusals of earlier turns", () => {
    const request = decodeRequest(
      withMessage(
        { role: "assistant", content: "a", reasoning_content: "hm", refusal: null },
        {
          role: "assistant",
          content: null,
          refusal: "No",
          reasoning: "hm",
          reasoning_details: [{ type: "reasoning.text", text: "hm", signature: "s", index: 0 }],
        },
      ),
    )
    expect(request.messages[0]?.parts).toEqual([
      { type: "reasoning", text: "hm" },
      { type: "text", text: "a" },
    ])
    expect(request.messages[1]?.parts).toEqual([
      { type: "reasoning", text: "hm", signature: "s", signedBy: "openai-chat" },
      { type: "refusal", text: "No" },
    ])
  })

  test("reads encrypted reasoning and reasoning summaries from reasoning_details", () => {
    const details = [
      { type: "reasoning.encrypted", data: "x", id: "rs_1", format: "openai-responses-v1" },
      { type: "reasoning.summary", summary: "hm" },
    ]
    expect(partsOf(withMessage({ role: "assistant", reasoning_details: details }))).toEqual([
      {
        type: "reasoning",
        text: "",
        signature: "x",
        signedBy: "openai-chat",
        isRedacted: true,
        id: "rs_1",
        extra: extra({ format: "openai-responses-v1" }),
      },
      { type: "reasoning", text: "hm", extra: extra({ type: "reasoning.summary" }) },
    ])
  })

  test("attaches the annotations of earlier turns to their text", () => {
    const cited = { url: "https://host/a", title: "A", start_index: 0, end_index: 1 }
    const other = { type: "file_citation", file_citation: {} }
    const annotations = [{ type: "url_citation", url_citation: cited }, other]
    const [message] = decodeRequest(
      withMessage({ role: "assistant", content: "a", annotations }),
    ).messages
    const citation = { url: "https://host/a", title: "A", start: 0, end: 1 }
    expect(message?.parts).toEqual([{ type: "text", text: "a", citations: [citation] }])
    expect(message?.extra).toEqual(extra({ annotations: [other] }) as Extra)
    const silent = withMessage({ role: "assistant", content: "a", annotations: [] })
    expect(decodeRequest(silent).messages[0]).not.toHaveProperty("extra")
  })

  test("keeps tool content that only some vendors accept", () => {
    const text = { type: "text", text: "ok" }
    const document = { type: "document_url", document_url: "https://host/a.pdf" }
    const response = { role: "tool", tool_call_id: "a", content: [text, document] }
    const decoded = decodeRequest(withMessage(response))
    expect(decoded.messages[0]?.parts).toEqual([
      {
        type: "tool-result",
        id: "a",
        content: [{ type: "text", text: "ok" }],
        extra: extra({ content: [document] }) as Extra,
      },
    ])
    expect(OPENAI_CHAT.encodeRequest(decoded).body.messages).toEqual([response])
  })

  test("keeps unknown message fields as extras", () => {
    const request = withMessage({
      role: "assistant",
      content: "a",
      prefix: true,
      audio: { id: "x" },
    })
    expect(decodeRequest(request).messages[0]?.extra?.fields).toEqual({
      prefix: true,
      audio: { id: "x" },
    })
  })
})

describe("the OpenAI part decoder", () => {
  test("decodes images from a URL and from data", () => {
    const url = "https://host/a.png"
    expect(partsOf(withPart({ type: "image_url", image_url: { url, detail: "low" } }))).toEqual([
      { type: "image", source: { type: "url", url }, detail: "low" },
    ])
    const data = "data:image/PNG;base64,iVBORw0KGgo="
    expect(partsOf(withPart({ type: "image_url", image_url: { url: data } }))).toEqual([
      {
        type: "image",
        source: { type: "base64", data: "iVBORw0KGgo=", mediaType: "image/png" },
      },
    ])
    expect(partsOf(withPart({ type: "image_url", image_url: url }))).toMatchObject([
      { source: { url } },
    ])
  })

  test("decodes audio", () => {
    const part = { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } }
    expect(partsOf(withPart(part))).toEqual([
      { type: "audio", source: { type: "base64", data: "AAAA" }, format: "wav" },
    ])
  })

  test("decodes files by data, id and URL", () => {
    expect(file({ file_id: "file-1", filename: null })).toEqual([
      { type: "file", source: { type: "reference", id: "file-1" } },
    ])
    expect(file({ file_data: "data:application/pdf;base64,JVBERg==", filename: "a.pdf" })).toEqual([
      {
        type: "file",
        source: { type: "base64", data: "JVBERg==", mediaType: "application/pdf" },
        name: "a.pdf",
      },
    ])
    expect(file({ file_data: "https://host/a.pdf" })).toMatchObject([{ source: { type: "url" } }])
  })

  test("keeps unknown fields of a part as extras of that part", () => {
    const part = {
      type: "image_url",
      image_url: { url: "https://host/a.png", x: 1 },
      cache_control: { type: "forever" },
    }
    expect(partsOf(withPart(part))).toMatchObject([
      { extra: extra({ cache_control: { type: "forever" }, image_url: { x: 1 } }) },
    ])
  })

  test("reads cache markers", () => {
    const mark = { cache_control: { type: "ephemeral" } }
    const long = { cache_control: { type: "ephemeral", ttl: "1h" } }
    const parts = [
      { type: "text", text: "a", ...long },
      { type: "image_url", image_url: { url: "https://host/a.png" }, ...mark },
      { type: "file", file: { file_id: "file-1" }, ...mark },
    ]
    const tool = { type: "function", function: { name: "f" }, ...mark }
    const request = decodeRequest(
      body({ messages: [{ role: "user", content: parts }], tools: [tool] }),
    )
    expect(request.messages[0]?.parts).toEqual([
      { type: "text", text: "a", cache: { ttl: "1h" } },
      { type: "image", source: { type: "url", url: "https://host/a.png" }, cache: {} },
      { type: "file", source: { type: "reference", id: "file-1" }, cache: {} },
    ])
    expect(request.tools).toEqual([{ name: "f", cache: {} }])
  })

  test("reads cache markers on the calls of an earlier turn, as the AI SDK writes them", () => {
    const mark = { cache_control: { type: "ephemeral" } }
    const tool_calls = [
      { id: "a", type: "function", function: { name: "f", arguments: "{}" }, ...mark, x: 1 },
      { id: "b", type: "custom", custom: { name: "g", input: "t" }, ...mark },
    ]
    const request = decodeRequest(body({ messages: [{ role: "assistant", tool_calls }] }))
    expect(request.messages[0]?.parts).toMatchObject([
      { type: "tool-call", id: "a", cache: {}, extra: extra({ x: 1 }) },
      { type: "tool-call", id: "b", cache: {} },
    ])
  })

  test("keeps parts that only some vendors accept unchanged", () => {
    const part = { type: "document_url", document_url: "https://host/a.pdf" }
    expect(partsOf(withPart(part))).toEqual([{ type: "unknown", extra: extra(part) }])
  })
})
