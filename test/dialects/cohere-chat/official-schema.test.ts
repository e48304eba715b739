import { expect, test } from "bun:test"
// The package does not export its schemas.
import { V2ChatRequest } from "../../node_modules/cohere-ai/serialization/resources/v2/client/requests/V2ChatRequest.js"
import type { ChatRequest } from "../../../src/canon/chat.ts"
import { assistant, encoded, requestOf, text, user } from "./fixtures.ts"

/**
 * The official client contains a schema of each request. In strict mode it has every field and value that Cohere
 * accepts, except `stream`, which the client adds itself.
 */
function problemsOf(request: ChatRequest): unknown {
  const { stream, ...body } = encoded(request).body
  expect(typeof stream).toBe("boolean")
  const parsed = V2ChatRequest.parse(body, { unrecognizedObjectKeys: "fail" })
  return parsed.ok ? [] : parsed.errors
}

const TOOL = {
  name: "weather",
  strict: true,
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
}

const FULL: ChatRequest = requestOf({
  messages: [
    { role: "system", parts: [text("Be kind.")] },
    user(text("Look"), {
      type: "image",
      source: { type: "url", url: "https://example.com/a.png" },
      detail: "high",
    }),
    assistant(
      { type: "reasoning", text: "I will look." },
      { type: "tool-call", id: "weather_1", name: "weather", arguments: "{}" },
    ),
    {
      role: "tool",
      parts: [
        {
          type: "tool-result",
          id: "weather_1",
          content: [
            { type: "text", text: "a" },
            { type: "text", text: "b" },
          ],
        },
      ],
    },
    assistant({ type: "reasoning", text: "Hmm." }, text("Sunny.")),
    user(text("Thanks")),
  ],
  maxTokens: 4000,
  temperature: 2,
  topP: 0.5,
  topK: 3,
  stop: ["END"],
  seed: 1,
  presencePenalty: 0.2,
  tools: [TOOL],
  toolChoice: { type: "required" },
  reasoning: { effort: "low" },
})

test("Cohere requests match the official client's schema", () => {
  expect(problemsOf(requestOf())).toEqual([])
  expect(problemsOf(FULL)).toEqual([])
  const schema = { type: "object", properties: {} }
  for (const responseFormat of [
    { type: "json-object" },
    { type: "json-schema", name: "a", schema },
  ] as const) {
    expect(problemsOf(requestOf({ responseFormat }))).toEqual([])
    expect(problemsOf({ ...FULL, responseFormat })).toEqual([])
  }
})

test("the official Cohere schema rejects unknown values", () => {
  const parsed = V2ChatRequest.parse(
    { model: "m", messages: [{ role: "developer", content: "a" }], n: 2 },
    { unrecognizedObjectKeys: "fail" },
  )
  expect(parsed.ok).toBe(false)
})
