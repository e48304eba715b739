import { expect, test } from "bun:test"
import { startSimulator, type Simulator } from "../../simulator/server.ts"
import { post as postMessage, asking as askingMessage } from "./anthropic-support.ts"
import { asking, eventsOf, type Fields, post } from "./responses-support.ts"

async function responseOf(response: Promise<Response>): Promise<Fields> {
  const answer = await response
  const text = await answer.text()
  expect([answer.status, text]).toEqual([200, text])
  return JSON.parse(text) as Fields
}

async function begin(simulator: Simulator): Promise<string> {
  const response = await fetch(`${simulator.url}/v1/conversations`, {
    method: "POST",
    headers: { authorization: "Bearer sk-any" },
    body: JSON.stringify({ items: [{ role: "user", content: "My name is Ann" }] }),
  })
  return String(((await response.json()) as Fields).id)
}

function inputOf(answer: Fields): number {
  return Number((answer.usage as Fields).input_tokens)
}

test("the simulator adds each of its responses to the conversation", async () => {
  await using simulator = startSimulator()
  const id = await begin(simulator)
  const first = await responseOf(post(simulator, asking("Hello", { conversation: id })))
  expect(first.conversation).toEqual({ id })
  const second = await responseOf(post(simulator, asking("Hello", { conversation: { id } })))
  expect(inputOf(second)).toBeGreaterThan(inputOf(first) + 2)
  const both = { conversation: id, previous_response_id: first.id }
  const rejected = await post(simulator, asking("Hello", both))
  expect(rejected.status).toBe(400)
  const unknown = await post(simulator, asking("Hello", { conversation: "conv_x" }))
  expect(unknown.status).toBe(404)
})

test("the simulated code interpreter runs in a container that a later request can reuse", async () => {
  await using simulator = startSimulator()
  const auto = { tools: [{ type: "code_interpreter", container: { type: "auto" } }] }
  const text = await (await post(simulator, asking("Hello", { ...auto, stream: true }))).text()
  const items = eventsOf(text)
    .filter(({ type }) => type === "response.output_item.done")
    .map(({ item }) => item as Fields)
  expect(items.map(({ type }) => type)).toEqual(["code_interpreter_call", "message"])
  const container = items[0]?.container_id
  expect(container).toStartWith("cntr_")
  const named = { tools: [{ type: "code_interpreter", container }] }
  const again = await responseOf(post(simulator, asking("Hello", named)))
  expect((again.output as Fields[])[0]).toMatchObject({ container_id: container })
  const input = [items[0], { role: "user", content: "Hello" }]
  const reused = await responseOf(post(simulator, asking(input, auto)))
  expect((reused.output as Fields[])[0]).toMatchObject({ container_id: container })
  const gone = { tools: [{ type: "code_interpreter", container: "cntr_x" }] }
  expect((await post(simulator, asking("Hello", gone))).status).toBe(404)
})

test("a simulated thread continues after the message that previous_message_id names", async () => {
  await using simulator = startSimulator()
  const create = { thread: { type: "create" } }
  const first = await responseOf(postMessage(simulator, askingMessage("My name is Ann", create)))
  const thread = { type: "continue", previous_message_id: first.id }
  const second = await responseOf(postMessage(simulator, askingMessage("Hello", { thread })))
  expect(inputOf(second)).toBeGreaterThan(inputOf(first))
  const lost = { thread: { type: "continue", previous_message_id: "msg_x" } }
  const rejected = await postMessage(simulator, askingMessage("Hello", lost))
  expect(rejected.status).toBe(404)
  expect(await rejected.json()).toMatchObject({
    error: { type: "not_found_error", details: { error_code: "thread_not_found" } },
  })
  const plain = await responseOf(postMessage(simulator, askingMessage("Hello")))
  const unkept = { thread: { type: "continue", previous_message_id: plain.id } }
  expect((await postMessage(simulator, askingMessage("Hello", unkept))).status).toBe(404)
})

test("simulated code execution runs in a container that a later message can reuse", async () => {
  await using simulator = startSimulator()
  const tools = [{ type: "code_execution_20250825", name: "code_execution" }]
  for (const stream of [false, true]) {
    const response = await postMessage(simulator, askingMessage("Hello", { tools, stream }))
    const container = /container_01\w+/.exec(await response.text())?.[0]
    const again = await responseOf(postMessage(simulator, askingMessage("Hello", { container })))
    expect(again.container).toMatchObject({ id: container })
  }
  const gone = askingMessage("Hello", { container: { id: "container_x" } })
  expect((await postMessage(simulator, gone)).status).toBe(404)
})
