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

describe("what is read", () => {
  test("the plainest request", () => {
    expect(decodeRequest(body())).toEqual({
      model: "vendor/model",
      messages: [{ role: "user", parts: [{ type: "text", text: "Hi" }] }],
      stream: false,
      streamUsage: false,
      choices: 1,
    })
  })

  test("every parameter that the canon has a name for", () => {
    const schema = { type: "object" }
    const request = decodeRequest(
      body({
        stream: true,
        stream_options: { include_usage: true },
        max_completion_tokens: 7,
        n: 2,
        temperature: 2,
        top_p: 1,
        top_k: 40,
        stop: "end",
        seed: 2 ** 63,
        presence_penalty: -2,
        frequency_penalty: 2,
        logprobs: true,
        top_logprobs: 20,
        parallel_tool_calls: false,
        response_format: { type: "json_schema", json_schema: { name: "a", schema, strict: true } },
        reasoning_effort: "minimal",
        verbosity: "low",
        user: "u",
        safety_identifier: "s",
        metadata: { a: "b" },
        service_tier: "on_demand",
        prompt_cache_key: "k",
        tools: [
          {
            type: "function",
            function: { name: "f", description: "d", parameters: schema, strict: null },
          },
        ],
        tool_choice: { type: "function", function: { name: "f" } },
      }),
    )
    expect(request).toMatchObject({
      stream: true,
      streamUsage: true,
      maxTokens: 7,
      choices: 2,
      temperature: 2,
      topP: 1,
      topK: 40,
      stop: ["end"],
      presencePenalty: -2,
      frequencyPenalty: 2,
      logprobs: true,
      topLogprobs: 20,
      parallelToolCalls: false,
      responseFormat: { type: "json-schema", name: "a", schema, strict: true },
      reasoning: { effort: "minimal" },
      verbosity: "low",
      user: "u",
      safetyIdentifier: "s",
      metadata: { a: "b" },
      serviceTier: "on_demand",
      promptCacheKey: "k",
      tools: [{ name: "f", description: "d", parameters: schema }],
      toolChoice: { type: "tool", name: "f" },
    })
    expect(request.extra).toBeUndefined()
  })

  test("null is absent", () => {
    const names = [
      ["stream", "stream_options", "max_tokens", "max_completion_tokens", "n", "temperature"],
      ["top_p", "stop", "seed", "presence_penalty", "frequency_penalty", "logit_bias", "logprobs"],
      ["top_logprobs", "tools", "tool_choice", "parallel_tool_calls", "response_format", "user"],
      ["reasoning_effort", "metadata", "modalities", "audio", "prediction", "store", "verbosity"],
      ["service_tier", "web_search_options", "safety_identifier", "prompt_cache_key", "reasoning"],
    ].flat()
    const nothing = Object.fromEntries(names.map((name) => [name, null]))
    expect(decodeRequest(body(nothing))).toEqual(decodeRequest(body()))
  })

  test("temperature together with top_p, and no stops at all", () => {
    expect(decodeRequest(body({ temperature: 1, top_p: 0.5, stop: [] })).stop).toBeUndefined()
  })

  test("what the canon has no name for is extra", () => {
    const fields = { store: true, logit_bias: { "5": 1 }, vendor_field: [1] }
    expect(decodeRequest(body(fields)).extra).toEqual({ dialect: "openai-chat", fields })
  })

  test("tools, choices and formats that are not the canon's are extra", () => {
    const search = { type: "openrouter:web_search", parameters: { max_uses: 1 } }
    const choice = { type: "allowed_tools", allowed_tools: {} }
    const request = decodeRequest(
      body({
        tools: [
          search,
          { type: "function", function: { name: "f", x: 1 }, cache_control: { type: "a" } },
        ],
        tool_choice: choice,
        response_format: { type: "regex", regex: { regex: "a*" } },
        stream: true,
        stream_options: { include_obfuscation: false },
      }),
    )
    expect(request.tools).toMatchObject([
      { name: "f", extra: { fields: { function: { x: 1 }, cache_control: { type: "a" } } } },
    ])
    expect(request.toolChoice).toBeUndefined()
    expect(request.extra?.fields).toEqual({
      tools: [search],
      tool_choice: choice,
      response_format: { type: "regex", regex: { regex: "a*" } },
      stream_options: { include_obfuscation: false },
    })
  })

  test.each([
    [{ effort: "high" }, { effort: "high" }],
    [{ max_tokens: 2000 }, { budget: 2000 }],
    [{ enabled: true }, { isAdaptive: true }],
    [{ enabled: true, effort: "low" }, { effort: "low" }],
    [{ enabled: false }, { effort: "none" }],
    [
      { effort: "low", exclude: true },
      { effort: "low", summary: "none" },
    ],
    [{}, undefined],
  ])("OpenRouter's order to think %p", (reasoning, order) => {
    const request = decodeRequest(body({ reasoning }))
    expect(request.reasoning).toEqual(order)
    expect(request.extra).toBeUndefined()
  })

  test("what else is in an order to think is extra", () => {
    const request = decodeRequest(body({ reasoning: { effort: "low", x: 1 } }))
    expect(request.reasoning).toEqual({ effort: "low" })
    expect(request.extra?.fields).toEqual({ reasoning: { x: 1 } })
    expect(decodeRequest(body({ reasoning: "yes" })).extra?.fields).toEqual({ reasoning: "yes" })
  })

  test("a schema without a name, as Perplexity's clients send it", () => {
    const response_format = { type: "json_schema", json_schema: { schema: { type: "object" } } }
    expect(decodeRequest(body({ response_format })).responseFormat).toEqual({
      type: "json-schema",
      name: "answer",
      schema: { type: "object" },
    })
  })

  test("Mistral's word for a tool that must be called", () => {
    const tools = [{ function: { name: "f" } }]
    expect(decodeRequest(body({ tools, tool_choice: "any" })).toolChoice).toEqual({
      type: "required",
    })
  })
})

