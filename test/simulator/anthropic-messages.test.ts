import { expect, test } from "bun:test"
import type { MessageCreateParamsNonStreaming } from "@anthropic-ai/sdk/resources/messages"
import { startSimulator } from "../../simulator/server.ts"
import { wordsOf } from "../../simulator/tokens.ts"
import {
  asking,
  eventsOf,
  PIXEL,
  post,
  rejectionOf,
  THINKING,
  TOOLS,
  withClient,
  type Fields,
} from "./anthropic-support.ts"
import { HAS_FIXTURES, keySet, recorded, WITHOUT_FIXTURES } from "./recorded-keys.ts"

test("the Anthropic simulator answers with the user's text and reports its usage", async () => {
  await using simulator = withClient()
  const message = await simulator.client.messages.create(asking("one two"))
  expect(message).toMatchObject({
    type: "message",
    role: "assistant",
    model: "claude-20261101",
    content: [{ type: "text", text: "one two" }],
    stop_reason: "end_turn",
    stop_sequence: null,
  })
  expect(message.id).toMatch(/^msg_01/)
  expect(message.usage).toMatchObject({ input_tokens: 8, output_tokens: 2 })
})

test("a simulated Anthropic response ends at the output limit and at a stop sequence", async () => {
  await using simulator = withClient()
  const { client } = simulator
  const short = await client.messages.create(asking("one two six", { max_tokens: 2 }))
  expect([short.stop_reason, short.usage.output_tokens]).toEqual(["max_tokens", 2])
  const stop_sequences = ["never", "six"]
  const stopped = await client.messages.create(asking("one two six", { stop_sequences }))
  expect(stopped).toMatchObject({ stop_reason: "stop_sequence", stop_sequence: "six" })
  const streamed = client.messages.stream(asking("one two six", { stop_sequences }))
  expect(await streamed.finalMessage()).toMatchObject({
    content: [{ type: "text", text: "one two " }],
    stop_reason: "stop_sequence",
    stop_sequence: "six",
  })
})

test("the Anthropic simulator calls the tools that the text names, or one tool if parallel calls are disabled", async () => {
  await using simulator = withClient()
  const calls = async (more: Fields) => {
    const text = "get_time and get_weather"
    const message = await simulator.client.messages.create(asking(text, { tools: TOOLS, ...more }))
    return message.content.map((block) => (block.type === "tool_use" ? block.name : block.type))
  }
  expect(await calls({})).toEqual(["get_time", "get_weather"])
  const single = { type: "auto", disable_parallel_tool_use: true }
  expect(await calls({ tool_choice: single })).toEqual(["get_time"])
  expect(await calls({ tool_choice: { type: "none" } })).toEqual(["text"])
  expect(await calls({ tool_choice: { type: "tool", name: "get_weather" } })).toEqual([
    "get_weather",
  ])
  const any = { tool_choice: { type: "any" }, messages: [{ role: "user", content: "hello" }] }
  expect(await calls(any)).toEqual(["get_weather"])
})

for (const thinking of [undefined, THINKING]) {
  const name = thinking === undefined ? "without" : "with"
  test(`the Anthropic simulator completes two turns of the client's stream helper, ${name} thinking`, async () => {
    await using simulator = withClient()
    const { messages } = simulator.client
    const more = thinking === undefined ? { tools: TOOLS } : { tools: TOOLS, thinking }
    const question = { role: "user" as const, content: "get_time and get_weather" }
    const first = await messages
      .stream({ ...asking("", more), messages: [question] })
      .finalMessage()
    expect(first.stop_reason).toBe("tool_use")
    const calls = first.content.filter((block) => block.type === "tool_use")
    expect(calls.map((call) => call.input)).toEqual([{}, { city: "city" }])
    const results = calls.map((call) => ({
      type: "tool_result" as const,
      tool_use_id: call.id,
      content: call.name,
    }))
    const second = await messages.create({
      ...asking("", more),
      messages: [
        question,
        { role: "assistant", content: first.content },
        { role: "user", content: results },
      ],
    })
    const kinds = second.content.map((block) => block.type)
    expect(kinds).toEqual(thinking === undefined ? ["text"] : ["thinking", "text"])
    expect(second.content.at(-1)).toMatchObject({
      text: "The tools answered: get_time; get_weather",
    })
  })
}

