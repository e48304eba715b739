import { describe, expect, test } from "bun:test"
import type { ChatRequest, ReasoningOptions } from "../../../src/canon/chat.ts"
import type { Part, ReasoningPart } from "../../../src/canon/message.ts"
import type { JsonObject } from "../../../src/canon/json.ts"
import { openAiResponses, OPENAI_RESPONSES } from "../../../src/dialects/openai-responses/index.ts"
import { assistant, conversation, requestOf, text, user } from "./support.ts"

function encode(request: ChatRequest, dialect = OPENAI_RESPONSES) {
  const { body, losses } = dialect.encodeRequest(request)
  return { body, losses: losses.map(({ name, effect }) => `${name}:${effect}`) }
}

function inputOf(...messages: ChatRequest["messages"]): unknown {
  return encode(conversation(...messages)).body.input
}

const SIGNED: ReasoningPart = {
  type: "reasoning",
  text: "Hm.",
  signature: "opaque",
  signedBy: "openai-responses",
  id: "rs_1",
}
const SIGNED_ITEM = {
  type: "reasoning",
  id: "rs_1",
  summary: [{ type: "summary_text", text: "Hm." }],
  encrypted_content: "opaque",
}
const CALL: Part = { type: "tool-call", id: "call_1", name: "weather", arguments: "{}" }
const CALL_ITEM = { type: "function_call", call_id: "call_1", name: "weather", arguments: "{}" }

test("the Responses encoder disables storage and requests encrypted reasoning by default", () => {
  expect(encode(requestOf({ stream: false }))).toEqual({
    body: {
      model: "vendor/model",
      input: [{ type: "message", role: "user", content: "Hello" }],
      store: false,
      include: ["reasoning.encrypted_content"],
    },
    losses: [],
  })
  expect(
    encode(requestOf({}), openAiResponses({ encryptedReasoning: false })).body,
  ).not.toHaveProperty("include")
})

test("the Responses encoder allows storage if the request continues a stored response", () => {
  const { body } = encode(requestOf({ previousResponse: "resp_1" }))
  expect(body).toMatchObject({ previous_response_id: "resp_1", stream: true })
  expect(body).not.toHaveProperty("store")
})

describe("the Responses instruction encoder", () => {
  const system = { role: "system", parts: [text("Be kind.")] } as const
  const developer = { role: "developer", parts: [text("Be brief.")] } as const

  test("moves instructions at the start to the instructions field and keeps later instructions in place", () => {
    const { body, losses } = encode(conversation(system, developer, user(text("Hi")), system))
    expect(body.instructions).toBe("Be kind.\n\nBe brief.")
    expect(body.input).toEqual([
      { type: "message", role: "user", content: "Hi" },
      { type: "message", role: "system", content: "Be kind." },
    ])
    expect(losses).toEqual([])
  })

  test("keeps instructions in the input if the response is JSON, because OpenAI requires the word JSON there", () => {
    const request = conversation(system, user(text("Hi")))
    const { body } = encode({ ...request, responseFormat: { type: "json-object" } })
    expect(body).not.toHaveProperty("instructions")
    expect(body.input).toEqual([
      { type: "message", role: "system", content: "Be kind." },
      { type: "message", role: "user", content: "Hi" },
    ])
  })

  test("keeps instructions with an image in the input", () => {
    const image: Part = { type: "image", source: { type: "url", url: "https://a.b/c.png" } }
    expect(inputOf({ role: "developer", parts: [text("Like this"), image] })).toEqual([
      {
        type: "message",
        role: "developer",
        content: [
          { type: "input_text", text: "Like this" },
          { type: "input_image", image_url: "https://a.b/c.png", detail: "auto" },
        ],
      },
    ])
  })

  test("sends an empty input if the request contains only instructions", () => {
    expect(encode(conversation(system)).body).toMatchObject({ instructions: "Be kind.", input: [] })
  })
})

describe("the Responses media encoder", () => {
  test("encodes images and files as URL, data and file id", () => {
    expect(
      inputOf(
        user(
          { type: "image", source: { type: "base64", data: "iVBORw0KGgo=" }, detail: "low" },
          { type: "image", source: { type: "reference", id: "file-1" } },
          { type: "file", source: { type: "base64", data: "JVBERi0=" } },
          { type: "file", source: { type: "base64", data: "YQ==", mediaType: "text/csv" } },
          { type: "file", source: { type: "url", url: "https://a.b/c.pdf" }, name: "c.pdf" },
          { type: "file", source: { type: "reference", id: "file-2" } },
        ),
      ),
    ).toEqual([
      {
        type: "message",
        role: "user",
        content: [
          { type: "input_image", image_url: "data:image/png;base64,iVBORw0KGgo=", detail: "low" },
          { type: "input_image", file_id: "file-1", detail: "auto" },
          {
            type: "input_file",
            filename: "file.pdf",
            file_data: "data:application/pdf;base64,JVBERi0=",
          },
          { type: "input_file", filename: "file", file_data: "data:text/csv;base64,YQ==" },
          { type: "input_file", file_url: "https://a.b/c.pdf", filename: "c.pdf" },
          { type: "input_file", file_id: "file-2" },
        ],
      },
    ])
  })
})

