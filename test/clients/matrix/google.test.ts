import { ApiError } from "@google/genai"
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
        // The simulator plays OpenAI there, which has none.
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
  describe(`google -> ${upstream}`, () => {
    const model = modelAt(upstream)

    test("tokens are counted, for nothing", async () => {
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

test("models are listed in Google's form", async () => {
  const names: (string | undefined)[] = []
  for await (const { name } of await googleOf(upstreams).models.list({ config: { pageSize: 2 } })) {
    names.push(name)
  }
  expect(names).toContain(`models/${modelAt("gemini")}`)
  expect(names).toHaveLength(new Set(names).size)
  const one = await googleOf(upstreams).models.get({ model: modelAt("gemini") })
  expect(one).toMatchObject({ name: `models/${modelAt("gemini")}`, inputTokenLimit: 200_000 })
})
