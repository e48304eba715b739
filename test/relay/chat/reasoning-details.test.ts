import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import {
  provider,
  simulated,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../support/gateway.ts"
import { type ScriptedVendor, startVendor, streamed } from "../scripted-vendor.ts"
import { dataOf } from "../support.ts"

/**
 * The tests send Gemini's encrypted reasoning from OpenRouter through each format of callers. It names its call and its
 * format.
 */

type Json = Record<string, unknown>

const DETAIL = {
  type: "reasoning.encrypted",
  data: "c2lnbmF0dXJl",
  id: "tool_add_1",
  format: "google-gemini-v1",
  index: 0,
}
const CALL = {
  id: "tool_add_1",
  type: "function",
  function: { name: "add", arguments: '{"a":1}' },
}

function answer(body: Json): Response {
  const head = { id: "gen-1", created: 1, model: "m" }
  const usage = { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 }
  const message = {
    role: "assistant",
    content: "",
    reasoning_details: [DETAIL],
    tool_calls: [CALL],
  }
  if (body["stream"] !== true) {
    const choices = [{ index: 0, message, finish_reason: "tool_calls" }]
    return Response.json({ ...head, object: "chat.completion", choices, usage })
  }
  const chunk = (choices: readonly Json[], more: Json = {}): string =>
    `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", choices, ...more })}\n\n`
  const delta = (each: Json): string => chunk([{ index: 0, delta: each, finish_reason: null }])
  return streamed([
    delta({ role: "assistant", content: "", tool_calls: [{ index: 0, ...CALL }] }),
    delta({ content: "", reasoning_details: [DETAIL] }),
    chunk([{ index: 0, delta: {}, finish_reason: "tool_calls" }], { usage }),
    "data: [DONE]\n\n",
  ])
}

let vendor: ScriptedVendor
let gateway: TestGateway
let caller: TestCaller

beforeAll(async () => {
  vendor = startVendor((_request, number) => answer(vendor.bodies[number - 1] ?? {}))
  gateway = await startGateway({
    providers: { openrouter: { ...provider(vendor.url, "openrouter"), dialects: ["openai-chat"] } },
    models: {
      "openrouter/gemini": simulated({
        deployments: [{ provider: "openrouter", model: "google/gemini-3-pro", weight: 1 }],
      }),
    },
  })
  caller = await gateway.caller("10")
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

const PARAMETERS = { type: "object", properties: { a: { type: "integer" } } }

/** Returns the first request of a client with a format, and the client's next request after a response. */
interface Client {
  readonly path: (stream: boolean) => string
  readonly first: Json
  readonly next: (objects: readonly Json[]) => Json
}

// oxlint-disable-next-line typescript/no-explicit-any -- responses of several formats, as they come
type Loose = any

const RESPONSES: Client = {
  path: () => "/v1/responses",
  first: {
    input: [{ role: "user", content: "Add" }],
    tools: [{ type: "function", name: "add", parameters: PARAMETERS }],
    include: ["reasoning.encrypted_content"],
    store: false,
  },
  next(objects) {
    const whole = objects.find(({ type }) => type === "response.completed")?.["response"]
    const { output } = (whole ?? objects[0]) as Loose
    const { call_id: id } = output.find(({ type }: Loose) => type === "function_call")
    const result = { type: "function_call_output", call_id: id, output: "2" }
    return { input: [{ role: "user", content: "Add" }, ...output, result] }
  },
}

const MESSAGES: Client = {
  path: () => "/v1/messages",
  first: {
    max_tokens: 500,
    messages: [{ role: "user", content: "Add" }],
    tools: [{ name: "add", input_schema: PARAMETERS }],
  },
  next(objects) {
    const content = objects.length === 1 ? (objects[0] as Loose).content : blocksOf(objects)
    const { id } = content.find(({ type }: Loose) => type === "tool_use")
    return {
      messages: [
        { role: "user", content: "Add" },
        { role: "assistant", content },
        { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "2" }] },
      ],
    }
  },
}

function blocksOf(events: readonly Loose[]): Loose[] {
  const blocks: Loose[] = []
  for (const { type, index, content_block: block, delta } of events) {
    if (type === "content_block_start") blocks[index] = block
    if (delta?.signature) blocks[index].signature = delta.signature
    if (delta?.partial_json) blocks[index].input = JSON.parse(delta.partial_json)
  }
  return blocks
}

const GEMINI: Client = {
  path: (stream) =>
    `/v1beta/models/openrouter/gemini:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
  first: {
    contents: [{ role: "user", parts: [{ text: "Add" }] }],
    tools: [{ functionDeclarations: [{ name: "add", parametersJsonSchema: PARAMETERS }] }],
  },
  next(objects) {
    const parts = objects.flatMap((each) => (each as Loose).candidates?.[0]?.content?.parts ?? [])
    const { functionCall } = parts.find((part: Loose) => part.functionCall)
    const { id, name } = functionCall
    return {
      contents: [
        { role: "user", parts: [{ text: "Add" }] },
        { role: "model", parts },
        { role: "user", parts: [{ functionResponse: { id, name, response: { output: "2" } } }] },
      ],
    }
  },
}

describe.each(Object.entries({ RESPONSES, MESSAGES, GEMINI }))("a client of %s", (_, client) => {
  test.each([false, true])(
    "can send the reasoning back unchanged, streamed: %p",
    async (stream) => {
      const ask = async (more: Json): Promise<Json[]> => {
        const body = { model: "openrouter/gemini", ...client.first, ...more }
        const response = await caller.post(client.path(stream), stream ? { ...body, stream } : body)
        const text = await response.text()
        expect(response.status, text).toBe(200)
        expect(response.headers.get("x-tollgate-losses")).toBeNull()
        return stream
          ? dataOf(text).map((data) => JSON.parse(data) as Json)
          : [JSON.parse(text) as Json]
      }
      await ask(client.next(await ask({})))
      const messages = vendor.bodies.at(-1)?.["messages"] as Loose[]
      const message = messages.find(({ role }) => role === "assistant")
      expect(message.reasoning_details).toMatchObject([DETAIL])
      expect(message.tool_calls).toMatchObject([{ id: "tool_add_1" }])
      expect(messages.at(-1)).toMatchObject({ role: "tool", tool_call_id: "tool_add_1" })
    },
  )
})