test("the Responses encoder drops unsupported media but keeps the message", () => {
  const sound: Part = { type: "audio", source: { type: "base64", data: "UklGRg==" }, format: "wav" }
  expect(encode(conversation(user(sound)))).toMatchObject({
    body: { input: [{ type: "message", role: "user", content: "" }] },
    losses: ["audio:dropped"],
  })
})

describe("the Responses encoder of assistant turns", () => {
  test("writes one item per part in order", () => {
    expect(
      inputOf(user(text("Weather?")), assistant(SIGNED, text("I will ask."), CALL), {
        role: "tool",
        parts: [
          { type: "tool-result", id: "call_1", content: [{ type: "text", text: "Rain" }] },
          { type: "tool-result", id: "call_2", content: [] },
        ],
      }),
    ).toEqual([
      { type: "message", role: "user", content: "Weather?" },
      SIGNED_ITEM,
      { type: "message", role: "assistant", content: "I will ask." },
      CALL_ITEM,
      { type: "function_call_output", call_id: "call_1", output: "Rain" },
      { type: "function_call_output", call_id: "call_2", output: "" },
    ])
  })

  test("joins successive texts and refusals into one message, and keeps their sources", () => {
    const citations = [{ url: "https://a.b", title: "A", start: 0, end: 3 }]
    expect(
      inputOf(
        assistant({ type: "text", text: "One", citations }, { type: "refusal", text: "No." }),
      ),
    ).toEqual([
      {
        type: "message",
        role: "assistant",
        content: [
          {
            type: "output_text",
            text: "One",
            annotations: [
              {
                type: "url_citation",
                url: "https://a.b",
                title: "A",
                start_index: 0,
                end_index: 3,
              },
            ],
          },
          { type: "refusal", refusal: "No." },
        ],
      },
    ])
  })

  test("writes the phase of a text to the message item", () => {
    const phased = (words: string, phase: string): Part => ({
      type: "text",
      text: words,
      extra: { dialect: "openai-responses", fields: { phase } },
    })
    expect(
      inputOf(assistant(phased("Wait", "commentary"), phased("Done", "final_answer"))),
    ).toEqual([
      { type: "message", role: "assistant", content: "Wait", phase: "commentary" },
      { type: "message", role: "assistant", content: "Done", phase: "final_answer" },
    ])
  })

  test("writes a turn without content as a message", () => {
    expect(inputOf(assistant())).toEqual([{ type: "message", role: "assistant", content: "" }])
  })

  test("sends unknown Responses items back in their original position", () => {
    const search: JsonObject = { type: "web_search_call", id: "ws_1" }
    const output: JsonObject = { type: "shell_call_output", call_id: "a" }
    const kept = (fields: JsonObject): Part => ({
      type: "unknown",
      extra: { dialect: "openai-responses", fields },
    })
    expect(
      inputOf(
        assistant(SIGNED, kept({ web_search_call: search }), text("Found.")),
        user(kept({ shell_call_output: output })),
      ),
    ).toEqual([
      SIGNED_ITEM,
      search,
      { type: "message", role: "assistant", content: "Found." },
      output,
    ])
  })

  test("keeps short call ids, and shortens a long id to the same id in the call and its output", () => {
    const id = `resp_1:call_${"x".repeat(80)}`
    const [call, output, short] = inputOf(
      assistant({ ...CALL, id }),
      { role: "tool", parts: [{ type: "tool-result", id, content: [] }] },
      assistant({ ...CALL, id: "resp_1:call_0" }),
    ) as { call_id: string }[]
    expect(call?.call_id.length).toBeLessThanOrEqual(64)
    expect(call?.call_id).toBe(String(output?.call_id))
    expect(short?.call_id).toBe("resp_1:call_0")
  })
})

