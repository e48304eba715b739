import { describe, expect, test } from "bun:test"
import OpenAI from "openai"
import { openAiOf } from "./openai-chat-client.ts"
import { OPENAI_RESPONSES_CLIENT } from "./openai-responses-client.ts"
import { describeSharedCases } from "./shared-cases.ts"
import { describeSharedFailures } from "./shared-failures.ts"
import { describeLosses } from "./shared-losses.ts"
import { modelAt, sixUpstreams, UPSTREAMS } from "./six-upstreams.ts"

const upstreams = sixUpstreams()

describeSharedCases(OPENAI_RESPONSES_CLIENT, upstreams)
describeSharedFailures(OPENAI_RESPONSES_CLIENT, upstreams)

describeLosses("openai responses", upstreams, {
  ask: (upstream, headers) =>
    openAiOf(upstreams).responses.create(
      {
        model: modelAt(upstream),
        input: "Hello there, gateway",
        user: "someone",
        metadata: { order: "seven" },
        text: { verbosity: "low" },
      },
      { headers },
    ),
  badRequest: OpenAI.BadRequestError,
  losses: {
    "openai-chat": [],
    "openai-responses": [],
    "anthropic-messages": ["metadata:dropped", "verbosity:dropped"],
    gemini: ["user:dropped", "verbosity:dropped"],
    "bedrock-converse": ["user:dropped", "verbosity:dropped"],
    "cohere-chat": ["user:dropped", "metadata:dropped", "verbosity:dropped"],
  },
})

for (const upstream of UPSTREAMS) {
  describe(`OpenAI's client for responses at ${upstream}`, () => {
    const model = modelAt(upstream)
    test("continues a response by its id", async () => {
      const { responses } = openAiOf(upstreams)
      const first = await responses.create({ model, input: "Remember this" })
      const order = { model, input: "And you?", previous_response_id: first.id }
      const second = await responses.create(order)
      expect(second.output_text).toBe("And you?")
      expect(second.previous_response_id).toBe(first.id)
      expect(second.usage?.input_tokens).toBeGreaterThan(first.usage?.input_tokens ?? 0)
    })

    test("gets an error for a reference to an unknown item", async () => {
      const error = await openAiOf(upstreams)
        .responses.create({
          model,
          input: [
            { role: "user", content: "Hello" },
            { type: "item_reference", id: "msg_unknown" },
            { role: "user", content: "And you?" },
          ],
        })
        .catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(OpenAI.NotFoundError)
      expect(error).toMatchObject({ param: "input[1].id" })
      expect(upstreams.heard.get("x-should-retry")).toBe("false")
    })

    test("gets only text from compact", async () => {
      const input = [{ role: "user", content: "Hello there, gateway" }] as const
      const told: unknown = await openAiOf(upstreams).responses.compact({
        model,
        input: [...input],
      })
      expect(told).toMatchObject({ output: "Hello there, gateway" })
      for (const stream of [false, true]) {
        const body = { model, input, stream, temperature: 0.5, max_output_tokens: 50 }
        const response = await upstreams.caller.post("/v1/responses/compact", body)
        expect(response.headers.get("content-type")).toStartWith("application/json")
        expect(response.headers.get("x-tollgate-cost")).toStartWith("0.00")
        expect(await response.json()).toEqual({ output: "Hello there, gateway" })
      }
    })

    test("gets items from compact in OpenAI's own format, which can be sent back", async () => {
      const { responses } = openAiOf(upstreams)
      const told = await responses.compact(
        {
          model,
          instructions: "Be brief",
          input: [
            { role: "user", content: "Hello there, gateway" },
            { role: "assistant", content: "Hello" },
            { role: "user", content: "Remember seven" },
          ],
        },
        { headers: { "x-compact-format": "openai" } },
      )
      expect(told.object).toBe("response.compaction")
      expect(told.id).toStartWith("resp_")
      expect(Number.isInteger(told.created_at)).toBe(true)
      expect(told.usage.total_tokens).toBeGreaterThan(0)
      expect(told.output).toMatchObject([
        { type: "message", role: "user", status: "completed" },
        {
          type: "message",
          role: "user",
          content: [{ type: "input_text", text: "Remember seven" }],
        },
        { type: "compaction" },
      ])
      const input = told.output as OpenAI.Responses.ResponseInputItem[]
      const next = await responses.create({
        model,
        input: [...input, { role: "user", content: "And you?" }],
      })
      expect(next.output_text).toEndWith("And you?")
      // The model repeats the last message, which is the text of the summary.
      const summary = await responses.create({ model, input })
      expect(summary.output_text).toContain("summary of the conversation so far")
    })
  })
}
