import { describe, expect, test } from "bun:test"
import type { JsonObject } from "../../src/canon/json.ts"
import { findState, type StateShape } from "../../src/canon/vendor-state.ts"
import { ANTHROPIC_MESSAGES } from "../../src/dialects/anthropic-messages/index.ts"
import { GEMINI } from "../../src/dialects/gemini/index.ts"
import { OPENAI_CHAT } from "../../src/dialects/openai-chat/index.ts"
import { OPENAI_RESPONSES } from "../../src/dialects/openai-responses/index.ts"

/** Returns the stored objects that a body names: kind, id and path. */
function namesIn(shape: StateShape | undefined, body: JsonObject): [string, string, string][] {
  if (shape === undefined) throw new Error("no shape")
  return findState(shape, body).map(({ id, path, state }) => [state.kind, id, path])
}

describe("the search for vendor state in Responses", () => {
  const find = (body: JsonObject) => namesIn(OPENAI_RESPONSES.requestState, body)
  const item = (item: JsonObject) => find({ input: [item] })

  test("finds ids at the top level", () => {
    expect(find({ previous_response_id: "resp_1", conversation: "conv_1" })).toEqual([
      ["response", "resp_1", "previous_response_id"],
      ["conversation", "conv_1", "conversation"],
    ])
    const variables = { doc: { type: "input_file", file_id: "file-1" }, name: "plain" }
    expect(find({ prompt: { id: "pmpt_1", version: "2", variables } })).toEqual([
      ["prompt", "pmpt_1", "prompt.id"],
      ["file", "file-1", "prompt.variables.doc.file_id"],
    ])
  })

  test("finds ids in items and their content", () => {
    const image = { type: "input_image", file_id: "file-1" }
    const place = "input[0].output[0].file_id"
    expect(item({ type: "function_call_output", call_id: "a", output: [image] })).toEqual([
      ["file", "file-1", place],
    ])
    const output = { type: "computer_screenshot", file_id: "file-1" }
    expect(item({ type: "computer_call_output", call_id: "a", output })).toEqual([
      ["file", "file-1", "input[0].output.file_id"],
    ])
    const environment = { type: "container_reference", container_id: "cntr_1" }
    expect(item({ type: "shell_call", environment })).toEqual([
      ["container", "cntr_1", "input[0].environment.container_id"],
    ])
    const drawn = { type: "image_generation_call", id: "ig_1" }
    expect(item(drawn)).toEqual([["item", "ig_1", "input[0].id"]])
    expect(item({ type: null, id: "msg_1" })).toEqual([["item", "msg_1", "input[0].id"]])
  })

  test("finds ids in tools", () => {
    const skills = [
      { type: "skill_reference", skill_id: "skill_1" },
      { type: "skill_reference", skill_id: "openai-slides" },
    ]
    const tools = [
      { type: "file_search", vector_store_ids: ["vs_1", "vs_2"] },
      { type: "shell", environment: { type: "container_auto", file_ids: ["file-1"], skills } },
      { type: "image_generation", input_image_mask: { file_id: "file-2" } },
      // This tool uses a display and no container.
      { type: "computer_use_preview", environment: "browser" },
    ]
    expect(find({ tools })).toEqual([
      ["vector_store", "vs_1", "tools[0].vector_store_ids[0]"],
      ["vector_store", "vs_2", "tools[0].vector_store_ids[1]"],
      ["file", "file-1", "tools[1].environment.file_ids[0]"],
      ["skill", "skill_1", "tools[1].environment.skills[0].skill_id"],
      ["file", "file-2", "tools[2].input_image_mask.file_id"],
    ])
  })

  test("ignores complete output items and text written by callers and models", () => {
    const text = { type: "output_text", text: "a", annotations: [{ file_id: "file-1" }] }
    const input = [
      { type: "message", id: "msg_1", role: "assistant", content: [text] },
      { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "a" }] },
      { type: "reasoning", id: "rs_2", summary: [], encrypted_content: "x" },
      { type: "function_call", id: "fc_1", call_id: "a", name: "f", arguments: '{"file_id":"b"}' },
      { type: "image_generation_call", id: "ig_1", result: "AAAA" },
      { role: "user", content: [{ type: "input_image", image_url: "data:image/png;base64,AA" }] },
    ]
    const parameters = { type: "object", properties: { file_id: { type: "string" } } }
    const tools = [{ type: "function", name: "f", parameters }]
    expect(find({ input, tools, metadata: { file_id: "file-1" }, store: true })).toEqual([])
    expect(find({ previous_response_id: null, conversation: null, prompt: null })).toEqual([])
  })
})

