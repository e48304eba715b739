import { describe, expect, test } from "bun:test"
import type { JsonObject } from "../../src/canon/json.ts"
import { ANTHROPIC_MESSAGES } from "../../src/dialects/anthropic-messages/index.ts"
import { BEDROCK_CONVERSE } from "../../src/dialects/bedrock-converse/index.ts"
import { COHERE_CHAT } from "../../src/dialects/cohere-chat/index.ts"
import { GEMINI } from "../../src/dialects/gemini/index.ts"
import { OPENAI_CHAT } from "../../src/dialects/openai-chat/index.ts"
import { OPENAI_RESPONSES } from "../../src/dialects/openai-responses/index.ts"
import { replacedParts } from "../../src/relay/chat/replaced-parts.ts"

const RESULT: JsonObject = {
  type: "search_result",
  source: "https://docs.example/keys",
  title: "Keys",
  content: [{ type: "text", text: "Keys are in the drawer." }],
  citations: { enabled: true },
}
const REFERENCE: JsonObject = { type: "tool_reference", tool_name: "mcp__files__read" }
const REQUEST = ANTHROPIC_MESSAGES.decodeRequest({
  model: "m",
  max_tokens: 100,
  messages: [
    { role: "user", content: [RESULT, { type: "text", text: "Where are the keys?" }] },
    { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "find", input: {} }] },
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "t1", content: [REFERENCE, RESULT] }],
    },
  ],
  tools: [{ name: "find", input_schema: { type: "object" } }],
})

describe("sources and found tools of Anthropic's format", () => {
  test("are sent unchanged to Anthropic, without a loss", () => {
    const { body } = ANTHROPIC_MESSAGES.encodeRequest(REQUEST)
    expect(body.messages).toMatchObject([
      { content: [RESULT, { type: "text" }] },
      {},
      { content: [{ type: "tool_result", content: [REFERENCE, RESULT] }] },
    ])
    expect(replacedParts(REQUEST.messages, "anthropic-messages")).toEqual([])
  })

  for (const vendor of [OPENAI_CHAT, OPENAI_RESPONSES, GEMINI, BEDROCK_CONVERSE, COHERE_CHAT]) {
    test(`are text for ${vendor.id}, which is reported`, () => {
      const sent = JSON.stringify(vendor.encodeRequest(REQUEST).body)
      expect(sent.split("Keys are in the drawer.")).toHaveLength(3)
      expect(sent).toContain("https://docs.example/keys")
      expect(sent).toContain("mcp__files__read")
      expect(replacedParts(REQUEST.messages, vendor.id)).toEqual([
        { name: "search_result", effect: "approximated" },
        { name: "tool_reference", effect: "approximated" },
      ])
    })
  }
})
