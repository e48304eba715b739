import { describe, expect, test } from "bun:test"
import type { PatchedFrame, ResultPatch, SseFrame } from "../../../src/canon/dialect.ts"
import { GatewayError } from "../../../src/canon/errors.ts"
import type { JsonObject } from "../../../src/canon/json.ts"
import { OPENAI_CHAT, openAiChat } from "../../../src/dialects/openai-chat/index.ts"
import type { OpenAiChatQuirks } from "../../../src/dialects/openai-chat/quirks/index.ts"

const PATCH = { model: "public/model", streamUsage: false }

function frame(json: JsonObject): SseFrame {
  return { data: JSON.stringify(json), json }
}

/** Patches one frame in a new stream. */
function patchFrame(frame: SseFrame, patch: ResultPatch): PatchedFrame {
  return OPENAI_CHAT.patches.frames(patch).push(frame)
}

function call(id: string): JsonObject {
  return { id, type: "function", function: { name: "f", arguments: "" } }
}

function request(body: JsonObject, quirks: Partial<OpenAiChatQuirks> = {}, maxTokens?: number) {
  const patch = maxTokens === undefined ? { model: "up" } : { model: "up", maxTokens }
  return openAiChat(quirks).patches.request({ model: "a/b", ...body }, patch)
}

describe("the patcher of OpenAI requests", () => {
  test("changes only the model name", () => {
    const body = { model: "a/b", messages: [{ role: "user", content: "Hi" }], x: { y: [1] } }
    const patched = OPENAI_CHAT.patches.request(body, { model: "up" })
    expect(patched).toEqual({ body: { ...body, model: "up" }, losses: [] })
    expect(patched.body.messages).toBe(body.messages)
    expect(body.model).toBe("a/b")
  })

  test("requests usage of a stream", () => {
    const options = { include_obfuscation: false, include_usage: false }
    expect(request({ stream: true }).body.stream_options).toEqual({ include_usage: true })
    expect(request({ stream: true, stream_options: options }).body.stream_options).toEqual({
      include_obfuscation: false,
      include_usage: true,
    })
    expect(options.include_usage).toBe(false)
    expect(request({ stream: false }).body).not.toHaveProperty("stream_options")
    const unasked = request({ stream: true, stream_options: options }, { usageInStream: "always" })
    expect(unasked).toEqual({ body: { model: "up", stream: true }, losses: [] })
  })

  test("sends the output limit in the field that the caller used", () => {
    expect(request({}, {}, 5).body).toEqual({ model: "up", max_completion_tokens: 5 })
    expect(request({ max_tokens: 9 }, {}, 5).body).toEqual({ model: "up", max_tokens: 5 })
    expect(request({ max_tokens: 9 }).body.max_tokens).toBe(9)
    const quirks = { maxTokensField: "max_tokens", maxTokensFieldOnly: true } as const
    expect(request({ max_completion_tokens: 9 }, quirks).body).toEqual({
      model: "up",
      max_tokens: 9,
    })
    expect(request({ max_completion_tokens: 9 }, quirks, 5).body).toEqual({
      model: "up",
      max_tokens: 5,
    })
    expect(request({ max_completion_tokens: null, max_tokens: 4 }, quirks).body).toEqual({
      model: "up",
      max_tokens: 4,
    })
  })

  test("drops fields that the vendor rejects and reports a loss", () => {
    const quirks = { dropFields: ["store", "user"], maxTemperature: 1, seedField: "random_seed" }
    const patched = request(
      { store: true, user: null, temperature: 1.5, seed: 3 },
      quirks as Partial<OpenAiChatQuirks>,
    )
    expect(patched).toEqual({
      body: { model: "up", temperature: 1, random_seed: 3 },
      losses: [
        { name: "temperature", effect: "approximated" },
        { name: "store", effect: "dropped" },
      ],
    })
  })

  test("reports no loss when it drops an option that disables storage", () => {
    const quirks = { dropFields: ["store"] }
    expect(request({ store: false }, quirks)).toEqual({ body: { model: "up" }, losses: [] })
  })

  test("sets an omitted temperature to 1 if the vendor has another default", () => {
    const quirks = { defaultFields: { temperature: 1 }, maxTemperature: 1 }
    for (const body of [{}, { temperature: null }, { top_p: 0.5 }]) {
      expect(request(body, quirks)).toEqual({
        body: { model: "up", ...body, temperature: 1 },
        losses: [],
      })
    }
    expect(request({ temperature: 0 }, quirks).body.temperature).toBe(0)
    expect(request({}).body).not.toHaveProperty("temperature")
  })

  test("converts developer messages and reasoning only if the vendor requires a conversion", () => {
    const messages = [
      { role: "developer", content: "d" },
      { role: "assistant", content: "a", reasoning_content: "hm", reasoning_details: [] },
    ]
    const dropped = request({ messages }, { developerRole: "system" })
    expect(dropped).toEqual({
      body: {
        model: "up",
        messages: [
          { role: "system", content: "d" },
          { role: "assistant", content: "a" },
        ],
      },
      losses: [{ name: "reasoning", effect: "dropped" }],
    })
    const text = request({ messages }, { reasoningHistory: "text", reasoningField: "reasoning" })
    expect(text.body.messages).toEqual([
      messages[0]!,
      { role: "assistant", content: "a", reasoning: "hm" },
    ])
    expect(request({ messages }, { reasoningHistory: "details" }).body.messages).toBe(messages)
  })

  test("keeps earlier reasoning, and adds empty reasoning if the model requires it and it is missing", () => {
    const calls = { tool_calls: [call("1")] }
    const messages = [
      { role: "assistant", content: null, ...calls },
      { role: "assistant", content: null, ...calls, reasoning_content: "hm" },
    ]
    for (const reasoningHistory of ["drop", "text", "details"] as const) {
      const { patches } = openAiChat({ reasoningHistory })
      const patch = { model: "up", rules: { reasoning_history: true } }
      const { body, losses } = patches.request({ model: "a/b", messages }, patch)
      expect(losses).toEqual([])
      expect(body.messages).toEqual([{ ...messages[0]!, reasoning_content: "" }, messages[1]!])
    }
  })

  test("turns off reasoning in the form that the model requires", () => {
    const body = { model: "a/b", messages: [], reasoning_effort: "none" }
    const off = { model: "up", messages: [] }
    const request = (form: "none" | "enable_thinking" | "thinking") =>
      OPENAI_CHAT.patches.request(body, { model: "up", rules: { reasoning_off: form } }).body
    expect(request("thinking")).toEqual({ ...off, thinking: { type: "disabled" } })
    expect(request("enable_thinking")).toEqual({ ...off, enable_thinking: false })
    expect(request("none")).toEqual({ ...off, reasoning_effort: "none" })
  })

  test("converts signed reasoning to text, without the signature", () => {
    const details = [{ type: "reasoning.text", text: "hm", signature: "s" }]
    const messages = [{ role: "assistant", content: "a", reasoning_details: details }]
    expect(request({ messages }, { reasoningHistory: "text" })).toMatchObject({
      body: { messages: [{ reasoning_content: "hm" }] },
      losses: [{ name: "reasoning.signature" }],
    })
    expect(request({ messages }).losses.map(({ name }) => name)).toEqual([
      "reasoning.signature",
      "reasoning",
    ])
  })

  test("converts the ids of calls and results for Mistral", () => {
    const messages = [
      { role: "assistant", content: null, tool_calls: [call("call_abc"), call("aB3456789")] },
      { role: "tool", tool_call_id: "call_abc", content: "ok" },
      { role: "tool", tool_call_id: "aB3456789", content: "ok" },
    ]
    const { body } = request({ messages }, { toolCallIds: "nine-characters" })
    const [asked, first, second] = body.messages as JsonObject[]
    const ids = (asked!.tool_calls as JsonObject[]).map(({ id }) => id)
    expect(ids[0]).toMatch(/^[a-zA-Z0-9]{9}$/)
    expect(ids).toEqual([first!.tool_call_id, "aB3456789"])
    expect(second!.tool_call_id).toBe("aB3456789")
  })
})

