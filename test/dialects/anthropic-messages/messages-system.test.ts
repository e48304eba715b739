import { describe, expect, test } from "bun:test"
import type { ChatRequest } from "../../../src/canon/chat.ts"
import type { JsonValue } from "../../../src/canon/json.ts"
import { ANTHROPIC_MESSAGES } from "../../../src/dialects/anthropic-messages/index.ts"

function decode(...messages: JsonValue[]): ChatRequest {
  return ANTHROPIC_MESSAGES.decodeRequest({ model: "a/b", max_tokens: 100, messages })
}

describe("Anthropic instructions within a conversation", () => {
  const USER = { role: "user", content: "Hi" }
  const extra = { dialect: "anthropic-messages" as const, fields: {} }

  test("keep their position and their Anthropic fields", () => {
    const change = { type: "tool_removal", tool: { type: "tool_reference", name: "f" } }
    const marked = { type: "text", text: "B", cache_control: { type: "ephemeral" } }
    expect(
      decode(
        USER,
        { role: "system", content: "A" },
        { role: "system", content: [marked, change], output_config: { effort: "low" } },
      ).messages.slice(1),
    ).toEqual([
      { role: "system", parts: [{ type: "text", text: "A" }], extra },
      {
        role: "system",
        parts: [
          { type: "text", text: "B", cache: {} },
          { type: "unknown", extra: { ...extra, fields: change } },
        ],
        extra: { ...extra, fields: { output_config: { effort: "low" } } },
      },
    ])
  })

  test("end after one turn only if clear_at requires it", () => {
    const once = { role: "system", content: "A", clear_at: "next_user_message" }
    const rolesOf = (...turns: JsonValue[]) => decode(...turns).messages.map(({ role }) => role)
    expect(rolesOf(USER, once)).toEqual(["user", "system"])
    expect(rolesOf(USER, once, { role: "assistant", content: "B" })).toContain("system")
    expect(rolesOf(USER, once, USER)).toEqual(["user", "user"])
  })

  test("do not separate a tool call from its result", () => {
    const call = { type: "tool_use", id: "a", name: "f", input: {} }
    const { messages } = decode(
      { role: "assistant", content: [call] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "1" }] },
      { role: "system", content: "A" },
    )
    expect(messages.map(({ role }) => role)).toEqual(["assistant", "tool", "system"])
  })

  test("have their original position in a request to Anthropic", () => {
    const text = { role: "system", content: "A" }
    const settings = { role: "system", output_config: { effort: "low" } }
    const request = decode(text, USER, text, settings)
    const { body, losses } = ANTHROPIC_MESSAGES.encodeRequest(request)
    expect(body.system).toBe("A")
    expect(body.messages).toEqual([USER, text, settings])
    expect(losses).toEqual([])
  })
})
