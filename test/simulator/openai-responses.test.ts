import { expect, test } from "bun:test"
import { zodTextFormat } from "openai/helpers/zod"
import { toResponseInputItems } from "openai/lib/responses/ResponseInputItems"
import type {
  ResponseCreateParamsNonStreaming,
  ResponseInputItem,
  ResponseOutputItem,
} from "openai/resources/responses/responses"
import { z } from "zod"
import { wordsOf } from "../../simulator/tokens.ts"
import { HAS_FIXTURES, keySet, recorded, WITHOUT_FIXTURES } from "./recorded-keys.ts"
import { asking, eventsOf, post, rejectionOf, TOOLS, type Fields } from "./responses-support.ts"
import { withSimulator } from "./support.ts"

type Request = ResponseCreateParamsNonStreaming

function request(input: Request["input"], more: Fields = {}): Request {
  return { model: "gpt", input, ...more } as Request
}

function callsOf(output: ResponseOutputItem[]) {
  return output.filter((item) => item.type === "function_call")
}

test("the Responses simulator answers with the user's text in a response with every required field", async () => {
  await using simulator = withSimulator()
  const response = await simulator.client.responses.create(request("one two"))
  expect(response.output_text).toBe("one two")
  expect(response).toMatchObject({
    object: "response",
    status: "completed",
    model: "gpt-2026-11-01",
    error: null,
    incomplete_details: null,
    store: true,
    usage: { input_tokens: 8, output_tokens: 2, total_tokens: 10 },
  })
  // Fields that the validator of Open Responses requires (docs/contribute/wire/openai-responses.md#f3).
  for (const name of REQUIRED) expect(response, name).toHaveProperty(name)
})

const REQUIRED = (
  "id object created_at completed_at status incomplete_details model previous_response_id " +
  "instructions output error tools tool_choice truncation parallel_tool_calls text top_p " +
  "presence_penalty frequency_penalty top_logprobs temperature reasoning usage " +
  "max_output_tokens max_tool_calls store background service_tier metadata safety_identifier " +
  "prompt_cache_key"
).split(" ")

test("the Responses simulator repeats the request's options in the response", async () => {
  await using simulator = withSimulator()
  const more = {
    instructions: "be brief",
    metadata: { a: "b" },
    temperature: 0.5,
    top_p: 0.5,
    max_output_tokens: 100,
    parallel_tool_calls: false,
    tools: TOOLS,
    store: false,
    user: "someone",
  }
  expect(await simulator.client.responses.create(request("hi", more))).toMatchObject(more)
})

test("a simulated response that reaches the output limit is incomplete", async () => {
  await using simulator = withSimulator()
  const body = request("/tokens 40", { max_output_tokens: 16 })
  const whole = await simulator.client.responses.create(body)
  expect(whole).toMatchObject({
    status: "incomplete",
    incomplete_details: { reason: "max_output_tokens" },
    output: [{ type: "message", status: "incomplete" }],
    usage: { output_tokens: 16 },
  })
  const streamed = await simulator.client.responses.stream({ ...body, stream: true })
  const types: string[] = []
  for await (const event of streamed) types.push(event.type)
  expect(types.at(-1)).toBe("response.incomplete")
})

test("a simulated response has no text if reasoning uses up the output limit", async () => {
  await using simulator = withSimulator()
  const reasoning = { effort: "high" as const, summary: "auto" as const }
  const body = request("why", { max_output_tokens: 16, reasoning })
  const { output, status } = await simulator.client.responses.create(body)
  expect(status).toBe("incomplete")
  expect(output.map((item) => item.type)).toEqual(["reasoning"])
})

test("the Responses simulator calls the tools that the text names", async () => {
  await using simulator = withSimulator()
  const names = async (more: Fields) => {
    const body = request("get_time and get_weather", { tools: TOOLS, ...more })
    const { output } = await simulator.client.responses.create(body)
    return output.map((item) => (item.type === "function_call" ? item.name : item.type))
  }
  expect(await names({})).toEqual(["get_time", "get_weather"])
  expect(await names({ parallel_tool_calls: false })).toEqual(["get_time"])
  expect(await names({ tool_choice: "none" })).toEqual(["message"])
  expect(await names({ tool_choice: { type: "function", name: "get_weather" } })).toEqual([
    "get_weather",
  ])
  expect(await names({ input: "hello", tool_choice: "required" })).toEqual(["get_weather"])
  const allowed = [{ type: "function", name: "get_time" }]
  const tool_choice = { type: "allowed_tools", mode: "auto", tools: allowed }
  expect(await names({ tool_choice })).toEqual(["get_time"])
})