describe("the Responses encoder of earlier reasoning", () => {
  const DEEPSEEK = openAiResponses({ encryptedReasoning: false, reasoningText: true })
  const foreign: ReasoningPart = { ...SIGNED, signedBy: "anthropic-messages" }

  test.each<[string, ReasoningPart, string[]]>([
    [
      "reasoning signed by another vendor",
      foreign,
      ["reasoning.signature:dropped", "reasoning:dropped"],
    ],
    [
      "withheld reasoning signed by another vendor",
      { ...foreign, text: "" },
      ["reasoning.signature:dropped"],
    ],
    ["unsigned", { type: "reasoning", text: "Hm." }, ["reasoning:dropped"]],
  ])("drops %s", (_, part, losses) => {
    const request = conversation(user(text("Hi")), assistant(part, text("Hello")), user(text("?")))
    expect(encode(request)).toMatchObject({
      losses,
      body: {
        input: [{ role: "user" }, { role: "assistant", content: "Hello" }, { role: "user" }],
      },
    })
  })

  test("sends reasoning as text to a vendor that reads such text", () => {
    const request = conversation(assistant(SIGNED, CALL))
    expect(encode(request, DEEPSEEK)).toMatchObject({
      losses: ["reasoning.signature:dropped"],
      body: {
        input: [
          {
            type: "reasoning",
            id: "rs_1",
            summary: [],
            content: [{ type: "reasoning_text", text: "Hm." }],
          },
          CALL_ITEM,
        ],
      },
    })
  })

  test("drops reasoning at the end of a turn, because OpenAI rejects such reasoning", () => {
    const request = conversation(assistant(text("Hi"), SIGNED), user(text("?")))
    expect(encode(request)).toMatchObject({
      losses: ["reasoning.signature:dropped"],
      body: { input: [{ role: "assistant", content: "Hi" }, { role: "user" }] },
    })
  })
})

describe("the Responses parameter encoder", () => {
  test("uses the parameter names of Responses", () => {
    const { body, losses } = encode(
      requestOf({
        maxTokens: 100,
        temperature: 1.5,
        topP: 0.5,
        logprobs: true,
        topLogprobs: 2,
        parallelToolCalls: true,
        toolChoice: { type: "required" },
        responseFormat: {
          type: "json-schema",
          name: "a",
          schema: { type: "object" },
          strict: true,
        },
        verbosity: "low",
        reasoning: { effort: "low", summary: "detailed" },
        metadata: { a: "b" },
        serviceTier: "flex",
        user: "u",
        safetyIdentifier: "s",
        promptCacheKey: "k",
      }),
    )
    expect(body).toMatchObject({
      max_output_tokens: 100,
      temperature: 1.5,
      top_p: 0.5,
      top_logprobs: 2,
      include: ["reasoning.encrypted_content", "message.output_text.logprobs"],
      parallel_tool_calls: true,
      tool_choice: "required",
      text: {
        format: { type: "json_schema", name: "a", schema: { type: "object" }, strict: true },
        verbosity: "low",
      },
      reasoning: { effort: "low", summary: "detailed" },
      metadata: { a: "b" },
      service_tier: "flex",
      user: "u",
      safety_identifier: "s",
      prompt_cache_key: "k",
    })
    expect(losses).toEqual([])
  })

  test.each<[ReasoningOptions, JsonObject | undefined]>([
    [{ effort: "none" }, { effort: "none" }],
    [{ budget: 0 }, { effort: "none" }],
    [{ budget: 2000 }, { effort: "low" }],
    [{ isAdaptive: true }, undefined],
    [{ summary: "none" }, undefined],
  ])("encodes the reasoning option %j", (reasoning, expected) => {
    expect(encode(requestOf({ reasoning })).body.reasoning).toEqual(expected)
  })

  test("sends penalties only if the vendor supports them, and drops zero without a loss", () => {
    const request = requestOf({ presencePenalty: 0, frequencyPenalty: 0.5 })
    expect(encode(request).losses).toEqual(["frequency_penalty:dropped"])
    expect(encode(request, openAiResponses({ penalties: true })).body).toMatchObject({
      presence_penalty: 0,
      frequency_penalty: 0.5,
    })
  })

  test("makes a function strict only if the caller declares it strict", () => {
    const tools = [{ name: "a" }, { name: "b", description: "B.", parameters: {}, strict: true }]
    expect(encode(requestOf({ tools })).body.tools).toEqual([
      {
        type: "function",
        name: "a",
        parameters: { type: "object", properties: {} },
        strict: false,
      },
      { type: "function", name: "b", description: "B.", parameters: {}, strict: true },
    ])
  })

  test("merges Responses-only parameters with canonical parameters", () => {
    const { body, losses } = encode(
      requestOf({
        tools: [{ name: "a", parameters: {} }],
        reasoning: { effort: "low" },
        extra: {
          dialect: "openai-responses",
          fields: {
            store: true,
            tools: [{ type: "web_search" }],
            include: ["file_search_call.results"],
            reasoning: { context: "all_turns" },
            truncation: "auto",
          },
        },
      }),
    )
    expect(body).toMatchObject({
      store: true,
      tools: [{ type: "function", name: "a" }, { type: "web_search" }],
      include: ["reasoning.encrypted_content", "file_search_call.results"],
      reasoning: { effort: "low", context: "all_turns" },
      truncation: "auto",
    })
    expect(losses).toEqual([])
  })
})
