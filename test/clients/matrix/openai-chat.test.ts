import { describe, expect, test } from "bun:test"
import OpenAI from "openai"
import { OPENAI_CHAT_CLIENT, openAiOf, usageOf } from "./openai-chat-client.ts"
import { describeSharedCases, usageOfReceipt } from "./shared-cases.ts"
import { describeSharedFailures } from "./shared-failures.ts"
import { describeLosses } from "./shared-losses.ts"
import { modelAt, sixUpstreams, type Upstream, UPSTREAMS } from "./six-upstreams.ts"

const upstreams = sixUpstreams()

const MESSAGES = [{ role: "user" as const, content: "Hello there, gateway" }]

describeSharedCases(OPENAI_CHAT_CLIENT, upstreams)
describeSharedFailures(OPENAI_CHAT_CLIENT, upstreams)

describeLosses("openai chat", upstreams, {
  ask: (upstream, headers) =>
    openAiOf(upstreams).chat.completions.create(
      { model: modelAt(upstream), messages: MESSAGES, seed: 7, user: "someone", logprobs: true },
      { headers },
    ),
  badRequest: OpenAI.BadRequestError,
  losses: {
    "openai-chat": [],
    "openai-responses": ["seed:dropped"],
    "anthropic-messages": ["seed:dropped", "logprobs:dropped"],
    gemini: ["user:dropped", "logprobs:dropped"],
    "bedrock-converse": ["seed:dropped", "user:dropped", "logprobs:dropped"],
    "cohere-chat": ["user:dropped"],
  },
})

/**
 * Upstreams that return several choices. The gateway sends one request per choice to the other upstreams, which return
 * one choice or are not known to return more.
 */
const OWN_CHOICES: ReadonlySet<Upstream> = new Set(["gemini"])

for (const upstream of UPSTREAMS) {
  describe(`several choices in OpenAI's client at ${upstream}`, () => {
    const order = { model: modelAt(upstream), messages: MESSAGES }
    const complete = () => openAiOf(upstreams).chat.completions.create({ ...order, n: 3 })
    const stream = () =>
      openAiOf(upstreams)
        .chat.completions.stream({ ...order, n: 3, stream_options: { include_usage: true } })
        .finalChatCompletion()

    for (const [name, ask] of Object.entries({ "3 choices": complete, streamed: stream })) {
      test(`have ${name} as requested`, async () => {
        const single = usageOf((await openAiOf(upstreams).chat.completions.create(order)).usage)
        const { requests } = upstreams.gateway.simulator
        const before = requests.length
        const { choices, usage } = await ask()
        const calls = requests.length - before
        expect(calls).toBe(OWN_CHOICES.has(upstream) ? 1 : 3)
        expect(choices.map(({ index }) => index)).toEqual([0, 1, 2])
        for (const { message, finish_reason: finish } of choices) {
          expect(message.content).toStartWith("Hello there, gateway")
          expect(finish).toBe("stop")
        }
        const told = usageOf(usage)
        expect(told).toEqual(usageOfReceipt(await upstreams.receipt()))
        expect(told.input).toBe(single.input * calls)
        expect(told.output).toBeGreaterThanOrEqual(single.output * 3)
      })
    }
  })
}
