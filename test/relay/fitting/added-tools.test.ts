import { expect, test } from "bun:test"
import type { ChatRequest } from "../../../src/canon/chat.ts"
import { decodeRequest } from "../../../src/dialects/openai-responses/request/decode.ts"
import { ANTHROPIC_MESSAGES } from "../../../src/dialects/anthropic-messages/index.ts"
import { carriedRequest, withoutToolItems } from "../../../src/relay/fitting/carried-request.ts"

const LOOK = { type: "function", name: "look", description: "Old", parameters: { type: "object" } }
const NEWER = { ...LOOK, description: "New" }
const NOTES = { type: "namespace", name: "notes", tools: [{ ...LOOK, name: "add" }] }
const added = (...tools: object[]) => ({ type: "additional_tools", role: "developer", tools })
const SAID = { role: "user", content: "Hello" }

function asked(body: object): ChatRequest {
  return decodeRequest(JSON.parse(JSON.stringify({ model: "m", ...body })))
}

function carried(request: ChatRequest): ChatRequest {
  return carriedRequest(request, { dialect: ANTHROPIC_MESSAGES }, "openai-responses")
}

test("a tool that is added again later in a conversation replaces the earlier tool", () => {
  const request = asked({ tools: [LOOK], input: [added(NEWER, NOTES), SAID, added(NOTES)] })
  expect(carried(request).tools).toMatchObject([
    { name: "look", description: "New" },
    { name: "notes__add", origin: { namespace: "notes", name: "add" } },
  ])
  expect(withoutToolItems(request)).toHaveLength(1)
})

test("tools found by a tool search are added, so that calls and choices can reference them", () => {
  const call = { type: "function_call", call_id: "c", name: "add", namespace: "notes" }
  const input = [
    SAID,
    { type: "tool_search_call", call_id: "t", arguments: {} },
    { type: "tool_search_output", call_id: "t", tools: [NOTES] },
    { ...call, arguments: "{}" },
    { type: "function_call_output", call_id: "c", output: "done" },
  ]
  const choice = { type: "function", name: "add", namespace: "notes" }
  const request = carried(asked({ input, tool_choice: choice }))
  expect(request.tools).toMatchObject([{ name: "notes__add" }])
  expect(request.toolChoice).toEqual({ type: "tool", name: "notes__add" })
  const calls = request.messages.flatMap(({ parts }) =>
    parts.filter(({ type }) => type === "tool-call"),
  )
  expect(calls).toMatchObject([{ name: "notes__add" }])
})

test("a request that adds tools is not changed for a vendor of the same dialect", () => {
  const request = asked({ input: [added(LOOK), SAID] })
  expect(carriedRequest(request, { dialect: ANTHROPIC_MESSAGES }, "anthropic-messages")).toBe(
    request,
  )
  expect(request.tools).toBeUndefined()
  expect(request.messages[0]?.parts[0]).toMatchObject({ type: "unknown" })
})

test("added tools of kinds that only one vendor supports are reported as lost under the name `tools`", () => {
  const request = carried(asked({ input: [added({ type: "image_generation" }), SAID] }))
  expect(ANTHROPIC_MESSAGES.encodeRequest(request).losses.map(({ name }) => name)).toContain(
    "tools",
  )
})