test("the Anthropic simulator streams a call without arguments as one empty delta", async () => {
  await using simulator = withClient()
  const body = asking("get_time", { tools: TOOLS, stream: true })
  const events = eventsOf(await (await post(simulator, body)).text())
  expect(events.filter((event) => event.type === "content_block_delta")).toEqual([
    {
      type: "content_block_delta",
      index: 0,
      delta: { type: "input_json_delta", partial_json: "" },
    },
  ])
})

test("the Anthropic simulator answers with JSON that matches the requested schema", async () => {
  await using simulator = withClient()
  const schema = {
    type: "object",
    properties: { stars: { type: "integer" } },
    required: ["stars"],
  }
  const output_config = { format: { type: "json_schema" as const, schema } }
  const message = await simulator.client.messages.create(asking("rate it", { output_config }))
  expect(message.content).toMatchObject([{ type: "text", text: '{"stars":1}' }])
})

test("the Anthropic simulator reads images and documents, and counts their tokens", async () => {
  await using simulator = withClient()
  const ask = async (block: Fields) => {
    const content = [{ type: "text", text: "see" }, block]
    const messages = [{ role: "user", content }]
    const message = await simulator.client.messages.create(asking("", { messages }))
    const [first] = message.content
    return [first?.type === "text" ? first.text : "", message.usage.input_tokens]
  }
  const source = { type: "base64", media_type: "image/png", data: PIXEL }
  expect(await ask({ type: "image", source })).toEqual(["see\n[image 1x1 png]", 8])
  const address = { type: "url", url: "https://example.com/a.png" }
  expect(await ask({ type: "image", source: address })).toEqual(["see\n[image url]", 1406])
  const text = { type: "text", media_type: "text/plain", data: wordsOf(50) }
  expect(await ask({ type: "document", source: text })).toEqual(["see\n[file]", 57])
})

test("the Anthropic simulator counts as many input tokens as it reports in usage", async () => {
  await using simulator = withClient()
  const body = asking("one two", { tools: TOOLS, system: "be brief" })
  const { usage } = await simulator.client.messages.create(body)
  const { max_tokens: _, ...counted } = body
  const count = await simulator.client.messages.countTokens(counted)
  expect(count.input_tokens).toBe(usage.input_tokens)
  const rejected = await post(simulator, body, {}, "/v1/messages/count_tokens")
  expect(await rejected.json()).toMatchObject({
    error: { message: "max_tokens: Extra inputs are not permitted" },
  })
})

test("the Anthropic simulator writes a marked prefix to its cache once, and then reads the prefix", async () => {
  await using simulator = withClient()
  const usageOf = async (question: string, ttl: string) => {
    const cache_control = { type: "ephemeral", ttl }
    const system = [{ type: "text", text: wordsOf(1100), cache_control }]
    const { usage } = await simulator.client.messages.create(asking(question, { system }))
    const { cache_creation, cache_creation_input_tokens: written } = usage
    return [usage.input_tokens, written, usage.cache_read_input_tokens, cache_creation]
  }
  const split = (short: number, long: number) => ({
    ephemeral_5m_input_tokens: short,
    ephemeral_1h_input_tokens: long,
  })
  expect(await usageOf("one", "1h")).toEqual([7, 1103, 0, split(0, 1103)])
  expect(await usageOf("one two", "1h")).toEqual([8, 0, 1103, split(0, 0)])
  await using other = withClient()
  const marked = asking(wordsOf(1100), { cache_control: { type: "ephemeral" } })
  const { usage } = await other.client.messages.create(marked)
  expect(usage.cache_creation).toEqual(split(1103, 0))
})

test("the Anthropic simulator reads earlier turns of a conversation from the cache", async () => {
  await using simulator = withClient()
  const cache_control = { type: "ephemeral" }
  const first = { role: "user", content: wordsOf(1200) }
  const ask = (messages: Fields[]) =>
    simulator.client.messages.create(asking("", { messages, cache_control }))
  await ask([first])
  const { usage } = await ask([
    first,
    { role: "assistant", content: "yes" },
    { role: "user", content: "go on" },
  ])
  expect(usage.cache_read_input_tokens).toBe(1203)
  expect(usage.cache_creation_input_tokens).toBe(9)
})

