import { describe, expect, test } from "bun:test"
import { modelAt, sixUpstreams, type Upstream, UPSTREAMS } from "../matrix/six-upstreams.ts"
import { ask, framesOf } from "./agent-requests.ts"

const upstreams = sixUpstreams()

function headersFor(upstream: Upstream): Record<string, string> {
  return {
    "user-agent": `GeminiCLI-tui/0.61.0/${modelAt(upstream)} (linux; x64; terminal)`,
    "x-goog-api-client": "google-genai-sdk/1.30.0 gl-node/v20.20.2",
    "x-gemini-api-privileged-user-id": "589d4c0a-cebe-4d74-bbae-13239926aae8",
    "x-goog-api-key": upstreams.caller.key,
    "accept-language": "*",
    "sec-fetch-mode": "cors",
  }
}

const INSTRUCTION = { role: "user", parts: [{ text: "You are Gemini CLI." }] }
const SAMPLING = { temperature: 1, topP: 0.95, topK: 64 }

const TOOLS = [
  {
    functionDeclarations: ["read_file", "run_shell_command"].map((name) => ({
      name,
      description: `Runs ${name}.`,
      parametersJsonSchema: {
        type: "object",
        properties: {
          path: { type: "string", description: "Where." },
          wait_for_previous: { type: "boolean" },
        },
        required: ["path"],
      },
    })),
  },
]

const TASK = {
  role: "user",
  parts: [
    { text: "<session_context>\nThis is the Gemini CLI.\n</session_context>" },
    { text: 'call read_file {"path":"a"}\ncall run_shell_command {"path":"b"}' },
  ],
}

interface Part {
  readonly text?: string
  readonly thoughtSignature?: string
  readonly functionCall?: { readonly id?: string; readonly name: string; readonly args: object }
}

interface Candidate {
  readonly content?: { readonly parts?: readonly Part[] }
  readonly finishReason?: string
}

/** Returns the parts of a streamed response, collected as by Google's SDK. */
async function turn(upstream: Upstream, contents: readonly object[]): Promise<readonly Part[]> {
  const generationConfig = { ...SAMPLING, thinkingConfig: { includeThoughts: true } }
  const body = { contents, systemInstruction: INSTRUCTION, tools: TOOLS, generationConfig }
  const path = `/v1beta/models/${modelAt(upstream)}:streamGenerateContent?alt=sse`
  const frames = await framesOf(await ask(upstreams, { path, headers: headersFor(upstream), body }))
  const candidates = frames.flatMap((frame) => (frame.candidates ?? []) as Candidate[])
  expect(candidates.at(-1)?.finishReason).toBe("STOP")
  expect(frames.at(-1)).toMatchObject({
    usageMetadata: { promptTokenCount: expect.any(Number), totalTokenCount: expect.any(Number) },
  })
  return candidates.flatMap(({ content }) => content?.parts ?? [])
}

/** Returns a call as the agent sends it back. A call without a signature is marked as one that no model has signed. */
function repeated({ functionCall, thoughtSignature }: Part): object {
  return {
    functionCall,
    thoughtSignature: thoughtSignature ?? "skip_thought_signature_validator",
  }
}

/** Sends a question outside the conversation. The response must match a schema. */
async function judge(upstream: Upstream, responseJsonSchema: object): Promise<object> {
  const body = {
    contents: [TASK],
    systemInstruction: INSTRUCTION,
    generationConfig: {
      ...SAMPLING,
      responseMimeType: "application/json",
      responseJsonSchema,
      thinkingConfig: { includeThoughts: true, thinkingLevel: "HIGH" },
    },
  }
  const path = `/v1beta/models/${modelAt(upstream)}:generateContent`
  // Models without structured output receive the schema as text, and thinking is switched off. The loss is reported.
  const response = await upstreams.caller.post(path, body, headersFor(upstream))
  const answer = (await response.json()) as { candidates: (Candidate & { content: object })[] }
  expect([response.status, answer]).toMatchObject([200, { candidates: [{ finishReason: "STOP" }] }])
  const parts = answer.candidates[0]?.content?.parts as (Part & { thought?: boolean })[]
  const said = parts.filter(({ thought }) => thought !== true).map(({ text }) => text ?? "")
  return JSON.parse(said.join("")) as object
}

describe.each(UPSTREAMS)("Gemini CLI with %s", (upstream) => {
  test("calls its tools in sequence and completes its task", async () => {
    let contents: readonly object[] = [TASK]
    const calls: Part["functionCall"][] = []
    for (;;) {
      const call = (await turn(upstream, contents)).find((part) => part.functionCall !== undefined)
      if (call?.functionCall === undefined) break
      const { id, name } = call.functionCall
      calls.push(call.functionCall)
      const functionResponse = { id, name, response: { output: "done" } }
      contents = [
        ...contents,
        { role: "model", parts: [repeated(call)] },
        { role: "user", parts: [{ functionResponse }] },
      ]
    }
    expect(calls).toMatchObject([
      { name: "read_file", args: { path: "a" } },
      { name: "run_shell_command", args: { path: "b" } },
    ])
  })

  test("rates the difficulty of a task with a schema that has uppercase types", async () => {
    const judged = await judge(upstream, {
      type: "OBJECT",
      properties: {
        complexity_reasoning: { type: "STRING", description: "Why." },
        complexity_score: { type: "INTEGER", description: "From 1 to 100." },
      },
      required: ["complexity_reasoning", "complexity_score"],
    })
    expect(judged).toEqual({
      complexity_reasoning: expect.any(String),
      complexity_score: expect.any(Number),
    })
  })

  test("checks for repetition with a schema that has lowercase types", async () => {
    const judged = await judge(upstream, {
      type: "object",
      properties: {
        unproductive_state_analysis: { type: "string", description: "Why." },
        unproductive_state_confidence: { type: "number", description: "From 0 to 1." },
      },
      required: ["unproductive_state_analysis", "unproductive_state_confidence"],
    })
    expect(judged).toEqual({
      unproductive_state_analysis: expect.any(String),
      unproductive_state_confidence: expect.any(Number),
    })
  })

  test("counts its tokens", async () => {
    const path = `/v1beta/models/${modelAt(upstream)}:countTokens`
    const body = { contents: [TASK] }
    const response = await ask(upstreams, { path, headers: headersFor(upstream), body })
    expect(await response.json()).toMatchObject({ totalTokens: expect.any(Number) })
  })
})

test("Gemini CLI's internal requests use Google's model names, which a key can have as aliases", async () => {
  const named = "gemini-3.5-flash-lite"
  const aliases = { [named]: modelAt("cohere-chat") }
  const caller = await upstreams.gateway.caller("10", { aliases })
  const path = `/v1beta/models/${named}:generateContent`
  const body = { contents: [TASK], systemInstruction: INSTRUCTION }
  const response = await caller.post(path, body, { "x-goog-api-key": caller.key })
  expect([response.status, await response.json()]).toMatchObject([200, { modelVersion: named }])
})