for (const store of [true, false]) {
  test(`the Responses simulator completes two turns with reasoning and tools (store: ${store})`, async () => {
    await using simulator = withSimulator()
    const question = { role: "user" as const, content: "get_time and get_weather" }
    const more = {
      tools: TOOLS,
      store,
      reasoning: { effort: "low" as const, summary: "auto" as const },
      include: ["reasoning.encrypted_content" as const],
    }
    const streamed = simulator.client.responses.stream({ model: "gpt", input: [question], ...more })
    const { output, usage } = await streamed.finalResponse()
    expect(output.map((item) => item.type)).toEqual(["reasoning", "function_call", "function_call"])
    expect(usage?.output_tokens_details.reasoning_tokens).toBe(8)
    const results = callsOf(output).map((call) => ({
      type: "function_call_output" as const,
      call_id: call.call_id,
      output: call.name,
    }))
    // The client's stream helper adds fields that the vendor rejects.
    const items = toResponseInputItems(output)
    const body = request([question, ...items, ...results], more)
    const second = await simulator.client.responses.create(body)
    expect(second.output_text).toBe("The tools answered: get_time; get_weather")
    if (store) return
    const named = request(results, { ...more, previous_response_id: output[0]?.id })
    expect(await rejectionOf(named, simulator)).toMatchObject({
      code: "previous_response_not_found",
    })
  })
}

test("the Responses simulator continues the conversation of a stored response", async () => {
  await using simulator = withSimulator()
  const { client } = simulator
  const first = await client.responses.create(request("get_time", { tools: TOOLS }))
  const [call] = callsOf(first.output)
  const output = [
    { type: "function_call_output" as const, call_id: call?.call_id ?? "", output: "noon" },
  ]
  const more = { tools: TOOLS, previous_response_id: first.id }
  const second = await client.responses.create(request(output, more))
  expect(second.output_text).toBe("The tools answered: noon")
  expect(second.previous_response_id).toBe(first.id)
  const third = await client.responses.create(request("and?", { previous_response_id: second.id }))
  expect(third.output_text).toBe("and?")
  expect(third.usage?.input_tokens).toBeGreaterThan(second.usage?.output_tokens ?? 0)
})

test("the Responses simulator accepts a reference to a stored item", async () => {
  await using simulator = withSimulator()
  const { client } = simulator
  const first = await client.responses.create(request("one"))
  const reference = { type: "item_reference" as const, id: first.output[0]?.id ?? "" }
  const second = await client.responses.create(
    request([reference, { role: "user", content: "two" }]),
  )
  expect(second.output_text).toBe("two")
})

test("the Responses simulator answers with JSON of the requested schema", async () => {
  await using simulator = withSimulator()
  const shape = z.object({ stars: z.int().min(1), tags: z.array(z.string()) })
  const parsed = await simulator.client.responses.parse({
    model: "gpt",
    input: "rate it",
    text: { format: zodTextFormat(shape, "rating") },
  })
  expect(parsed.output_parsed).toEqual({ stars: 1, tags: ["tags"] })
  const json = request("say json", { text: { format: { type: "json_object" } } })
  const { output_text } = await simulator.client.responses.create(json)
  expect(output_text).toBe('{"echo":"say json"}')
})