describe("the search for vendor state in Anthropic", () => {
  const find = (body: JsonObject) => namesIn(ANTHROPIC_MESSAGES.requestState, body)

  test("finds ids at the top level", () => {
    const skills = [
      { type: "anthropic", skill_id: "pptx" },
      { type: "custom", skill_id: "skill_1" },
    ]
    const thread = { type: "continue", previous_message_id: "msg_1" }
    const diagnostics = { previous_message_id: "msg_2" }
    expect(find({ thread, diagnostics, container: { id: "container_1", skills } })).toEqual([
      ["message", "msg_1", "thread.previous_message_id"],
      ["message", "msg_2", "diagnostics.previous_message_id"],
      ["container", "container_1", "container.id"],
      ["skill", "skill_1", "container.skills[1].skill_id"],
    ])
  })

  test("finds ids in blocks at any depth", () => {
    const source = { type: "file", file_id: "file_1" }
    const image = { type: "image", source }
    const content = [
      image,
      { type: "document", source: { type: "content", content: [image] } },
      { type: "tool_result", tool_use_id: "a", content: [{ type: "document", source }] },
    ]
    const head = "messages[0].content"
    expect(find({ messages: [{ role: "user", content }] }).map(([, , path]) => path)).toEqual([
      `${head}[0].source.file_id`,
      `${head}[1].source.content[0].source.file_id`,
      `${head}[2].content[0].source.file_id`,
    ])
  })

  test("ignores the input and output of tools", () => {
    const result = { type: "code_execution_output", file_id: "file_1" }
    const content = [
      { type: "tool_use", id: "a", name: "f", input: { file_id: "file_1", container: "b" } },
      { type: "code_execution_tool_result", tool_use_id: "b", content: { content: [result] } },
    ]
    const schema = { type: "object", properties: { file_id: { const: "file_1" } } }
    const tools = [{ name: "f", input_schema: schema }]
    expect(find({ messages: [{ role: "assistant", content }], tools })).toEqual([])
  })
})

test("the search for vendor state in openai-chat finds ids of stored files", () => {
  const find = (body: JsonObject) => namesIn(OPENAI_CHAT.requestState, body)
  const uploaded = "https://generativelanguage.googleapis.com/v1beta/files/abc"
  const content = [
    { type: "text", text: uploaded },
    { type: "file", file: { file_id: "file-1" } },
    { type: "file", file: { file_data: uploaded } },
    { type: "image_url", image_url: uploaded },
    { type: "image_url", image_url: { url: "https://example.com/a.png" } },
  ]
  const body = {
    messages: [
      { role: "user", content },
      { role: "assistant", audio: { id: "audio_1" } },
    ],
    preset: "mine",
    extra_body: { google: { cached_content: "cachedContents/1" } },
    data_sources: [{ type: "azure_search", parameters: { index_name: "docs" } }],
  }
  expect(find(body)).toEqual([
    ["file", "file-1", "messages[0].content[1].file.file_id"],
    ["file", uploaded, "messages[0].content[2].file.file_data"],
    ["file", uploaded, "messages[0].content[3].image_url"],
    ["audio", "audio_1", "messages[1].audio.id"],
    ["prompt", "mine", "preset"],
    ["cache", "cachedContents/1", "extra_body.google.cached_content"],
    ["vector_store", "docs", "data_sources[0].parameters.index_name"],
  ])
})

test("the search for vendor state ignores requests that store nothing", () => {
  expect(OPENAI_CHAT.responseState?.({ messages: [] })).toBeUndefined()
  expect(OPENAI_RESPONSES.responseState?.({ store: false })).toBeUndefined()
  const functions = [{ type: "function", name: "f" }]
  expect(OPENAI_RESPONSES.responseState?.({ store: false, tools: functions })).toBeUndefined()
  expect(
    ANTHROPIC_MESSAGES.responseState?.({ messages: [], tools: [{ name: "f" }] }),
  ).toBeUndefined()
})

test("the search for vendor state in openai-chat finds stored files by every form of their address", () => {
  const spellings = [
    "https://GenerativeLanguage.googleapis.com/v1beta/files/abc",
    "HTTPS://generativelanguage.googleapis.com:443/v1beta/files/abc",
    "https://me@generativelanguage.googleapis.com/v1beta/files/abc",
    "http://generativelanguage.googleapis.com./v1beta/files/abc",
    "https://generativelanguage.mtls.googleapis.com/v1beta/files/abc",
    "https://us-central1-generativelanguage.googleapis.com/v1beta/files/abc",
    "https://generativelanguage%2Egoogleapis.com/v1beta/files/abc",
    "https:///generativelanguage.googleapis.com/v1beta/files/abc",
    "https://generative\tlanguage.googleapis.com/v1beta/files/abc",
    "https:\\\\generativelanguage.googleapis.com/v1beta/files/abc",
    " https://generativelanguage.googleapis.com/v1beta/files/abc",
  ]
  for (const url of spellings) {
    const content = [{ type: "image_url", image_url: { url } }]
    const found = namesIn(OPENAI_CHAT.requestState, { messages: [{ role: "user", content }] })
    expect(found).toEqual([["file", url, "messages[0].content[0].image_url.url"]])
  }
  const url = "https://example.com/generativelanguage.googleapis.com/a.png"
  const content = [{ type: "image_url", image_url: { url } }]
  expect(findState(OPENAI_CHAT.requestState ?? {}, { messages: [{ content }] })).toEqual([])
})

test("the search for vendor state in gemini finds stores in a list of specifications", () => {
  const dataStore = "projects/p/locations/global/collections/c/dataStores/d"
  const retrieval = { vertexAiSearch: { dataStoreSpecs: [{ dataStore }] } }
  expect(namesIn(GEMINI.requestState, { tools: [{ retrieval }] })).toEqual([
    ["vector_store", dataStore, "tools[0].retrieval.vertexAiSearch.dataStoreSpecs[0].dataStore"],
  ])
})
