import { afterAll, beforeAll, expect, test } from "bun:test"
import Anthropic from "@anthropic-ai/sdk"
import type { BetaRunnableTool } from "@anthropic-ai/sdk/lib/tools/BetaRunnableTool"
import { createOpenAI } from "@ai-sdk/openai"
import { generateText, type ModelMessage } from "ai"
import {
  provider,
  simulated,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../support/gateway.ts"

let gateway: TestGateway
let ann: TestCaller
let bob: TestCaller

beforeAll(async () => {
  gateway = await startGateway({
    providersAt: (url) => ({
      openai: provider(`${url}/v1`, "openai"),
      claude: provider(url, "anthropic"),
    }),
    models: {
      "openai/gpt": simulated({ dialects: ["openai-responses"] }),
      "claude/opus": simulated(),
    },
  })
  ann = await gateway.caller()
  bob = await gateway.caller()
})

afterAll(() => gateway[Symbol.asyncDispose]())

function claudeOf(caller: TestCaller): Anthropic {
  return new Anthropic({ apiKey: caller.key, baseURL: gateway.url, maxRetries: 0 })
}

/** Returns the body of the last request to the vendor. */
function sent(): Record<string, unknown> {
  return gateway.simulator.requests.at(-1)?.body as Record<string, unknown>
}

test("Anthropic's client continues a thread that its vendor stores", async () => {
  const thread = claudeOf(ann).beta.messages.thread({ model: "claude/opus", max_tokens: 50 })
  const first = await thread.send({ role: "user", content: "My name is Ann" })
  const second = await thread.send({ role: "user", content: "What is my name?" })
  expect(sent()).toMatchObject({
    thread: { type: "continue", previous_message_id: first.id },
    messages: [{ role: "user", content: "What is my name?" }],
  })
  expect(second.usage.input_tokens).toBeGreaterThan(first.usage.input_tokens)
})

test("Anthropic's client sends the whole conversation if the thread belongs to another account", async () => {
  const client = claudeOf(ann)
  const thread = client.beta.messages.thread({ model: "claude/opus", max_tokens: 50 })
  const first = await thread.send({ role: "user", content: "My name is Ann" })
  client.apiKey = bob.key
  await thread.send({ role: "user", content: "What is my name?" })
  expect(sent()).toMatchObject({ thread: { type: "create" } })
  expect(sent()["messages"]).toHaveLength(3)
  expect(JSON.stringify(gateway.simulator.requests)).not.toContain(`"${first.id}"`)
})

test("Anthropic's client continues without a thread if the vendor stores no threads", async () => {
  const unsupportedRequestBehavior = "continue_unthreaded"
  const order = { model: "sim/echo", max_tokens: 50, unsupportedRequestBehavior } as const
  const thread = claudeOf(ann).beta.messages.thread(order)
  await thread.send({ role: "user", content: "My name is Ann" })
  await thread.send({ role: "user", content: "What is my name?" })
  expect(sent()["messages"]).toHaveLength(3)
})

test.each(["claude/opus", "sim/echo"])(
  "Anthropic's client sends results of tool calls that only the vendor stores: %s",
  async (model) => {
    const tool: BetaRunnableTool = {
      name: "get_weather",
      input_schema: { type: "object", properties: {} },
      run: () => "sunny",
      parse: (input) => input,
    }
    const runner = claudeOf(ann).beta.messages.toolRunner({
      model,
      max_tokens: 50,
      max_iterations: 2,
      tools: [tool],
      messages: [{ role: "user", content: "Call get_weather" }],
    })
    await runner.runUntilDone()
    expect(JSON.stringify(sent())).toContain("sunny")
  },
)

test("the AI SDK's second turn references the items of the first turn", async () => {
  const openai = createOpenAI({ apiKey: ann.key, baseURL: `${gateway.url}/v1` })
  const model = openai.responses("openai/gpt")
  const messages: ModelMessage[] = [{ role: "user", content: "My name is Ann" }]
  const first = await generateText({ model, messages })
  messages.push(...first.response.messages, { role: "user", content: "What is my name?" })
  await generateText({ model, messages })
  expect(JSON.stringify(sent())).toContain('"item_reference"')
  const other = createOpenAI({ apiKey: bob.key, baseURL: `${gateway.url}/v1` })
  const taken = generateText({ model: other.responses("openai/gpt"), messages, maxRetries: 0 })
  await expect(taken).rejects.toThrow("which this account does not have")
})