test("the Responses simulator reads images and files, and counts the tokens of both", async () => {
  await using simulator = withSimulator()
  const image_url =
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
  const content = [
    { type: "input_text", text: "see" },
    { type: "input_image", image_url, detail: "auto" },
    { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERg==" },
  ]
  const body = request([{ role: "user", content } as ResponseInputItem])
  const { output_text, usage } = await simulator.client.responses.create(body)
  expect(output_text).toBe("see\n[image 1x1 png]\n[file]")
  expect(usage?.input_tokens).toBe(518)
})

test("the Responses simulator reports a repeated prefix as cached tokens", async () => {
  await using simulator = withSimulator()
  const body = request([{ role: "user", content: wordsOf(1500) }])
  const cached = async () => {
    const { usage } = await simulator.client.responses.create(body)
    return usage?.input_tokens_details.cached_tokens
  }
  expect([await cached(), await cached()]).toEqual([0, 1024])
})

test("the Responses simulator returns log probabilities on request", async () => {
  await using simulator = withSimulator()
  const more = { include: ["message.output_text.logprobs"], top_logprobs: 2 }
  const body = asking("one two", { ...more, stream: true })
  const events = eventsOf(await (await post(simulator, body)).text())
  const deltas = events.filter((event) => event.type === "response.output_text.delta")
  expect(deltas.map((delta) => (delta.logprobs as Fields[])[0]?.token)).toEqual(["one", " two"])
  const done = events.find((event) => event.type === "response.output_text.done")
  expect(done?.logprobs).toHaveLength(2)
  const [first] = (done?.logprobs ?? []) as Fields[]
  expect(first?.top_logprobs).toHaveLength(2)
})

test("the Responses simulator streams events in OpenAI's order", async () => {
  await using simulator = withSimulator()
  const reasoning = { effort: "low", summary: "auto" }
  const body = asking("one two", { reasoning, stream: true })
  const text = await (await post(simulator, body)).text()
  const types = eventsOf(text).map((event) => event.type)
  expect(types.filter((type, index) => type !== types[index - 1])).toEqual([
    "response.created",
    "response.in_progress",
    "response.output_item.added",
    "response.reasoning_summary_part.added",
    "response.reasoning_summary_text.delta",
    "response.reasoning_summary_text.done",
    "response.reasoning_summary_part.done",
    "response.output_item.done",
    "response.output_item.added",
    "response.content_part.added",
    "response.output_text.delta",
    "response.output_text.done",
    "response.content_part.done",
    "response.output_item.done",
    "response.completed",
  ])
  expect(text).not.toContain("[DONE]")
  expect(text).toContain('"obfuscation"')
  const plain = asking("one", { stream: true, stream_options: { include_obfuscation: false } })
  expect(await (await post(simulator, plain)).text()).not.toContain('"obfuscation"')
})

const FOLDER = "openai-responses"
const CHAT = `${FOLDER}/chat`
const KEPT = {
  store: false,
  reasoning: { effort: "low" },
  include: ["reasoning.encrypted_content"],
}

const WHOLE: [string, Fields][] = [
  [
    `${CHAT}-with-extended-thinking-openai-gpt-5-4-preserves-thinking-signatures-between-turns-whe--1`,
    asking("plain", KEPT),
  ],
  [
    `${CHAT}-tool-choice-and-calls-control-openai-gpt-5-nano-respects-specific-tool-choice--0`,
    asking("work", { ...KEPT }),
  ],
]

function recordedTools(name: string): Fields {
  const { tools, tool_choice } = recorded(name).request.body?.json ?? {}
  return tools === undefined ? {} : { tools, tool_choice }
}

for (const [name, body] of WHOLE) {
  test.skipIf(!HAS_FIXTURES)(
    `a simulated response has the same keys as ${name}${WITHOUT_FIXTURES}`,
    async () => {
      await using simulator = withSimulator()
      const ours = await (await post(simulator, { ...body, ...recordedTools(name) })).json()
      expect(keySet(ours)).toEqual(keySet(recorded(name).response.body.json))
    },
  )
}

test.skipIf(!HAS_FIXTURES)(
  `the Responses simulator streams calls with the same kinds of events as recordings${WITHOUT_FIXTURES}`,
  async () => {
    await using simulator = withSimulator()
    const name = `${CHAT}-function-calling-openai-gpt-5-nano-can-use-tools-with-multi-turn-streaming-conversati--0`
    const body = asking("the weather", { ...KEPT, ...recordedTools(name), stream: true })
    const ours = eventsOf(await (await post(simulator, body)).text())
    const theirs = eventsOf(recorded(name).response.body.text ?? "")
    const shapes = (events: Fields[]) => {
      const named = events.map((event) => `${String(event.type)} ${keySet(event).join(" ")}`)
      return named.filter((shape, index) => shape !== named[index - 1])
    }
    expect(shapes(ours)).toEqual(shapes(theirs))
  },
)

test.skipIf(!HAS_FIXTURES)(
  `the Responses simulator streams text with the same kinds of events as recordings${WITHOUT_FIXTURES}`,
  async () => {
    await using simulator = withSimulator()
    const name = `${FOLDER}/test-responses-basic-streaming--0`
    const ours = eventsOf(await (await post(simulator, asking("one two", { stream: true }))).text())
    const theirs = eventsOf(recorded(name).response.body.text ?? "")
    const shapes = (events: Fields[]) =>
      // The recorded Response object has fewer keys than the current one. The keys are compared above.
      events
        .filter((event) => event.response === undefined)
        .map((event) => `${String(event.type)} ${keySet(event).join(" ")}`)
    expect([...new Set(shapes(ours))]).toEqual([...new Set(shapes(theirs))])
  },
)
