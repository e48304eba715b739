import { describe, expect, test } from "bun:test"
import Anthropic from "@anthropic-ai/sdk"
import { ANTHROPIC_CLIENT, anthropicOf } from "./anthropic-client.ts"
import { describeSharedCases } from "./shared-cases.ts"
import { describeSharedFailures } from "./shared-failures.ts"
import { describeLosses } from "./shared-losses.ts"
import { modelAt, sixUpstreams, UPSTREAMS } from "./six-upstreams.ts"

const upstreams = sixUpstreams()

const MESSAGES = [{ role: "user" as const, content: "Hello there, gateway" }]

describeSharedCases(ANTHROPIC_CLIENT, upstreams)
describeSharedFailures(ANTHROPIC_CLIENT, upstreams)

describeLosses("anthropic", upstreams, {
  ask: (upstream, headers) =>
    anthropicOf(upstreams).messages.create(
      {
        model: modelAt(upstream),
        max_tokens: 100,
        messages: MESSAGES,
        metadata: { user_id: "someone" },
        stop_sequences: ["STOP"],
        // The simulator behaves like OpenAI in this format, and OpenAI has no such field.
        ...(upstream !== "openai-chat" && { top_k: 5 }),
      },
      { headers },
    ),
  badRequest: Anthropic.BadRequestError,
  losses: {
    "openai-chat": [],
    "openai-responses": ["top_k:dropped"],
    "anthropic-messages": [],
    gemini: ["user:dropped"],
    "bedrock-converse": ["user:dropped"],
    "cohere-chat": ["user:dropped"],
  },
})

for (const upstream of UPSTREAMS) {
  describe(`Anthropic's client at ${upstream}`, () => {
    const model = modelAt(upstream)

    test("gets an error for a message without max_tokens", async () => {
      const order = {
        model,
        messages: MESSAGES,
      } as unknown as Anthropic.MessageCreateParamsNonStreaming
      const { requests } = upstreams.gateway.simulator
      const last = requests.at(-1)
      const error = await anthropicOf(upstreams)
        .messages.create(order)
        .catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(Anthropic.BadRequestError)
      expect(error).toMatchObject({
        type: "invalid_request_error",
        error: { error: { param: "max_tokens", error_type: "missing_required_parameter" } },
      })
      expect(requests.at(-1)).toBe(last)
    })

    test("counts tokens free of charge", async () => {
      const balance = await upstreams.caller.balance()
      const { messages } = anthropicOf(upstreams)
      const short = await messages.countTokens({ model, messages: MESSAGES })
      const system = "Answer in few words, and politely."
      const long = await messages.countTokens({ model, messages: MESSAGES, system })
      expect(short.input_tokens).toBeWithin(3, 20)
      expect(long.input_tokens).toBeGreaterThan(short.input_tokens)
      expect(await upstreams.caller.balance()).toBe(balance)
    })
  })
}

const CLAUDES = ["anthropic-messages", "bedrock-converse"] as const

for (const upstream of CLAUDES) {
  test(`Anthropic's client at ${upstream}: thinking continues over all calls of one turn`, async () => {
    const order = {
      model: modelAt(upstream),
      max_tokens: 8192,
      thinking: { type: "enabled" as const, budget_tokens: 2048 },
      tools: [{ name: "weather", input_schema: { type: "object" as const } }],
    }
    const asked = { role: "user" as const, content: "Use weather" }
    const { messages } = anthropicOf(upstreams)
    const first = await messages.create({ ...order, messages: [asked] })
    const call = first.content.find((block) => block.type === "tool_use")
    if (call === undefined) throw new Error("no call")
    const second = { ...call, id: "toolu_of_the_same_turn" }
    await messages.create({
      ...order,
      messages: [
        asked,
        { role: "assistant", content: first.content },
        { role: "user", content: [{ type: "tool_result", tool_use_id: call.id }] },
        { role: "assistant", content: [second] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: second.id }] },
      ],
    })
    expect(upstreams.losses).toEqual([])
    expect(JSON.stringify(upstreams.sent)).toContain('"budget_tokens":2048')
  })
}

describe("instructions within an Anthropic conversation", () => {
  const order = {
    max_tokens: 100,
    messages: [
      { role: "system" as const, content: "Be brief." },
      { role: "user" as const, content: "Hello there, gateway" },
      { role: "system" as const, content: "Remember the harbour." },
    ],
  }

  test.each(UPSTREAMS)("reach the model of %s at every position", async (upstream) => {
    const message = await anthropicOf(upstreams).messages.create({
      ...order,
      model: modelAt(upstream),
    })
    expect(message.content).toMatchObject([{ type: "text", text: "Hello there, gateway" }])
    const sent = JSON.stringify(upstreams.gateway.simulator.requests.at(-1)?.body)
    expect(sent).toContain("Be brief.")
    expect(sent).toContain("Remember the harbour.")
  })
})
