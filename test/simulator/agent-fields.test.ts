import { afterAll, beforeAll, expect, test } from "bun:test"
import { type Simulator, startSimulator } from "../../simulator/server.ts"
import { asking, post } from "./anthropic-support.ts"

let simulator: Simulator

beforeAll(() => {
  simulator = startSimulator()
})

afterAll(() => simulator.stop())

const HEADERS = { authorization: "Bearer sk-any", "content-type": "application/json" }

test("the simulator accepts Codex's client metadata", async () => {
  const response = await fetch(`${simulator.url}/v1/responses`, {
    method: "POST",
    headers: HEADERS,
    body: JSON.stringify({ model: "echo", input: "Hi", client_metadata: { session: "s" } }),
  })
  expect(response.status).toBe(200)
})

test("the simulator accepts Codex's metadata for each item", async () => {
  const said = { turn_id: "t", content_item_kinds: ["user.text"] }
  const item = {
    role: "user",
    content: "Hi",
    internal_chat_message_metadata_passthrough: said,
  }
  const response = await fetch(`${simulator.url}/v1/responses`, {
    method: "POST",
    headers: HEADERS,
    body: JSON.stringify({ model: "echo", input: [item] }),
  })
  expect(response.status).toBe(200)
})

test("the simulator accepts top_k in OpenAI's format", async () => {
  const messages = [{ role: "user", content: "Hi" }]
  const response = await fetch(`${simulator.url}/v1/chat/completions`, {
    method: "POST",
    headers: HEADERS,
    body: JSON.stringify({ model: "echo", messages, top_k: 5 }),
  })
  expect(response.status).toBe(200)
})

test("the simulator accepts the keywords and the language list of a transcription", async () => {
  const form = new FormData()
  form.set("model", "gpt-4o-transcribe")
  form.set("keywords[]", "harbour")
  form.append("languages[]", "en")
  form.set("file", new File([new Uint8Array(100)], "a.wav"))
  const { authorization } = HEADERS
  const response = await fetch(`${simulator.url}/v1/audio/transcriptions`, {
    method: "POST",
    headers: { authorization },
    body: form,
  })
  expect(response.status).toBe(200)
})

test("the simulator accepts changes of settings and tools within a conversation", async () => {
  const change = { type: "tool_addition", tool: { type: "tool_reference", name: "look" } }
  const messages = [
    { role: "user", content: "Hi" },
    { role: "system", content: [change], clear_at: "never", output_config: { effort: "low" } },
  ]
  expect((await post(simulator, asking("", { messages }))).status).toBe(200)
  const user = [{ role: "user", content: "Hi", clear_at: "never" }]
  expect((await post(simulator, asking("", { messages: user }))).status).toBe(400)
})