test("the Anthropic simulator supports adaptive thinking and thinking budgets, and omits thoughts on request", async () => {
  await using simulator = withClient()
  const ask = async (more: Fields) => {
    const message = await simulator.client.messages.create(asking("why", more))
    return { first: message.content[0], usage: message.usage }
  }
  const within = await ask({ thinking: THINKING })
  expect(within.first).toMatchObject({ type: "thinking" })
  expect(within.usage.output_tokens_details).toEqual({ thinking_tokens: 32 })
  expect(within.usage.output_tokens).toBe(33)
  const little = { thinking: { type: "adaptive" }, output_config: { effort: "low" } }
  expect((await ask(little)).usage.output_tokens_details).toEqual({ thinking_tokens: 8 })
  const omitted = await ask({ thinking: { ...THINKING, display: "omitted" } })
  expect(omitted.first).toMatchObject({ type: "thinking", thinking: "" })
})

test("the Anthropic simulator returns redacted thinking on request, and accepts the same block later", async () => {
  await using simulator = withClient()
  const more = { thinking: THINKING }
  const streamed = simulator.client.messages.stream(asking("please REDACT", more))
  const { content } = await streamed.finalMessage()
  expect(content.map((block) => block.type)).toEqual(["redacted_thinking", "text"])
  const messages = [
    { role: "user", content: "please REDACT" },
    { role: "assistant", content },
    { role: "user", content: "on" },
  ]
  const next = await simulator.client.messages.create(asking("", { messages }))
  expect(next.content).toMatchObject([{ type: "text", text: "on" }])
  const touched = { ...content[0], data: Buffer.from("other").toString("base64") }
  const turns = [messages[0], { role: "assistant", content: [touched] }, messages[2]]
  expect(await rejectionOf(asking("", { messages: turns }))).toBe(
    "messages.1.content.0: Invalid `data` in `redacted_thinking` block",
  )
})

const FOLDER = "anthropic-messages"
const CHAT = `${FOLDER}/chat`

const WHOLE: [string, MessageCreateParamsNonStreaming][] = [
  [
    `${CHAT}-prompt-cache-round-trip-anthropic-claude-haiku-4-5-writes-then-reads-the-prompt-cache--0`,
    asking("plain"),
  ],
  [
    `${CHAT}-function-calling-anthropic-claude-haiku-4-5-can-handle-multiple-tool-calls-in-a-singl--0`,
    asking("get_time", { tools: TOOLS }),
  ],
  [
    `${CHAT}-with-extended-thinking-anthropic-claude-haiku-4-5-preserves-thinking-signatures-betwe--1`,
    asking("plain", { thinking: THINKING }),
  ],
]

for (const [name, body] of WHOLE) {
  test.skipIf(!HAS_FIXTURES)(
    `a simulated Anthropic response has the same keys as ${name}${WITHOUT_FIXTURES}`,
    async () => {
      await using simulator = startSimulator()
      const ours = await (await post(simulator, body)).json()
      expect(keySet(ours)).toEqual(keySet(recorded(name).response.body.json))
    },
  )
}

const STREAMED: [string, MessageCreateParamsNonStreaming][] = [
  [
    `${CHAT}-with-extended-thinking-anthropic-claude-haiku-4-5-streams-thinking-content-when-avail--0`,
    asking("plain text", { thinking: THINKING }),
  ],
  [
    `${CHAT}-function-calling-anthropic-claude-haiku-4-5-can-use-tools-with-multi-turn-streaming-c--0`,
    asking("get_weather", { tools: TOOLS }),
  ],
]

for (const [name, body] of STREAMED) {
  test.skipIf(!HAS_FIXTURES)(
    `the Anthropic simulator streams the same kinds of events as ${name}${WITHOUT_FIXTURES}`,
    async () => {
      await using simulator = startSimulator()
      const ours = eventsOf(await (await post(simulator, { ...body, stream: true })).text())
      const theirs = eventsOf(recorded(name).response.body.text ?? "")
      const shapes = (events: Fields[]) => {
        const named = events.map((event) => `${String(event.type)} ${keySet(event).join(" ")}`)
        return named.filter((shape, index) => shape !== named[index - 1])
      }
      expect(shapes(ours)).toEqual(shapes(theirs))
    },
  )
}

test.skipIf(!HAS_FIXTURES)(
  `the Anthropic simulator rejects an unknown model with the recorded error${WITHOUT_FIXTURES}`,
  async () => {
    await using simulator = startSimulator()
    const { response } = recorded(`${FOLDER}/test-model-name-suggestion-anthropic--0`)
    const answer = await post(simulator, asking("a", { model: "unknown" }))
    expect(answer.status).toBe(response.status)
    expect(keySet(await answer.json())).toEqual(keySet(response.body.json))
  },
)