describe("messages", () => {
  test("roles and names", () => {
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

  test("an assistant's calls, and their answers", () => {
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

  test("the older form of functions", () => {
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

  test("two calls of one function in the older form have two ids", () => {
    const call = { role: "assistant", content: null, function_call: { name: "f", arguments: "{}" } }
    const answer = { role: "function", name: "f", content: "ok" }
    const { messages } = decodeRequest(withMessage(call, answer, call, answer))
    const ids = messages.flatMap(({ parts }) => parts.map((part) => "id" in part && part.id))
    expect(ids).toEqual(["f", "f", "f_2", "f_2"])
  })

  test("a mark on a whole message is one on its last part", () => {
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
    // No part of it can have one: it is reported where it goes no further.
    expect(messages[2]?.extra?.fields).toEqual({ cache_control: mark })
  })

  test("reasoning and refusals of earlier turns", () => {
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

  test("withheld reasoning, and what else details tell", () => {
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

  test("citations of earlier turns belong to the text", () => {
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

  test("what only some vendors take from a tool is kept beside its answer", () => {
    const text = { type: "text", text: "ok" }
    const document = { type: "document_url", document_url: "https://host/a.pdf" }
    const answer = { role: "tool", tool_call_id: "a", content: [text, document] }
    const decoded = decodeRequest(withMessage(answer))
    expect(decoded.messages[0]?.parts).toEqual([
      {
        type: "tool-result",
        id: "a",
        content: [{ type: "text", text: "ok" }],
        extra: extra({ content: [document] }) as Extra,
      },
    ])
    expect(OPENAI_CHAT.encodeRequest(decoded).body.messages).toEqual([answer])
  })

  test("what else a message holds is extra", () => {
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

describe("parts", () => {
  test("pictures by address and by data", () => {
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

  test("sound", () => {
    const part = { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } }
    expect(partsOf(withPart(part))).toEqual([
      { type: "audio", source: { type: "base64", data: "AAAA" }, format: "wav" },
    ])
  })

  test("files by data, id and address", () => {
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

  test("unknown members are extra, in their own place", () => {
    const part = {
      type: "image_url",
      image_url: { url: "https://host/a.png", x: 1 },
      cache_control: { type: "forever" },
    }
    expect(partsOf(withPart(part))).toMatchObject([
      { extra: extra({ cache_control: { type: "forever" }, image_url: { x: 1 } }) },
    ])
  })

  test("marks up to where the prompt is to be cached", () => {
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

  test("marks on the calls of an earlier turn, as the AI SDK writes them", () => {
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

  test("parts that only some vendors take are kept whole", () => {
    const part = { type: "document_url", document_url: "https://host/a.pdf" }
    expect(partsOf(withPart(part))).toEqual([{ type: "unknown", extra: extra(part) }])
  })
})
