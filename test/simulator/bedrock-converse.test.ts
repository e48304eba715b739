import { expect, test } from "bun:test"
import { startSimulator } from "../../simulator/server.ts"
import { wordsOf } from "../../simulator/tokens.ts"
import {
  responseOf,
  asking,
  eventsOf,
  framesOf,
  PIXEL,
  post,
  THINKING,
  TOOL_CONFIG,
  type Fields,
} from "./bedrock-support.ts"
import { HAS_FIXTURES, keySet, recorded, WITHOUT_FIXTURES } from "./recorded-keys.ts"

test("the Bedrock simulator answers with the user's text and reports its usage", async () => {
  await using simulator = startSimulator()
  const response = await post(simulator, asking("one two"), { model: "us.anthropic.claude-v1:0" })
  expect(response.headers.get("x-amzn-requestid")).toMatch(/^[0-9a-f-]{36}$/)
  expect(await response.json()).toMatchObject({
    output: { message: { role: "assistant", content: [{ text: "one two" }] } },
    stopReason: "end_turn",
    usage: { inputTokens: 8, outputTokens: 2, totalTokens: 10 },
    metrics: {},
  })
})

test("a simulated Bedrock response ends at the output limit and at a stop sequence", async () => {
  await using simulator = startSimulator()
  const ask = (inferenceConfig: Fields) =>
    responseOf(simulator, asking("one two six", { inferenceConfig }))
  expect(await ask({ maxTokens: 2 })).toMatchObject({
    stopReason: "max_tokens",
    usage: { outputTokens: 2 },
  })
  expect(await ask({ stopSequences: ["six"] })).toMatchObject({
    stopReason: "stop_sequence",
    output: { message: { content: [{ text: "one two " }] } },
  })
})

test("the Bedrock simulator calls the tools that the text names or the request requires", async () => {
  await using simulator = startSimulator()
  const names = async (text: string, toolChoice?: Fields) => {
    const toolConfig = toolChoice === undefined ? TOOL_CONFIG : { ...TOOL_CONFIG, toolChoice }
    const { output, stopReason } = await responseOf(simulator, asking(text, { toolConfig }))
    const calls = output.message.content.map(({ toolUse }) => (toolUse as Fields)?.name)
    return [stopReason, ...calls]
  }
  expect(await names("get_time, get_weather")).toEqual(["tool_use", "get_time", "get_weather"])
  expect(await names("hello", { any: {} })).toEqual(["tool_use", "get_weather"])
  expect(await names("hello", { tool: { name: "get_time" } })).toEqual(["tool_use", "get_time"])
  expect(await names("hello", { auto: {} })).toEqual(["end_turn", undefined])
})

test("the Bedrock simulator calls a required tool with arguments that match its schema", async () => {
  await using simulator = startSimulator()
  const toolConfig = { ...TOOL_CONFIG, toolChoice: { tool: { name: "get_weather" } } }
  const { output } = await responseOf(simulator, asking("rate it", { toolConfig }))
  expect(output.message.content).toMatchObject([{ toolUse: { input: { city: "city" } } }])
})

for (const more of [{}, { additionalModelRequestFields: THINKING }]) {
  const isThinking = "additionalModelRequestFields" in more
  test(`the Bedrock simulator completes two turns with parallel tools (thinking: ${isThinking})`, async () => {
    await using simulator = startSimulator()
    const question = { role: "user", content: [{ text: "get_time and get_weather" }] }
    const first = await responseOf(simulator, {
      messages: [question],
      toolConfig: TOOL_CONFIG,
      ...more,
    })
    const { message } = first.output
    const calls = message.content.flatMap(({ toolUse }) => (toolUse === undefined ? [] : [toolUse]))
    expect(calls).toHaveLength(2)
    const results = (calls as { toolUseId: string; name: string }[]).map((call) => ({
      toolResult: { toolUseId: call.toolUseId, content: [{ json: { told: call.name } }] },
    }))
    const messages = [question, message, { role: "user", content: results }]
    const second = await responseOf(simulator, { messages, toolConfig: TOOL_CONFIG, ...more })
    expect(second.output.message.content.at(-1)).toEqual({
      text: 'The tools answered: {"told":"get_time"}; {"told":"get_weather"}',
    })
    expect(second.output.message.content).toHaveLength(isThinking ? 2 : 1)
  })
}

test("the Bedrock simulator reads images and documents, and counts their tokens", async () => {
  await using simulator = startSimulator()
  const content = [
    { text: "see" },
    { image: { format: "png", source: { bytes: PIXEL } } },
    { document: { format: "txt", name: "notes", source: { text: wordsOf(50) } } },
  ]
  const response = await responseOf(simulator, { messages: [{ role: "user", content }] })
  expect(response.output.message.content).toEqual([{ text: "see\n[image 1x1 png]\n[file]" }])
  expect(response.usage.inputTokens).toBe(58)
})

test("the Bedrock simulator writes a marked prefix to its cache once, and then reads the prefix", async () => {
  await using simulator = startSimulator()
  const usageOf = async (text: string) => {
    const cachePoint = { type: "default", ttl: "1h" }
    const system = [{ text: wordsOf(1100) }, { cachePoint }]
    return (await responseOf(simulator, asking(text, { system }))).usage
  }
  expect(await usageOf("one")).toMatchObject({
    inputTokens: 7,
    outputTokens: 1,
    cacheWriteInputTokens: 1103,
    cacheReadInputTokens: 0,
    cacheDetails: [{ inputTokens: 1103, ttl: "1h" }],
    totalTokens: 1111,
  })
  const later = await usageOf("one two")
  expect(later).toMatchObject({ inputTokens: 8, cacheReadInputTokens: 1103, totalTokens: 1113 })
  expect(later).not.toHaveProperty("cacheDetails")
})

