import { describe, expect, test } from "bun:test"
import OpenAI from "openai"
import { logprobsModelAt, sixUpstreams } from "./matrix/six-upstreams.ts"

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
      readonly topCandidates?: readonly { candidates: readonly object[] }[]
    }
  }[]
}

/** Asserts that the log probabilities cover the whole text, and that each has the requested alternatives. */
function expectLogprobs(logprobs: readonly TokenLogprob[] | undefined, others: number): void {
  expect(logprobs?.map(({ token }) => token).join("")).toBe(TEXT)
  for (const { top_logprobs: found } of logprobs ?? []) expect(found).toHaveLength(others)
  expect(upstreams.losses).toEqual(others > 0 ? [] : ["logprobs:approximated"])
}

/** Cohere reports no alternatives. */
describe.each([
  ["openai-chat", 2],
  ["openai-responses", 2],
  ["gemini", 2],
  ["cohere-chat", 0],
] as const)("log probabilities of %s", (upstream, others) => {
  const model = logprobsModelAt(upstream)
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

  test("appear in a chat completion", async () => {
    const answer = await client().chat.completions.create(chat)
    expectLogprobs(answer.choices[0]?.logprobs?.content ?? undefined, others)
  })

  test("appear in a streamed chat", async () => {
    const answer = await client().chat.completions.stream(chat).finalChatCompletion()
    expectLogprobs(answer.choices[0]?.logprobs?.content ?? undefined, others)
  })

  test("appear in a response", async () => {
    const answer = await client().responses.create(response)
    const [item] = answer.output.filter(({ type }) => type === "message")
    const content = item?.type === "message" ? item.content[0] : undefined
    expectLogprobs(content?.type === "output_text" ? content.logprobs : undefined, others)
  })

  test("appear in a streamed response", async () => {
    const answer = await client().responses.stream(response).finalResponse()
    const [item] = answer.output.filter(({ type }) => type === "message")
    const content = item?.type === "message" ? item.content[0] : undefined
    expectLogprobs(content?.type === "output_text" ? content.logprobs : undefined, others)
  })

  test.each([
    ["Gemini's clients", "generateContent"],
    ["Gemini's clients in a stream", "streamGenerateContent"],
  ])("reach %s", async (_, method) => {
    const response = await upstreams.caller.post(`/v1beta/models/${model}:${method}`, {
      contents: [{ role: "user", parts: [{ text: TEXT }] }],
      generationConfig: { responseLogprobs: true, logprobs: 2 },
    })
    const answer = (await response.json()) as Generated | Generated[]
    // Streams of Gemini contain log probabilities for the text of each chunk.
    const found = [answer]
      .flat()
      .flatMap(({ candidates = [] }) => candidates[0]?.logprobsResult ?? [])
    const chosen = found.flatMap(({ chosenCandidates }) => chosenCandidates)
    expect(chosen.map(({ token }) => token).join("")).toBe(TEXT)
    expect(chosen[0]?.logProbability).toBeNumber()
    const top = found.flatMap(({ topCandidates = [] }) => topCandidates)
    expect(top.length > 0).toBe(others > 0)
    for (const { candidates } of top) expect(candidates).toHaveLength(others)
    const losses = response.headers.get("x-tollgate-losses")
    expect(losses).toBe(others > 0 ? null : "logprobs:approximated")
  })

  test("have the value null in a chat that does not request them", async () => {
    const { logprobs: _, top_logprobs: __, ...plain } = chat
    const answer = await client().chat.completions.create(plain)
    expect(answer.choices[0]?.logprobs).toBeNull()
  })
})
