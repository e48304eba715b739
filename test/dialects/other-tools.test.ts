import { describe, expect, test } from "bun:test"
import type { ChatEvent, ChatRequest } from "../../src/canon/chat.ts"
import type { ClientDialect, SseFrame } from "../../src/canon/dialect.ts"
import { foldEvents } from "../../src/canon/fold.ts"
import { isJsonObject, type JsonObject, listAt, objectAt, textAt } from "../../src/canon/json.ts"
import { OPENAI_CHAT, openAiChat } from "../../src/dialects/openai-chat/index.ts"
import { OPENAI_RESPONSES, openAiResponses } from "../../src/dialects/openai-responses/index.ts"
import { UPSTREAMS } from "../golden/dialects.ts"

const GRAMMAR = { syntax: "lark", definition: "start: /.+/" }
const PATCH = '*** Begin "Patch"\n+ä\n\\end'

const PATCH_TOOL = { name: "apply_patch", description: "Edits files." }
const CUSTOM_ITEM = { type: "custom", ...PATCH_TOOL, format: { type: "grammar", ...GRAMMAR } }
const CUSTOM_TOOL = {
  type: "custom",
  custom: { ...PATCH_TOOL, format: { type: "grammar", grammar: GRAMMAR } },
}
const READ = { type: "function", name: "read-file", description: "Reads.", parameters: {} }
const NAMESPACE = {
  type: "namespace",
  name: "mcp__files__",
  description: "Files of the project.",
  tools: [READ, { type: "function", name: "write", parameters: {} }],
}
const SHELL = { type: "function", name: "shell", parameters: {} }

const HISTORY = [
  { role: "user", content: "Fix it." },
  { type: "custom_tool_call", call_id: "c1", name: "apply_patch", input: PATCH },
  { type: "custom_tool_call_output", call_id: "c1", output: "done" },
  {
    type: "function_call",
    call_id: "c2",
    namespace: "mcp__files__",
    name: "write",
    arguments: "{}",
  },
  { type: "function_call_output", call_id: "c2", output: "written" },
]

const CODEX = OPENAI_RESPONSES.decodeRequest({
  model: "any/model",
  input: HISTORY,
  stream: true,
  tools: [SHELL, CUSTOM_ITEM, NAMESPACE],
})

const CHAT = OPENAI_CHAT.decodeRequest({
  model: "any/model",
  stream: true,
  messages: [
    { role: "user", content: "Fix it." },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c1", type: "custom", custom: { name: "apply_patch", input: PATCH } }],
    },
    { role: "tool", tool_call_id: "c1", content: "done" },
  ],
  tools: [CUSTOM_TOOL],
  tool_choice: { type: "custom", custom: { name: "apply_patch" } },
})

function nameOf(request: ChatRequest, own: string): string {
  return request.tools?.find(({ name, origin }) => (origin?.name ?? name) === own)?.name ?? ""
}

/** Returns the events of a streamed function call, whose arguments arrive in pieces of three characters. */
function called(name: string, written: string): ChatEvent[] {
  return [
    { type: "tool-call-start", choice: 0, call: 0, id: "c3", name },
    ...(written.match(/[^]{1,3}/g) ?? []).map(
      (chunk) => ({ type: "tool-call-delta", choice: 0, call: 0, arguments: chunk }) as const,
    ),
    { type: "finish", choice: 0, reason: "tool-calls" },
  ]
}

function framesOf(dialect: ClientDialect, request: ChatRequest, events: ChatEvent[]): JsonObject[] {
  const encoder = dialect.encodeEvents(request)
  return [...events.flatMap((event) => encoder.push(event)), ...encoder.end()]
    .filter(({ data }) => data !== "[DONE]")
    .map(({ data }) => JSON.parse(data) as JsonObject)
}

