import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test"
import { createOpenAI } from "@ai-sdk/openai"
import { generateText, isStepCount, jsonSchema, type ModelMessage, streamText, tool } from "ai"
import type OpenAI from "openai"
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

/** Models of vendors that store no conversations, each with a different dialect. */
const MODELS = ["sim/echo", "claude/opus", "gemini/gemini-2.5-pro"] as const

beforeAll(async () => {
  gateway = await startGateway({
    providersAt: (url) => ({
      openai: provider(`${url}/v1`, "openai"),
      claude: provider(url, "anthropic"),
      gemini: provider(url, "google"),
    }),
    models: {
      "openai/gpt": simulated({ dialects: ["openai-responses"] }),
      "claude/opus": simulated(),
      "gemini/gemini-2.5-pro": simulated(),
    },
  })
  ann = await gateway.caller()
  bob = await gateway.caller()
})

beforeEach(() => {
  gateway.simulator.requests.length = 0
})

afterAll(() => gateway[Symbol.asyncDispose]())

/** Returns the last request to the vendor as text. */
function sent(): string {
  return JSON.stringify(gateway.simulator.requests.at(-1)?.body)
}

function aiSdk(caller: TestCaller, model: string) {
  return createOpenAI({ apiKey: caller.key, baseURL: `${gateway.url}/v1` })(model)
}

type Turn = Partial<OpenAI.Responses.ResponseCreateParams> & { readonly model: string }

/** Sends one turn with OpenAI's client, streamed or not. */
async function say(caller: TestCaller, turn: Turn, streamed: boolean) {
  const { client } = caller
  const { stream: _, ...order } = turn
  if (!streamed) return client.responses.create(order)
  return client.responses.stream(order).finalResponse()
}

describe.each(MODELS)("a conversation with %s", (model) => {
  test.each([false, true])(
    "continues from a response id in OpenAI's client; streamed: %p",
    async (streamed) => {
      const first = await say(ann, { model, input: "My name is Ann" }, streamed)
      expect(first).toMatchObject({ store: true })
      const order = { model, input: "And my age is 40", previous_response_id: first.id }
      const second = await say(ann, order, streamed)
      expect(second.previous_response_id).toBe(first.id)
      expect(sent()).toContain("My name is Ann")
      expect(sent()).not.toContain(first.id)
      await say(ann, { model, input: "Who am I?", previous_response_id: second.id }, streamed)
      expect(sent()).toContain("My name is Ann")
      expect(sent()).toContain("And my age is 40")
      expect(sent()).toContain("Who am I?")
    },
  )

  test("has a second turn in the AI SDK", async () => {
    const messages: ModelMessage[] = [{ role: "user", content: "My name is Ann" }]
    const first = await generateText({ model: aiSdk(ann, model), messages })
    messages.push(...first.response.messages, { role: "user", content: "What is my name?" })
    await generateText({ model: aiSdk(ann, model), messages })
    expect(sent()).toContain(JSON.stringify(first.text).slice(1, -1))
  })

  test("has a second turn in the AI SDK after a stream", async () => {
    const messages: ModelMessage[] = [{ role: "user", content: "My name is Ann" }]
    const first = streamText({ model: aiSdk(ann, model), messages })
    const text = await first.text
    messages.push(...(await first.response).messages, { role: "user", content: "My name?" })
    const second = streamText({ model: aiSdk(ann, model), messages })
    expect(await second.text).not.toBe("")
    expect(sent()).toContain(JSON.stringify(text).slice(1, -1))
  })

  test("continues in the AI SDK after a tool call", async () => {
    const weather = tool({
      inputSchema: jsonSchema({ type: "object", properties: {} }),
      execute: () => "sunny",
    })
    await generateText({
      model: aiSdk(ann, model),
      tools: { get_weather: weather },
      stopWhen: isStepCount(2),
      prompt: "Call get_weather",
    })
    expect(sent()).toContain("sunny")
  })
})

test("a conversation can change models, and return to a vendor that stores a part of it", async () => {
  const first = await say(ann, { model: "openai/gpt", input: "My name is Ann" }, false)
  const turn = (model: string, input: string, previous: string) =>
    say(ann, { model, input, previous_response_id: previous }, false)
  const second = await turn("claude/opus", "I am 40", first.id)
  expect(sent()).toContain("My name is Ann")
  const third = await turn("gemini/gemini-2.5-pro", "I like tea", second.id)
  const fourth = await turn("openai/gpt", "Who am I?", third.id)
  for (const said of ["My name is Ann", "I am 40", "I like tea"]) expect(sent()).toContain(said)
  expect(sent()).not.toContain("previous_response_id")
  await turn("openai/gpt", "Go on", fourth.id)
  expect(sent()).toContain(`"previous_response_id":"${fourth.id}"`)
  expect(sent()).not.toContain("I like tea")
  await turn("claude/opus", "Go on", fourth.id)
  expect(sent()).toContain("I like tea")
})

