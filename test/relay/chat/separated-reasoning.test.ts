import { afterAll, beforeAll, expect, test } from "bun:test"
import { provider, startGateway, type TestCaller, type TestGateway } from "../../support/gateway.ts"
import { DONE, type ScriptedVendor, startVendor, streamed } from "../scripted-vendor.ts"
import { CHAT, dataOf, HELLO } from "../support.ts"

/** The tests use MiniMax, which includes its reasoning in the text unless the request has `reasoning_split`. */

type Json = Record<string, unknown>

const THOUGHTS = ["The user", " says hello."]
const DETAIL = { type: "reasoning.text", id: "reasoning-text-1", format: "MiniMax-response-v1" }
const HEAD = { id: "chatcmpl-1", created: 1, model: "MiniMax-M2.7" }

function detailsOf(text: string): Json {
  return { reasoning_content: text, reasoning_details: [{ ...DETAIL, index: 0, text }] }
}

function answer(body: Json): Response {
  const isSplit = body["reasoning_split"] === true
  const usage = { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 }
  const thought = THOUGHTS.join("")
  const messages = isSplit
    ? [...THOUGHTS.map(detailsOf), { content: "Hello" }]
    : [{ content: `<think>${thought}</think>Hello` }]
  if (body["stream"] !== true) {
    const message = isSplit ? { content: "Hello", ...detailsOf(thought) } : messages[0]
    const choice = { index: 0, message: { role: "assistant", ...message }, finish_reason: "stop" }
    return Response.json({ ...HEAD, object: "chat.completion", choices: [choice], usage })
  }
  const frames = messages.map((delta, index) => {
    const isLast = index === messages.length - 1
    const choice = { index: 0, delta, finish_reason: isLast ? "stop" : null }
    return { ...HEAD, object: "chat.completion.chunk", choices: [choice], ...(isLast && { usage }) }
  })
  return streamed([...frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`), DONE])
}

let vendor: ScriptedVendor
let gateway: TestGateway
let caller: TestCaller

beforeAll(async () => {
  vendor = startVendor(() => answer(vendor.bodies.at(-1) ?? {}))
  gateway = await startGateway({
    providers: { minimax: provider(vendor.url, "minimax") },
    models: { "minimax/MiniMax-M2.7": { kind: "chat", price: { input: "1", output: "2" } } },
  })
  caller = await gateway.caller("1")
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

const BODY = { model: "minimax/MiniMax-M2.7", messages: HELLO, max_tokens: 100 }

async function ask(path: string, fields: Json = {}): Promise<Json> {
  const response = await caller.post(path, { ...BODY, ...fields })
  expect(response.status).toBe(200)
  return (await response.json()) as Json
}

test("reasoning inside the text of a whole response is separated", async () => {
  const { choices } = (await ask(CHAT)) as { choices: { message: Json }[] }
  expect(choices[0]?.message).toMatchObject({
    content: "Hello",
    reasoning_content: THOUGHTS.join(""),
  })
  const { content } = await ask("/v1/messages")
  expect(content).toMatchObject([
    { type: "thinking", thinking: THOUGHTS.join("") },
    { type: "text", text: "Hello" },
  ])
})

test("reasoning inside the text of a stream is separated and sent once", async () => {
  const stream = await caller.post("/v1/messages", { ...BODY, stream: true })
  const events = dataOf(await stream.text()).map((data) => JSON.parse(data) as { delta?: Json })
  const deltas = events.map(({ delta = {} }) => delta)
  const joined = (name: string) => deltas.map((delta) => delta[name] ?? "").join("")
  expect([joined("thinking"), joined("text")]).toEqual([THOUGHTS.join(""), "Hello"])
})

test("reasoning stays inside the text if the caller requests this", async () => {
  const { choices } = (await ask(CHAT, { reasoning_split: false })) as {
    choices: { message: Json }[]
  }
  expect(choices[0]?.message["content"]).toStartWith("<think>")
})

test("reasoning of earlier turns is sent back unchanged", async () => {
  const turn = { role: "assistant", content: "Hello", ...detailsOf(THOUGHTS.join("")) }
  await ask(CHAT, { messages: [...HELLO, turn, ...HELLO] })
  expect(vendor.bodies.at(-1)).toMatchObject({ messages: [{}, turn, {}] })
})
