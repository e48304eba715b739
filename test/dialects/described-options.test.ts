import { describe, expect, test } from "bun:test"
import type { ChatRequest } from "../../src/canon/chat.ts"
import { MODELS, UPSTREAMS } from "../golden/dialects.ts"

const REQUEST: ChatRequest = {
  model: "any/model",
  messages: [{ role: "user", parts: [{ type: "text", text: "Hi" }] }],
  stream: false,
  streamUsage: true,
  choices: 1,
  maxTokens: 8000,
}

describe("the request encoder", () => {
  for (const upstream of UPSTREAMS) {
    const encode = (fields: Partial<ChatRequest>) =>
      upstream.encodeRequest({ ...REQUEST, ...fields, model: MODELS[upstream.id] })

    test(`keeps the description of a schema for ${upstream.id}`, () => {
      const schema = { type: "object", properties: { a: { type: "string" } }, required: ["a"] }
      const { body } = encode({
        responseFormat: { type: "json-schema", name: "n", schema, description: "The invoice." },
      })
      expect(JSON.stringify(body)).toContain("The invoice.")
    })

    test(`keeps the option to display reasoning, or reports its loss, for ${upstream.id}`, () => {
      const reasoning = { effort: "high" } as const
      const plain = JSON.stringify(encode({ reasoning }).body)
      const { body, losses } = encode({ reasoning: { ...reasoning, summary: "none" } })
      const isReported = losses.some(({ name }) => name === "reasoning.summary")
      // Vendors of the Responses API return reasoning only on request, so this option needs no field.
      const isCarried = JSON.stringify(body) !== plain || upstream.id === "openai-responses"
      expect(isReported || isCarried).toBe(true)
      const auto = encode({ reasoning: { ...reasoning, summary: "auto" } })
      expect(auto.losses.map(({ name }) => name)).not.toContain("reasoning.summary")
    })
  }
})
