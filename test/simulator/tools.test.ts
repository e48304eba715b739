import { expect, test } from "bun:test"
import { zodResponseFormat } from "openai/helpers/zod"
import type {
  ChatCompletionCreateParamsNonStreaming,
  ChatCompletionMessageFunctionToolCall,
} from "openai/resources/chat/completions"
import { z } from "zod"
import { echoBody, framesOf, post, withSimulator } from "./support.ts"

const WEATHER = {
  type: "function" as const,
  function: {
    name: "get_weather",
    parameters: {
      type: "object",
      properties: { city: { type: "string" }, unit: { enum: ["celsius", "kelvin"] } },
      required: ["city"],
    },
  },
}
const CLOCK = { type: "function" as const, function: { name: "get_time" } }

function ask(
  text: string,
  more: Partial<ChatCompletionCreateParamsNonStreaming> = {},
): ChatCompletionCreateParamsNonStreaming {
  const messages = [{ role: "user" as const, content: text }]
  return { model: "echo", messages, tools: [WEATHER, CLOCK], ...more }
}

async function callsOf(request: ChatCompletionCreateParamsNonStreaming) {
  await using simulator = withSimulator()
  const result = await simulator.client.chat.completions.create(request)
  const [choice] = result.choices
  const calls = (choice?.message.tool_calls ?? []) as ChatCompletionMessageFunctionToolCall[]
  return {
    names: calls.map((call) => call.function.name),
    values: calls.map((call) => JSON.parse(call.function.arguments) as unknown),
    ids: calls.map((call) => call.id),
    content: choice?.message.content,
    finish: choice?.finish_reason,
  }
}

test("the simulator calls the tool that the text names", async () => {
  const response = await callsOf(ask("please get_weather now"))
  expect(response.names).toEqual(["get_weather"])
  expect(response.values).toEqual([{ city: "city", unit: "celsius" }])
  expect(response.ids[0]).toMatch(/^call_[0-9A-Za-z]{24}$/)
  expect(response.content).toBeNull()
  expect(response.finish).toBe("tool_calls")
})

test("the simulator calls no tool if the text names no tool, or if calls are forbidden", async () => {
  expect((await callsOf(ask("hello get_weathers"))).names).toEqual([])
  const forbidden = await callsOf(ask("get_weather", { tool_choice: "none" }))
  expect(forbidden.names).toEqual([])
  expect(forbidden.content).toBe("get_weather")
})

test("the simulator calls both named tools in the text's order, unless parallel calls are disabled", async () => {
  const both = await callsOf(ask("get_time and get_weather"))
  expect(both.names).toEqual(["get_time", "get_weather"])
  expect(both.values[0]).toEqual({})
  expect(new Set(both.ids).size).toBe(2)
  const single = await callsOf(ask("get_time and get_weather", { parallel_tool_calls: false }))
  expect(single.names).toEqual(["get_time"])
})

test("the simulator calls any tool if a call is required, or the tool that tool_choice names", async () => {
  const required = await callsOf(ask("hello", { tool_choice: "required" }))
  expect(required.names).toEqual(["get_weather"])
  expect(required.finish).toBe("tool_calls")
  const tool_choice = { type: "function" as const, function: { name: "get_time" } }
  const named = await callsOf(ask("hello", { tool_choice }))
  expect(named.names).toEqual(["get_time"])
  // This is OpenAI's behavior for a named tool.
  expect(named.finish).toBe("stop")
})

test("an output limit truncates the arguments of a simulated call", async () => {
  await using simulator = withSimulator()
  const body = { ...ask("get_weather"), max_tokens: 8 }
  const result = await simulator.client.chat.completions.create(body)
  expect(result.choices[0]?.finish_reason).toBe("length")
  expect(result.usage?.completion_tokens).toBe(8)
})

test("the simulator quotes tool results in its response", async () => {
  await using simulator = withSimulator()
  const result = await simulator.client.chat.completions.create({
    ...ask(""),
    messages: [
      { role: "user", content: "get_weather and get_time" },
      {
        role: "assistant",
        content: null,
        tool_calls: [
          { id: "call_1", type: "function", function: { name: "get_weather", arguments: "{}" } },
          { id: "call_2", type: "function", function: { name: "get_time", arguments: "{}" } },
        ],
      },
      { role: "tool", tool_call_id: "call_1", content: "sunny" },
      { role: "tool", tool_call_id: "call_2", content: "noon" },
    ],
  })
  expect(result.choices[0]?.message.content).toBe("The tools answered: sunny; noon")
})

test("the client's stream helper collects parallel calls from the simulator", async () => {
  await using simulator = withSimulator()
  const stream = simulator.client.chat.completions.stream({
    ...ask("get_weather then get_time"),
    stream: true,
    stream_options: { include_usage: true },
  })
  const result = await stream.finalChatCompletion()
  const calls = result.choices[0]!.message.tool_calls as ChatCompletionMessageFunctionToolCall[]
  expect(calls.map((call) => call.function.name)).toEqual(["get_weather", "get_time"])
  expect(calls.map((call) => call.function.arguments)).toEqual([
    '{"city":"city","unit":"celsius"}',
    "{}",
  ])
  expect(result.choices[0]!.finish_reason).toBe("tool_calls")
  expect(result.usage!.completion_tokens).toBeGreaterThan(0)
})

test("a simulated call has its id, type and name in its first delta only", async () => {
  await using simulator = withSimulator()
  const response = await post(simulator, { ...ask("get_weather, get_time"), stream: true })
  const deltas = framesOf(await response.text())
    .flatMap((frame) => frame.choices as { delta: { tool_calls?: Delta[] } }[])
    .flatMap((choice) => choice.delta.tool_calls ?? [])
  for (const index of [0, 1]) {
    const [first, ...rest] = deltas.filter((delta) => delta.index === index)
    expect(Object.keys(first!)).toEqual(["index", "id", "type", "function"])
    expect(first!.function.arguments).toBe("")
    expect(rest.length).toBeGreaterThan(0)
    for (const delta of rest) {
      expect(Object.keys(delta)).toEqual(["index", "function"])
      expect(Object.keys(delta.function)).toEqual(["arguments"])
    }
  }
})

interface Delta {
  index: number
  function: { name?: string; arguments: string }
}

test("the simulator answers with JSON if JSON is requested without a schema", async () => {
  await using simulator = withSimulator()
  const body = echoBody("say json", { response_format: { type: "json_object" } })
  const result = (await (await post(simulator, body)).json()) as {
    choices: [{ message: { content: string } }]
  }
  expect(JSON.parse(result.choices[0].message.content)).toEqual({ echo: "say json" })
})

test("the simulator answers with JSON that matches the schema", async () => {
  await using simulator = withSimulator()
  const shape = z.object({
    title: z.string(),
    stars: z.int().min(1).max(5),
    tags: z.array(z.string()),
  })
  const result = await simulator.client.chat.completions.parse({
    model: "echo",
    messages: [{ role: "user", content: "rate it" }],
    response_format: zodResponseFormat(shape, "rating"),
  })
  expect(result.choices[0]?.message.parsed).toEqual({ title: "title", stars: 1, tags: ["tags"] })
})
