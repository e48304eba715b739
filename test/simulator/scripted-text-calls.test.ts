import { afterAll, beforeAll, expect, test } from "bun:test"
import { type Simulator, startSimulator } from "../../simulator/server.ts"

let simulator: Simulator

beforeAll(() => {
  simulator = startSimulator()
})

afterAll(() => simulator.stop())

const TOOLS = [
  { type: "custom", name: "apply_patch" },
  {
    type: "namespace",
    name: "notes",
    description: "Notes",
    tools: [{ type: "function", name: "add", parameters: { type: "object" } }],
  },
]
const TASK = 'call apply_patch {"input":"+after\\n"}\ncall notes__add {"text":"done"}'

async function responseTo(input: readonly object[], stream: boolean): Promise<string> {
  const response = await fetch(`${simulator.url}/v1/responses`, {
    method: "POST",
    headers: { authorization: "Bearer sk-any", "content-type": "application/json" },
    body: JSON.stringify({ model: "echo", input, tools: TOOLS, stream }),
  })
  expect(response.status).toBe(200)
  return response.text()
}

const task = { role: "user", content: TASK }

test("a scripted task calls a custom tool with text, and a tool in a namespace with its namespace", async () => {
  const { output } = JSON.parse(await responseTo([task], false))
  expect(output).toMatchObject([
    { type: "custom_tool_call", name: "apply_patch", input: "+after\n", status: "completed" },
  ])
  const [{ call_id }] = output
  const items = [task, ...output, { type: "custom_tool_call_output", call_id, output: "done" }]
  const next = JSON.parse(await responseTo(items, false))
  expect(next.output).toMatchObject([
    { type: "function_call", name: "add", namespace: "notes", arguments: '{"text":"done"}' },
  ])
})

test("a scripted call to a custom tool streams its text", async () => {
  const frames = await responseTo([task], true)
  expect(frames).toContain("event: response.custom_tool_call_input.delta")
  expect(frames).toContain('"response.custom_tool_call_input.done","input":"+after\\n"')
})