describe("the patcher of complete OpenAI responses", () => {
  test("writes the public model name and the id prefix", () => {
    const body: JsonObject = { id: "gen-1", model: "up", created: 7, provider: "x", choices: [] }
    OPENAI_CHAT.patches.result(body, PATCH)
    expect(body).toEqual({
      id: "chatcmpl-gen-1",
      object: "chat.completion",
      model: "public/model",
      created: 7,
      provider: "x",
      choices: [],
    })
  })

  test("adds missing fields that the official clients require", () => {
    const call = { id: "a", function: { name: "f", arguments: "{}" } }
    const content = [
      { type: "thinking", thinking: [{ type: "text", text: "hm" }] },
      { type: "text", text: "so" },
    ]
    const body: JsonObject = {
      choices: [{ index: 0, message: { role: "assistant", content, tool_calls: [call] } }],
    }
    OPENAI_CHAT.patches.result(body, PATCH)
    expect(body.choices).toEqual([
      {
        index: 0,
        message: {
          role: "assistant",
          content: "so",
          reasoning_content: "hm",
          tool_calls: [{ ...call, type: "function" }],
        },
        finish_reason: "tool_calls",
      },
    ])
  })
})

describe("the patcher of OpenAI stream frames", () => {
  const delta = { role: "assistant", content: "a" }
  const choices = [{ index: 0, delta, finish_reason: null }]
  const object = "chat.completion.chunk"
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
  const asked = { ...PATCH, streamUsage: true }

  test("writes the public model name and the id prefix, and keeps other fields", () => {
    const chunk = { id: "gen-1", object, created: 7, model: "up", choices, obfuscation: "x" }
    const patched = patchFrame(frame(chunk), PATCH)
    expect(patched.action).toBe("forward")
    expect(JSON.parse(patched.data)).toEqual({
      ...chunk,
      id: "chatcmpl-gen-1",
      model: "public/model",
    })
    expect(chunk.model).toBe("up")
  })

  test("returns the original bytes if no field changes", () => {
    const choice = '{"index":0,"delta":{"role":"assistant"}}'
    const head = `"id":"chatcmpl-1", "object":"${object}", "created":7, "model":"public/model"`
    const data = `{ ${head}, "choices":[${choice}] }`
    expect(patchFrame({ data, json: JSON.parse(data) }, PATCH)).toEqual({
      action: "forward",
      data,
    })
  })

  test("keeps usage only if the caller requested it", () => {
    const last = frame({ id: "chatcmpl-1", model: "up", choices: [], usage })
    expect(patchFrame(last, PATCH).action).toBe("withhold")
    const told = patchFrame(last, asked)
    expect(told.action).toBe("forward")
    expect(told.usageCarrier).toEqual(JSON.parse(told.data))
    const noted = frame({ id: "chatcmpl-1", model: "up", choices, usage: null })
    expect(JSON.parse(patchFrame(noted, PATCH).data)).not.toHaveProperty("usage")
    const kept = patchFrame(noted, asked)
    expect(JSON.parse(kept.data)).toHaveProperty("usage", null)
    expect(kept.usageCarrier).toBeUndefined()
  })

  test("accepts usage in the chunk with the finish reason, as Mistral and Groq send it", () => {
    const ended = [{ index: 0, delta: {}, finish_reason: "stop" }]
    const mistral = frame({ id: "chatcmpl-1", model: "up", choices: ended, usage })
    expect(JSON.parse(patchFrame(mistral, PATCH).data)).not.toHaveProperty("usage")
    expect(patchFrame(mistral, asked).usageCarrier).toMatchObject({ usage })
    const groq = frame({ id: "chatcmpl-1", model: "up", choices: ended, x_groq: { usage } })
    expect(patchFrame(groq, asked).usageCarrier).toMatchObject({ usage })
    expect(JSON.parse(patchFrame(groq, PATCH).data)).not.toHaveProperty("usage")
  })

  test("accepts cumulative usage without delaying text", () => {
    const along = frame({ id: "chatcmpl-1", model: "up", choices, usage })
    const patched = patchFrame(along, asked)
    expect(JSON.parse(patched.data)).toMatchObject({ usage })
    expect(patched.usageCarrier).toBeUndefined()
  })

  test.each([
    ["keep-alives", { type: "ping" }],
    ["Azure's report on the prompt", { id: "", model: "", choices: [], prompt_filter_results: [] }],
  ])("withholds %s", (_, json) => {
    expect(patchFrame(frame(json), asked).action).toBe("withhold")
  })

  test("withholds an empty frame, and forwards [DONE] and errors", () => {
    expect(patchFrame({ data: "" }, PATCH).action).toBe("withhold")
    expect(patchFrame({ data: "[DONE]" }, PATCH)).toEqual({
      action: "last",
      data: "[DONE]",
    })
    const broken = frame({ id: "gen-1", choices: [], error: { code: 502, message: "x" } })
    expect(patchFrame(broken, PATCH)).toEqual({
      action: "forward",
      data: broken.data,
    })
  })

  test("converts content in a list to text and numbers calls without an index", () => {
    const call = { id: "a", function: { name: "f", arguments: "{}" } }
    const other = { ...call, id: "b" }
    const delta = { content: [{ type: "text", text: "so" }], tool_calls: [call, other] }
    const json = { id: "chatcmpl-1", model: "up", choices: [{ index: 0, delta }] }
    const patched = JSON.parse(patchFrame(frame(json), PATCH).data)
    expect(patched.choices[0].delta).toEqual({
      role: "assistant",
      content: "so",
      tool_calls: [
        { ...call, type: "function", index: 0 },
        { ...other, type: "function", index: 1 },
      ],
    })
  })

  const opened = (id: string | undefined, name: string, index?: number) => ({
    ...(id !== undefined && { id }),
    ...(index !== undefined && { index }),
    function: { name, arguments: "" },
  })
  const continued = (index?: number, id?: string) => ({
    ...(id !== undefined && { id }),
    ...(index !== undefined && { index }),
    function: { arguments: "{}" },
  })
  test.each([
    ["without index", [opened("a", "f"), continued(), opened("b", "g"), continued()], [0, 0, 1, 1]],
    [
      "all of index 0",
      [opened("a", "f", 0), continued(0), opened("b", "g", 0), continued(0)],
      [0, 0, 1, 1],
    ],
    [
      "without id and index",
      [opened(undefined, "f"), continued(), opened(undefined, "g")],
      [0, 0, 1],
    ],
    [
      "numbered from 1",
      [opened("a", "f", 1), continued(1), opened("b", "g", 2), continued(2)],
      [0, 0, 1, 1],
    ],
    [
      "continued by their ids",
      [opened("a", "f"), opened("b", "g"), continued(undefined, "a")],
      [0, 1, 0],
    ],
    [
      "in order",
      [opened("a", "f", 0), opened("b", "g", 1), continued(0), continued(1)],
      [0, 1, 0, 1],
    ],
  ])("separates successive calls: %s", (_, calls, expected) => {
    const patcher = OPENAI_CHAT.patches.frames(PATCH)
    const indexes = calls.map((call) => {
      const delta = { tool_calls: [call] }
      const json = { id: "chatcmpl-1", model: "up", choices: [{ index: 0, delta }] }
      return JSON.parse(patcher.push(frame(json)).data).choices[0].delta.tool_calls[0].index
    })
    expect(indexes).toEqual(expected)
  })

  test("does not report tool calls if the list of calls is empty", () => {
    const patcher = OPENAI_CHAT.patches.frames(PATCH)
    const delta = { role: "assistant", content: "4", tool_calls: null }
    patcher.push(frame({ id: "chatcmpl-1", model: "up", choices: [{ index: 0, delta }] }))
    const [end] = patcher.missingFrames?.(undefined) ?? []
    expect(JSON.parse(end?.data ?? "{}").choices[0].finish_reason).toBe("stop")
  })

  test("sets one id for the whole stream, even if the vendor sends no id", () => {
    const json = { created: 7, model: "up", choices }
    const patcher = OPENAI_CHAT.patches.frames(PATCH)
    const ids = [1, 2].map(() => JSON.parse(patcher.push(frame(json)).data).id)
    expect(ids[0]).toMatch(/^chatcmpl-\w{20,}$/)
    expect(ids[1]).toBe(ids[0])
    expect(JSON.parse(patchFrame(frame(json), PATCH).data).id).not.toBe(ids[0])
  })

  test("ends a stream with [DONE], and a broken stream with an error", () => {
    const patcher = OPENAI_CHAT.patches.frames(PATCH)
    expect(patcher.end()).toEqual([{ data: "[DONE]" }])
    const [broken, ...more] = patcher.fail(new GatewayError("upstream_timeout", "late"), "r1")
    expect(more).toEqual([])
    expect(JSON.parse(broken!.data).error).toMatchObject({ message: "late", request_id: "r1" })
  })
})

describe("the cost of a patched OpenAI response", () => {
  test("appears in the usage of a complete response and of a stream's last chunk", () => {
    for (const carrier of [{ object: "chat.completion" }, { choices: [] }]) {
      const response: JsonObject = { ...carrier, usage: { prompt_tokens: 1 } }
      OPENAI_CHAT.setCost(response, "0.000012")
      expect(response).toEqual({ ...carrier, usage: { prompt_tokens: 1, cost: 0.000012 } })
    }
  })
})