test("the Bedrock simulator streams frames in Bedrock's order, without a block start for text", async () => {
  await using simulator = startSimulator()
  const response = await post(simulator, asking("one two"), { stream: true })
  expect(response.headers.get("content-type")).toBe("application/vnd.amazon.eventstream")
  const p = expect.stringMatching(/^[a-zA-Z0-9]+$/)
  expect(await eventsOf(response)).toEqual([
    { event: "messageStart", role: "assistant", p },
    { event: "contentBlockDelta", contentBlockIndex: 0, delta: { text: "one" }, p },
    { event: "contentBlockDelta", contentBlockIndex: 0, delta: { text: " two" }, p },
    { event: "contentBlockStop", contentBlockIndex: 0, p },
    { event: "messageStop", stopReason: "end_turn", p },
    expect.objectContaining({ event: "metadata", metrics: { latencyMs: 12 }, p }),
  ])
})

test("the Bedrock simulator streams signed thinking, and then calls with a block start", async () => {
  await using simulator = startSimulator()
  const body = asking("get_time", {
    toolConfig: TOOL_CONFIG,
    additionalModelRequestFields: THINKING,
  })
  const events = await eventsOf(await post(simulator, body, { stream: true }))
  const deltas = events.map(({ delta }) => (delta ?? {}) as Record<string, Fields | undefined>)
  const thoughts = deltas
    .map(({ reasoningContent }) => reasoningContent)
    .filter((thought) => thought !== undefined)
  const text = thoughts.map((thought) => thought.text ?? "").join("")
  expect(text).toStartWith("I was asked this: get_time")
  expect(Object.keys(thoughts.at(-1) ?? {})).toEqual(["signature"])
  expect(events.find(({ event }) => event === "contentBlockStart")).toMatchObject({
    contentBlockIndex: 1,
    start: { toolUse: { name: "get_time" } },
  })
  // A call without arguments has one empty delta (docs/contribute/wire/bedrock-converse.md#f11).
  const inputs = deltas.filter((delta) => delta.toolUse !== undefined)
  expect(inputs).toEqual([{ toolUse: { input: "" } }])
})

test("the Bedrock simulator returns redacted thinking on request, and accepts the same block later", async () => {
  await using simulator = startSimulator()
  const body = asking("please REDACT", { additionalModelRequestFields: THINKING })
  const { output } = await responseOf(simulator, body)
  const [first] = output.message.content
  expect(first).toHaveProperty("reasoningContent.redactedContent")
  const events = await eventsOf(await post(simulator, body, { stream: true }))
  expect(events[1]).toHaveProperty("delta.reasoningContent.redactedContent")
  const question = { role: "user", content: [{ text: "on" }] }
  const messages = [question, output.message, question]
  expect((await post(simulator, { messages })).status).toBe(200)
})

const FOLDER = "bedrock-converse"
const CLAUDE =
  "-with-extended-thinking-bedrock-claude-haiku-4-5-preserves-thinking-signatures-between"

const WHOLE: [string, Fields][] = [
  [
    `${FOLDER}/chat-vision-models-bedrock-claude-sonnet-4-5-can-understand-local-images--0`,
    asking("plain"),
  ],
  [`${FOLDER}/chat${CLAUDE}--1`, asking("plain", { additionalModelRequestFields: THINKING })],
]

for (const [name, body] of WHOLE) {
  test.skipIf(!HAS_FIXTURES)(
    `a simulated Bedrock response has the same keys as ${name}${WITHOUT_FIXTURES}`,
    async () => {
      await using simulator = startSimulator()
      const ours = await (await post(simulator, body)).json()
      expect(keySet(ours)).toEqual(keySet(recorded(name).response.body.json))
    },
  )
}

const STREAMED: [string, Fields][] = [
  [`${FOLDER}/test-converse-stream-with-content--0`, asking("plain")],
  [
    `${FOLDER}/chat-function-calling-bedrock-amazon-nova-2-lite-v1-0-can-use-tools-without-parameters-in--0`,
    asking("get_time", { toolConfig: TOOL_CONFIG }),
  ],
  [
    `${FOLDER}/test-bedrock-model-thinking-part-redacted-stream--0`,
    asking("REDACT", { additionalModelRequestFields: THINKING }),
  ],
]

for (const [name, body] of STREAMED) {
  test.skipIf(!HAS_FIXTURES)(
    `the Bedrock simulator streams the same kinds of frames as ${name}${WITHOUT_FIXTURES}`,
    async () => {
      await using simulator = startSimulator()
      const response = await post(simulator, body, { stream: true })
      const ours = framesOf(await response.arrayBuffer())
      const theirs = framesOf(Buffer.from(recorded(name).response.body.base64 ?? "", "base64"))
      const shapes = (frames: typeof ours) =>
        frames
          // Recordings have fewer counts than current responses. The counts are compared above.
          .filter(({ headers }) => headers[":event-type"] !== "metadata")
          .map(({ headers, payload }) => {
            const keys = keySet(JSON.parse(payload)).join(" ")
            return `${JSON.stringify(headers)} ${keys}`
          })
      expect([...new Set(shapes(ours))]).toEqual([...new Set(shapes(theirs))])
    },
  )
}
