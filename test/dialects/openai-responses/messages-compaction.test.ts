import { describe, expect, test } from "bun:test"
import type { ChatRequest } from "../../../src/canon/chat.ts"
import type { JsonObject } from "../../../src/canon/json.ts"
import { listAt } from "../../../src/canon/json.ts"
import { NO_USAGE } from "../../../src/canon/usage.ts"
import { OPENAI_RESPONSES } from "../../../src/dialects/openai-responses/index.ts"
import {
  compactionBody,
  compactionOf,
  withSummaries,
} from "../../../src/dialects/openai-responses/messages/compaction.ts"

const SUMMARY = "They spoke of the number 7 — and of nothing else."

function compacted(body: JsonObject): JsonObject {
  const request: ChatRequest = OPENAI_RESPONSES.decodeRequest(compactionBody(body))
  const parts = [{ type: "text" as const, text: SUMMARY }]
  const usage = { ...NO_USAGE, inputFresh: 20, output: 5 }
  return compactionOf(
    { choices: [{ index: 0, parts, finish: "stop" }], usage, model: "vendor/model" },
    request,
  )
}

describe("a request to compact a conversation", () => {
  test("asks the model for a summary, and forbids tool calls", () => {
    const body = compactionBody({
      model: "vendor/model",
      input: "Hello",
      stream: true,
      text: { format: { type: "json_object" } },
      tools: [{ type: "web_search" }, { type: "function", name: "look" }],
      tool_choice: "required",
      max_output_tokens: 500,
    })
    expect(body).toMatchObject({
      model: "vendor/model",
      tools: [{ type: "function", name: "look" }],
      tool_choice: "none",
      max_output_tokens: 500,
    })
    expect(Object.keys(body).toSorted()).toEqual(
      ["input", "max_output_tokens", "model", "tool_choice", "tools"].toSorted(),
    )
    expect(listAt(body, "input")).toMatchObject([
      { role: "user", content: "Hello" },
      { role: "user", content: expect.stringContaining("summary") as string },
    ])
  })

  test("can continue a stored response without further input", () => {
    const body = compactionBody({ model: "m", previous_response_id: "resp_1", input: [] })
    expect(body.previous_response_id).toBe("resp_1")
    expect(listAt(body, "input")).toHaveLength(1)
  })

  test.each<JsonObject>([{ model: "m" }, { model: "m", input: 7 }, { model: "m", input: [] }])(
    "requires a valid body: %j",
    (body) => {
      expect(() => OPENAI_RESPONSES.decodeRequest(compactionBody(body))).toThrow()
    },
  )
})

describe("a compacted conversation", () => {
  const told = compacted({
    model: "vendor/model",
    instructions: "Be kind",
    input: [
      { role: "user", content: [{ type: "input_text", text: "Hello" }] },
      { role: "assistant", content: "Hi" },
      { type: "function_call", call_id: "c1", name: "look", arguments: "{}" },
      { type: "function_call_output", call_id: "c1", output: "Nothing" },
    ],
  })

  test("contains the user's messages and a compaction item", () => {
    expect(told).toMatchObject({
      object: "response.compaction",
      output: [
        {
          type: "message",
          role: "user",
          status: "completed",
          content: [{ type: "input_text", text: "Hello" }],
        },
        { type: "compaction" },
      ],
      usage: { input_tokens: 20, output_tokens: 5, total_tokens: 25 },
    })
    expect(listAt(told, "output")).toHaveLength(2)
  })

  test("decodes to a user message with the summary", () => {
    const output = listAt(told, "output")
    const body = withSummaries({ model: "m", input: [...output] })
    const { messages } = OPENAI_RESPONSES.decodeRequest(body)
    expect(messages).toHaveLength(2)
    expect(JSON.stringify(messages[1])).toContain(SUMMARY)
    expect(messages[1]?.role).toBe("user")
  })

  test("has one summary after repeated compaction", () => {
    const again = compacted({ model: "m", input: [...listAt(told, "output")] })
    expect(listAt(again, "output")).toMatchObject([{ type: "message" }, { type: "compaction" }])
  })

  test("remains unchanged if the vendor created the compaction", () => {
    const bodies: JsonObject[] = [
      { model: "m", input: [{ type: "compaction", encrypted_content: "gAAAA" }] },
      { model: "m", input: [{ type: "compaction", encrypted_content: 7 }] },
      { model: "m", input: [null, "text", { role: "user", content: "Hi" }] },
      { model: "m", input: "Hi" },
    ]
    for (const body of bodies) expect(withSummaries(body)).toBe(body)
  })
})

test.each(["!!!!", "AP8A_w", "SGk=", "SGkg SGkg"])(
  "the Responses decoder rejects an invalid compaction with the gateway's prefix: tgc1:%s",
  (text) => {
    const item = { type: "compaction", encrypted_content: `tgc1:${text}` }
    const body = { model: "m", input: [{ role: "user", content: "Hello" }, item] }
    for (const read of [withSummaries, compactionBody]) {
      expect(() => read(body)).toThrow("'input[1].encrypted_content'")
    }
  },
)
