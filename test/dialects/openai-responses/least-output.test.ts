import { expect, test } from "bun:test"
import { OPENAI_RESPONSES } from "../../../src/dialects/openai-responses/index.ts"

test("a limit below the vendor's least is raised to it, and said", () => {
  const request = {
    model: "gpt",
    messages: [{ role: "user", parts: [{ type: "text", text: "Hello" }] }],
    stream: false,
    streamUsage: false,
    choices: 1,
    maxTokens: 5,
  } as const
  const { body, losses } = OPENAI_RESPONSES.encodeRequest(request)
  expect(body.max_output_tokens).toBe(16)
  expect(losses).toEqual([{ name: "max_tokens", effect: "approximated" }])
})
