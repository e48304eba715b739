import { ApiError, type CallableTool } from "@google/genai"
import { describe, expect, test } from "bun:test"
import { GOOGLE_CLIENT, googleOf } from "./google-client.ts"
import { describeSharedCases } from "./shared-cases.ts"
import { describeSharedFailures } from "./shared-failures.ts"
import { describeLosses } from "./shared-losses.ts"
import { modelAt, sixUpstreams, UPSTREAMS } from "./six-upstreams.ts"

const upstreams = sixUpstreams()

const CONTENTS = "Hello there, gateway"

describeSharedCases(GOOGLE_CLIENT, upstreams)
describeSharedFailures(GOOGLE_CLIENT, upstreams)

describeLosses("google", upstreams, {
  ask: (upstream, headers) =>
    googleOf(upstreams).models.generateContent({
      model: modelAt(upstream),
      contents: CONTENTS,
      config: {
        httpOptions: { headers },
        stopSequences: ["STOP"],
        seed: 7,
        // The simulator behaves like OpenAI in this format, and OpenAI has no such field.
        ...(upstream !== "openai-chat" && { topK: 5 }),
      },
    }),
  badRequest: ApiError,
  losses: {
    "openai-chat": [],
    "openai-responses": ["top_k:dropped", "seed:dropped"],
    "anthropic-messages": ["seed:dropped"],
    gemini: [],
    "bedrock-converse": ["seed:dropped"],
    "cohere-chat": [],
  },
})

for (const upstream of UPSTREAMS) {
  describe(`Google's client at ${upstream}`, () => {
    const model = modelAt(upstream)

    test("counts tokens free of charge", async () => {
      const balance = await upstreams.caller.balance()
      const { models } = googleOf(upstreams)
      const short = await models.countTokens({ model, contents: CONTENTS })
      const long = await models.countTokens({ model, contents: `${CONTENTS} ${CONTENTS}` })
      expect(short.totalTokens).toBeWithin(3, 20)
      expect(long.totalTokens).toBeGreaterThan(short.totalTokens ?? 0)
      expect(await upstreams.caller.balance()).toBe(balance)
    })
  })
}

for (const upstream of UPSTREAMS) {
  describe(`chats of Google's client at ${upstream}`, () => {
    const model = modelAt(upstream)

    test("continue after a streamed response, which they store as chunks", async () => {
      const chat = googleOf(upstreams).chats.create({ model })
      await chat.sendMessage({ message: "One" })
      const chunks: string[] = []
      const stream = await chat.sendMessageStream({ message: "Two words or more" })
      for await (const { text = "" } of stream) chunks.push(text)
      expect(chunks.join("")).toBe("Two words or more")
      expect((await chat.sendMessage({ message: "Three" })).text).toBe("Three")
      expect(chat.getHistory(true).length).toBeGreaterThan(5)
    })

    test.each(["whole", "streamed"])("call functions automatically, %s", async (way) => {
      const asked: unknown[] = []
      const config = { tools: [callableWeather(asked)] }
      const chat = googleOf(upstreams).chats.create({ model, config })
      const message = "How is the weather?"
      const chunks: string[] = []
      if (way === "whole") chunks.push((await chat.sendMessage({ message })).text ?? "")
      else {
        const stream = await chat.sendMessageStream({ message })
        for await (const { text = "" } of stream) chunks.push(text)
      }
      expect(chunks.join("")).toContain("sunny")
      expect(asked).toHaveLength(1)
      expect((await chat.sendMessage({ message: "Thank you" })).text).toBe("Thank you")
    })
  })
}

/**
 * Returns a tool that the client calls by itself.
 * @param asked collects the arguments of the calls.
 */
function callableWeather(asked: unknown[]): CallableTool {
  const parametersJsonSchema = { type: "object", properties: { city: { type: "string" } } }
  return {
    tool: () =>
      Promise.resolve({ functionDeclarations: [{ name: "weather", parametersJsonSchema }] }),
    callTool: (calls) => {
      asked.push(...calls.map(({ args }) => args))
      return Promise.resolve(
        calls.map(({ id, name }) => ({
          functionResponse: {
            ...(id !== undefined && { id }),
            ...(name !== undefined && { name }),
            response: { output: "sunny" },
          },
        })),
      )
    },
  }
}

test("Google's client lists models in its own format", async () => {
  const names: (string | undefined)[] = []
  for await (const { name } of await googleOf(upstreams).models.list({ config: { pageSize: 2 } })) {
    names.push(name)
  }
  expect(names).toContain(`models/${modelAt("gemini")}`)
  expect(names).toHaveLength(new Set(names).size)
  const one = await googleOf(upstreams).models.get({ model: modelAt("gemini") })
  expect(one).toMatchObject({ name: `models/${modelAt("gemini")}`, inputTokenLimit: 200_000 })
})
