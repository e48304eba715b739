import { describe, expect, test } from "bun:test"
import OpenAI from "openai"
import { modelAt, sixUpstreams } from "./matrix/six-upstreams.ts"

const upstreams = sixUpstreams()
const TEXT = "Good morning to you"

function client(): OpenAI {
  const { baseUrl: baseURL, caller, fetch } = upstreams
  return new OpenAI({ baseURL, apiKey: caller.key, maxRetries: 0, fetch })
}

interface TokenLogprob {
  readonly token: string
  readonly top_logprobs?: readonly object[]
}

interface Generated {
  readonly candidates?: readonly {
    readonly logprobsResult?: {
      readonly chosenCandidates: readonly { token: string; logProbability: number }[]
      readonly topCandidates: readonly { candidates: readonly object[] }[]
    }
  }[]
}

/** They are those of the whole text, each with the alternatives that were asked for. */
function expectLogprobs(logprobs: readonly TokenLogprob[] | undefined): void {
  expect(logprobs?.map(({ token }) => token).join("")).toBe(TEXT)
  for (const { top_logprobs: others } of logprobs ?? []) expect(others).toHaveLength(2)
  expect(upstreams.losses).toEqual([])
}

describe.each(["openai-chat", "openai-responses"] as const)(
  "log probabilities of %s",
  (upstream) => {
    const model = modelAt(upstream)
    const chat = {
      model,
      messages: [{ role: "user" as const, content: TEXT }],
      logprobs: true,
      top_logprobs: 2,
    }
    const response = {
      model,
      input: TEXT,
      include: ["message.output_text.logprobs" as const],
      top_logprobs: 2,
    }

    test("reach a chat", async () => {
      const answer = await client().chat.completions.create(chat)
      expectLogprobs(answer.choices[0]?.logprobs?.content ?? undefined)
    })

    test("reach a streamed chat", async () => {
      const answer = await client().chat.completions.stream(chat).finalChatCompletion()
      expectLogprobs(answer.choices[0]?.logprobs?.content ?? undefined)
    })

    test("reach a response", async () => {
      const answer = await client().responses.create(response)
      const [item] = answer.output.filter(({ type }) => type === "message")
      const content = item?.type === "message" ? item.content[0] : undefined
      expectLogprobs(content?.type === "output_text" ? content.logprobs : undefined)
    })

    test("reach a streamed response", async () => {
      const answer = await client().responses.stream(response).finalResponse()
      const [item] = answer.output.filter(({ type }) => type === "message")
      const content = item?.type === "message" ? item.content[0] : undefined
      expectLogprobs(content?.type === "output_text" ? content.logprobs : undefined)
    })

    test.each([
      ["reach Gemini's clients", "generateContent"],
      ["reach a stream of Gemini's clients", "streamGenerateContent"],
    ])("%s", async (_, method) => {
      const response = await upstreams.caller.post(`/v1beta/models/${model}:${method}`, {
        contents: [{ role: "user", parts: [{ text: TEXT }] }],
        generationConfig: { responseLogprobs: true, logprobs: 2 },
      })
      const answer = (await response.json()) as Generated | Generated[]
      const { logprobsResult: found } = [answer].flat().at(-1)?.candidates?.[0] ?? {}
      expect(found?.chosenCandidates.map(({ token }) => token).join("")).toBe(TEXT)
      expect(found?.chosenCandidates[0]?.logProbability).toBeNumber()
      for (const { candidates } of found?.topCandidates ?? []) expect(candidates).toHaveLength(2)
      expect(response.headers.get("x-tollgate-losses")).toBeNull()
    })

    test("are null in a chat that did not ask for them", async () => {
      const { logprobs: _, top_logprobs: __, ...plain } = chat
      const answer = await client().chat.completions.create(plain)
      expect(answer.choices[0]?.logprobs).toBeNull()
    })
  },
)