describe("translation of custom tools and tools in namespaces", () => {
  for (const upstream of UPSTREAMS) {
    test(`keeps the tools and the calls to them for ${upstream.id}`, () => {
      const { body, losses } = upstream.encodeRequest({ ...CODEX, model: "gpt-5.1" })
      const written = JSON.stringify(body)
      const known = upstream.id === "openai-chat" || upstream.id === "openai-responses"
      expect(losses.some(({ name }) => name === "tools")).toBe(false)
      expect(losses.some(({ name }) => name === "tools.grammar")).toBe(!known)
      expect(written).toContain("start: /.+/")
      expect(written).toContain("Files of the project.")
      expect(written).toContain("Begin")
      if (upstream.id === "openai-responses") {
        expect(body.tools).toEqual([
          { ...SHELL, strict: false },
          CUSTOM_ITEM,
          {
            ...NAMESPACE,
            tools: NAMESPACE.tools.map((tool) => ({ ...tool, strict: false })),
          },
        ])
        expect(body.input).toEqual([{ type: "message", ...HISTORY[0] }, ...HISTORY.slice(1)])
      } else expect(written).toContain('"mcp__files__write"')
    })
  }

  test("gives tools distinct names that every vendor accepts", () => {
    const tools = [
      { type: "function", name: "a__b", parameters: {} },
      { type: "namespace", name: "a", tools: [{ type: "function", name: "b" }] },
      { type: "namespace", name: "a__", tools: [{ type: "function", name: "b" }] },
      { type: "namespace", name: "9 é", tools: [{ type: "custom", name: "x".repeat(80) }] },
    ]
    const { tools: decoded = [] } = OPENAI_RESPONSES.decodeRequest({
      model: "any/model",
      input: "Hi",
      tools,
    })
    const names = decoded.map(({ name }) => name)
    expect(new Set(names).size).toBe(4)
    for (const name of names) expect(name).toMatch(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/)
  })

  test("sends custom tools as functions to vendors without custom tools", () => {
    for (const dialect of [
      openAiChat({ customTools: false }),
      openAiResponses({ customTools: false }),
    ]) {
      const { body } = dialect.encodeRequest(CODEX)
      expect(dialect.functionsOnly).toBe(true)
      const types = listAt(body, "tools").map((tool) => isJsonObject(tool) && tool.type)
      expect(new Set(types)).toEqual(new Set(["function"]))
      expect(JSON.stringify(body)).not.toContain("custom")
    }
  })

  test("keeps a tool choice that names a custom tool or a tool in a namespace", () => {
    const chosen = (tool_choice: JsonObject) => {
      const { tools = [] } = CODEX
      const input = { model: "m/m", input: "Hi", tools: [SHELL, CUSTOM_ITEM, NAMESPACE] }
      const request = OPENAI_RESPONSES.decodeRequest({ ...input, tool_choice })
      expect(request.tools).toEqual(tools)
      return request
    }
    const patch = chosen({ type: "custom", name: "apply_patch" })
    expect(patch.toolChoice).toEqual({ type: "tool", name: "apply_patch" })
    expect(OPENAI_RESPONSES.encodeRequest(patch).body.tool_choice).toEqual({
      type: "custom",
      name: "apply_patch",
    })
    expect(chosen({ type: "function", name: "write" }).toolChoice).toEqual({
      type: "tool",
      name: "mcp__files__write",
    })
    const { tool_choice: choice } = OPENAI_CHAT.encodeRequest(CHAT).body
    expect(choice).toEqual({ type: "custom", custom: { name: "apply_patch" } })
  })

  test("converts custom tools of a chat request to custom tools of a Responses request", () => {
    const { body, losses } = OPENAI_RESPONSES.encodeRequest(CHAT)
    expect(losses).toEqual([])
    expect(body.tools).toEqual([CUSTOM_ITEM])
    expect(listAt(body, "input").slice(1)).toEqual(HISTORY.slice(1, 3))
  })
})

describe("calls to custom tools and tools in namespaces", () => {
  const written = JSON.stringify({ input: PATCH })

  test("have their text in the custom_tool_call of a response", () => {
    const frames = framesOf(OPENAI_RESPONSES, CODEX, called("apply_patch", written))
    const deltas = frames.filter(({ type }) => type === "response.custom_tool_call_input.delta")
    expect(deltas.length).toBeGreaterThan(3)
    expect(deltas.map(({ delta }) => delta).join("")).toBe(PATCH)
    const done = frames.find(({ type }) => type === "response.custom_tool_call_input.done")
    expect(done?.input).toBe(PATCH)
    const item = { type: "custom_tool_call", call_id: "c3", name: "apply_patch", input: PATCH }
    expect(frames.at(-1)?.response).toMatchObject({ output: [item] })
    const whole = foldEvents(called("apply_patch", written))
    expect(OPENAI_RESPONSES.encodeResult(whole, CODEX)).toMatchObject({ output: [item] })
  })

  test("have their namespace in the function_call of a response", () => {
    const events = called(nameOf(CODEX, "read-file"), '{"path":"a"}')
    const item = {
      type: "function_call",
      namespace: "mcp__files__",
      name: "read-file",
      arguments: '{"path":"a"}',
    }
    const frames = framesOf(OPENAI_RESPONSES, CODEX, events)
    expect(frames.at(-1)?.response).toMatchObject({ output: [item] })
    expect(OPENAI_RESPONSES.encodeResult(foldEvents(events), CODEX)).toMatchObject({
      output: [item],
    })
  })

  test("have their text in the tool call of a chat completion", () => {
    const frames = framesOf(OPENAI_CHAT, CHAT, called("apply_patch", written))
    const deltas = frames
      .flatMap((frame) => listAt(frame, "choices").filter(isJsonObject))
      .flatMap(({ delta }) => (isJsonObject(delta) ? listAt(delta, "tool_calls") : []))
      .filter(isJsonObject)
    expect(deltas[0]).toMatchObject({ id: "c3", type: "custom", custom: { name: "apply_patch" } })
    const text = deltas.map((delta) => textAt(objectAt(delta, "custom") ?? {}, "input") ?? "")
    expect(text.join("")).toBe(PATCH)
    const call = { id: "c3", type: "custom", custom: { name: "apply_patch", input: PATCH } }
    const whole = OPENAI_CHAT.encodeResult(foldEvents(called("apply_patch", written)), CHAT)
    expect(whole).toMatchObject({ choices: [{ message: { tool_calls: [call] } }] })
  })

  test.each([
    ['{"text":"a"}', "a"],
    ["plain words", "plain words"],
    ["{}", ""],
    ['{ "input" : "a\nb\\q" }', "a\nbq"],
    ['{"input":"cut o', "cut o"],
  ])("have text input even if their arguments are %p", (arguments_, text) => {
    const frames = framesOf(OPENAI_RESPONSES, CODEX, called("apply_patch", arguments_))
    expect(frames.at(-1)?.response).toMatchObject({ output: [{ input: text }] })
  })
})