test.each(MODELS)("a conversation cannot be continued by another account: %s", async (model) => {
  const first = await say(ann, { model, input: "My name is Ann" }, false)
  gateway.simulator.requests.length = 0
  const [item] = first.output
  const taken = await bob.post("/v1/responses", {
    model,
    input: "Who am I?",
    previous_response_id: first.id,
  })
  expect(taken.status).toBe(404)
  expect(await taken.json()).toMatchObject({
    error: { code: "not_found", param: "previous_response_id" },
  })
  const referred = await bob.post("/v1/responses", {
    model,
    input: [
      { type: "item_reference", id: item?.id },
      { role: "user", content: "Who am I?" },
    ],
  })
  expect(referred.status).toBe(404)
  expect(await referred.json()).toMatchObject({ error: { param: "input[0].id" } })
  expect(gateway.simulator.requests).toHaveLength(0)
  expect(await bob.balance()).toBe(10_000_000_000n)
})

test("a response with store false is not stored", async () => {
  const first = await ann.client.responses.create({ model: "sim/echo", input: "Hi", store: false })
  expect(first).toMatchObject({ store: false })
  const order = { model: "sim/echo", input: "Hi", previous_response_id: first.id }
  expect((await ann.post("/v1/responses", order)).status).toBe(404)
})

test.each([false, true])(
  "a stored response is fetched and deleted; streamed: %p",
  async (streamed) => {
    const { client } = ann
    const model = "claude/opus"
    const made = await say(ann, { model, input: "My name is Ann" }, streamed)
    const fetched = await client.responses.retrieve(made.id)
    expect(fetched).toMatchObject({ id: made.id, status: "completed", model })
    expect(fetched.output_text).toBe(made.output_text)
    expect(await statusOf(bob.client.responses.retrieve(made.id))).toBe(404)
    expect(await statusOf(bob.client.responses.delete(made.id))).toBe(404)
    await client.responses.delete(made.id)
    expect(await statusOf(client.responses.retrieve(made.id))).toBe(404)
    const order = { model, input: "Who am I?", previous_response_id: made.id }
    expect(await statusOf(client.responses.create(order))).toBe(404)
    const item = { type: "item_reference" as const, id: made.output[0]?.id ?? "" }
    const input = [item, { role: "user" as const, content: "Who am I?" }]
    expect(await statusOf(client.responses.create({ model, input }))).toBe(404)
  },
)

/** Returns the error status of a call; 200 if the call succeeds. */
async function statusOf(call: PromiseLike<unknown>): Promise<unknown> {
  try {
    await call
    return 200
  } catch (error) {
    return (error as { status?: number }).status
  }
}

describe("deletion of a response that its vendor also stores", () => {
  const model = "openai/gpt"

  test("deletes the vendor's copy too, and a later request cannot continue the response", async () => {
    const made = await say(ann, { model, input: "My name is Ann" }, false)
    expect(await statusOf(bob.client.responses.delete(made.id))).toBe(404)
    gateway.simulator.requests.length = 0
    await ann.client.responses.delete(made.id)
    expect(gateway.simulator.requests.map(({ method, path }) => [method, path])).toEqual([
      ["DELETE", `/v1/responses/${made.id}`],
    ])
    const order = { model, input: "Who am I?", previous_response_id: made.id }
    expect(await statusOf(ann.client.responses.create(order))).toBe(404)
    const item = { type: "item_reference" as const, id: made.output[0]?.id ?? "" }
    expect(await statusOf(ann.client.responses.create({ model, input: [item] }))).toBe(404)
    expect(await statusOf(bob.client.responses.create(order))).toBe(404)
    expect(await statusOf(ann.client.responses.delete(made.id))).toBe(404)
    expect(gateway.simulator.requests).toHaveLength(1)
  })

  test("can be repeated if the vendor's deletion failed", async () => {
    await using failing = await startGateway({
      providersAt: (url) => ({ openai: provider(`${url}/v1`, "openai") }),
      models: { "openai/gpt": simulated({ dialects: ["openai-responses"] }) },
    })
    const cat = await failing.caller()
    const made = await say(cat, { model, input: "My name is Cat" }, false)
    await failing.simulator.stop()
    expect(await statusOf(cat.client.responses.delete(made.id))).toBe(502)
    expect(await statusOf(cat.client.responses.retrieve(made.id))).toBe(200)
  })
})
