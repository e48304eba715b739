import { expect, test } from "bun:test"
import type { ChatCompletionMessageParam } from "openai/resources/chat/completions"
import { withSimulator } from "./support.ts"

const TASK = `Do these steps:
call read {"path":"a.txt"}
call write {"path":"a.txt","text":"read {it}"}
Then say that it is done.`

const TOOLS = ["read", "write"].map((name) => ({ type: "function" as const, function: { name } }))

async function nextCalls(messages: ChatCompletionMessageParam[], tools = TOOLS) {
  await using simulator = withSimulator()
  const result = await simulator.client.chat.completions.create({ model: "echo", messages, tools })
  const calls = result.choices[0]?.message.tool_calls ?? []
  return calls.flatMap((call) =>
    call.type === "function" ? [[call.function.name, call.function.arguments]] : [],
  )
}

function answered(count: number): ChatCompletionMessageParam[] {
  return Array.from({ length: count }, (_, index) => {
    const id = `call_${index}`
    const call = { type: "function" as const, id, function: { name: "read", arguments: "{}" } }
    return [
      { role: "assistant" as const, tool_calls: [call] },
      { role: "tool" as const, tool_call_id: id, content: "done" },
    ]
  }).flat()
}

test("the simulator makes the calls of a scripted task in sequence", async () => {
  const task = { role: "user" as const, content: TASK }
  expect(await nextCalls([task])).toEqual([["read", '{"path":"a.txt"}']])
  expect(await nextCalls([task, ...answered(1)])).toEqual([
    ["write", '{"path":"a.txt","text":"read {it}"}'],
  ])
  expect(await nextCalls([task, ...answered(2)])).toEqual([])
})

test("a scripted task continues after another user message, and restarts with a new task message", async () => {
  const task = { role: "user" as const, content: TASK }
  const aside = { role: "user" as const, content: "write is allowed" }
  expect(await nextCalls([task, ...answered(1), aside])).toEqual([
    ["write", '{"path":"a.txt","text":"read {it}"}'],
  ])
  expect(await nextCalls([task, ...answered(2), task])).toEqual([["read", '{"path":"a.txt"}']])
})

test("a scripted task does not call an unavailable tool", async () => {
  const task = { role: "user" as const, content: TASK }
  expect(await nextCalls([task], TOOLS.slice(1))).toEqual([])
})