describe("conversion of a vendor's custom tool call", () => {
  test("converts a streamed response to a chat completion", () => {
    const item = { type: "custom_tool_call", id: "ctc_1", call_id: "c3", name: "apply_patch" }
    const frames: SseFrame[] = [
      { type: "response.output_item.added", output_index: 0, item: { ...item, input: "" } },
      { type: "response.custom_tool_call_input.delta", output_index: 0, delta: PATCH.slice(0, 5) },
      { type: "response.custom_tool_call_input.delta", output_index: 0, delta: PATCH.slice(5) },
      { type: "response.custom_tool_call_input.done", output_index: 0, input: PATCH },
      { type: "response.output_item.done", output_index: 0, item: { ...item, input: PATCH } },
      { type: "response.completed", response: { status: "completed", output: [] } },
    ].map((json) => ({ data: JSON.stringify(json) }))
    const decoder = OPENAI_RESPONSES.decodeEvents(CHAT)
    const result = foldEvents(frames.flatMap((frame) => decoder.push(frame)))
    const call = { id: "c3", type: "custom", custom: { name: "apply_patch", input: PATCH } }
    expect(OPENAI_CHAT.encodeResult(result, CHAT)).toMatchObject({
      choices: [{ message: { tool_calls: [call] }, finish_reason: "tool_calls" }],
    })
  })

  test("converts a streamed chat completion to a response", () => {
    const chunk = (delta: JsonObject, finish: string | null = null) => ({
      data: JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] }),
    })
    const call = { id: "c3", type: "custom", custom: { name: "apply_patch", input: "" } }
    const frames = [
      chunk({ tool_calls: [{ index: 0, ...call }] }),
      chunk({ tool_calls: [{ index: 0, custom: { input: PATCH.slice(0, 5) } }] }),
      chunk({ tool_calls: [{ index: 0, custom: { input: PATCH.slice(5) } }] }),
      chunk({}, "tool_calls"),
    ]
    const decoder = OPENAI_CHAT.decodeEvents(CODEX)
    const result = foldEvents([...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()])
    expect(OPENAI_RESPONSES.encodeResult(result, CODEX)).toMatchObject({
      output: [{ type: "custom_tool_call", call_id: "c3", input: PATCH }],
    })
  })
})

describe("functions in the legacy chat format", () => {
  const declared = { name: "look", description: "Looks.", parameters: { type: "object" } }
  const request = OPENAI_CHAT.decodeRequest({
    model: "any/model",
    stream: true,
    messages: [{ role: "user", content: "Hi" }],
    functions: [declared],
    function_call: { name: "look" },
  })

  for (const upstream of UPSTREAMS) {
    test(`reach ${upstream.id} without a loss`, () => {
      const { body, losses } = upstream.encodeRequest({ ...request, model: "gpt-5.1" })
      expect(losses.map(({ name }) => name)).not.toContain("functions")
      expect(JSON.stringify(body)).toContain('"look"')
      if (upstream.id !== "openai-chat") return
      expect(body).toMatchObject({ functions: [declared], function_call: { name: "look" } })
      expect(body.tools).toBeUndefined()
      expect(body.parallel_tool_calls).toBeUndefined()
    })
  }

  test("get the calls to them in the legacy format", () => {
    const events = called("look", '{"at":1}')
    const call = { name: "look", arguments: '{"at":1}' }
    expect(OPENAI_CHAT.encodeResult(foldEvents(events), request)).toMatchObject({
      choices: [{ message: { function_call: call }, finish_reason: "function_call" }],
    })
    const deltas = framesOf(OPENAI_CHAT, request, events)
      .flatMap((frame) => listAt(frame, "choices").filter(isJsonObject))
      .map(({ delta }) => objectAt(objectAt({ delta }, "delta") ?? {}, "function_call"))
      .filter((each) => each !== undefined)
    expect(deltas[0]?.name).toBe("look")
    expect(deltas.map(({ arguments: written }) => written).join("")).toBe('{"at":1}')
  })
})
