import { describe, expect, test } from "bun:test"
import type { JsonObject } from "../../src/canon/json.ts"
import { ANTHROPIC_MESSAGES } from "../../src/dialects/anthropic-messages/index.ts"
import { BEDROCK_CONVERSE } from "../../src/dialects/bedrock-converse/index.ts"
import { COHERE_CHAT } from "../../src/dialects/cohere-chat/index.ts"
import { GEMINI } from "../../src/dialects/gemini/index.ts"
import { OPENAI_CHAT } from "../../src/dialects/openai-chat/index.ts"
import { OPENAI_RESPONSES } from "../../src/dialects/openai-responses/index.ts"
import { replaceParts } from "../../src/relay/fitting/foreign-parts.ts"

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

describe("search results and tool references in an Anthropic request", () => {
  test("reach Anthropic unchanged", () => {
    const { body } = ANTHROPIC_MESSAGES.encodeRequest(REQUEST)
    expect(body.messages).toMatchObject([
      { content: [RESULT, { type: "text" }] },
      {},
      { content: [{ type: "tool_result", content: [REFERENCE, RESULT] }] },
    ])
    const { messages } = REQUEST
    expect(replaceParts(messages, "anthropic-messages")).toEqual({ messages, losses: [] })
  })

  for (const vendor of [OPENAI_CHAT, OPENAI_RESPONSES, GEMINI, BEDROCK_CONVERSE, COHERE_CHAT]) {
    test(`become text for ${vendor.id}, with a reported loss`, () => {
      const sent = JSON.stringify(vendor.encodeRequest(REQUEST).body)
      expect(sent.split("Keys are in the drawer.")).toHaveLength(3)
      expect(sent).toContain("https://docs.example/keys")
      expect(sent).toContain("mcp__files__read")
      expect(replaceParts(REQUEST.messages, vendor.id).losses).toEqual([
        { name: "search_result", effect: "approximated" },
        { name: "tool_reference", effect: "approximated" },
      ])
    })
  }
})

test("Claude Code's billing header reaches only Anthropic, without a loss for other vendors", () => {
  const system = [
    { type: "text", text: "x-anthropic-billing-header: cc_version=2; cch=abcde;" },
    { type: "text", text: "You are X" },
  ]
  const { messages, ...request } = ANTHROPIC_MESSAGES.decodeRequest({
    model: "m",
    max_tokens: 100,
    system,
    messages: [{ role: "user", content: "Hello" }],
  })
  expect(ANTHROPIC_MESSAGES.encodeRequest({ ...request, messages }).body.system).toEqual(system)
  for (const vendor of [OPENAI_CHAT, OPENAI_RESPONSES, GEMINI, BEDROCK_CONVERSE, COHERE_CHAT]) {
    const spoken = replaceParts(messages, vendor.id)
    expect(spoken.losses).toEqual([])
    const { body, losses } = vendor.encodeRequest({ ...request, messages: spoken.messages })
    expect(losses).toEqual([])
    expect(JSON.stringify(body)).toContain("You are X")
    expect(JSON.stringify(body)).not.toContain("billing-header")
  }
})
