import { describe, expect, test } from "bun:test"
import { modelAt, sixUpstreams, type Upstream, UPSTREAMS } from "../matrix/six-upstreams.ts"
import { ask, type Frame, framesOf } from "./agent-requests.ts"

const upstreams = sixUpstreams()

// The two other APIs of opencode, responses and messages, use the AI SDK, which the client matrix covers.
const HEADERS = {
  "user-agent": "opencode/1.18.33 ai-sdk/provider-utils/4.0.23 runtime/bun/1.3.14",
  "x-session-affinity": "ses_dfad92f49ffeFc8diBOrNNEuQj",
  "x-session-id": "ses_dfad92f49ffeFc8diBOrNNEuQj",
}

const MARK = { cache_control: { type: "ephemeral" } }

const TOOLS = ["edit", "bash"].map((name) => ({
  type: "function",
  function: {
    name,
    description: `Runs ${name}.`,
    parameters: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: {
        command: { description: "What.", type: "string" },
        timeout: { exclusiveMinimum: 0, maximum: 9_007_199_254_740_991, type: "integer" },
      },
      required: ["command"],
    },
  },
}))

interface Call {
  readonly id: string
  readonly type: string
  readonly function: { readonly name: string; readonly arguments: string }
}

interface Chunk {
  readonly index: number
  readonly id?: string
  readonly function?: { readonly name?: string; readonly arguments?: string }
}

function chunksOf(frames: readonly Frame[]): readonly Chunk[] {
  const choices = frames.flatMap((frame) => frame.choices as { delta: { tool_calls?: Chunk[] } }[])
  return choices.flatMap(({ delta }) => delta.tool_calls ?? [])
}

/** Returns the call of a response, assembled as by the AI SDK. */
async function turn(upstream: Upstream, messages: readonly object[]): Promise<Call | undefined> {
  const body = {
    model: modelAt(upstream),
    max_tokens: 32_000,
    messages,
    tools: TOOLS,
    tool_choice: "auto",
    stream: true,
    stream_options: { include_usage: true },
  }
  const frames = await framesOf(
    await ask(upstreams, { path: "/v1/chat/completions", headers: HEADERS, body }),
  )
  expect(frames.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: expect.any(Number) } })
  const chunks = chunksOf(frames)
  const { id, function: begun } = chunks[0] ?? {}
  if (id === undefined || begun?.name === undefined) return undefined
  const written = chunks.map((chunk) => chunk.function?.arguments ?? "").join("")
  return { id, type: "function", function: { name: begun.name, arguments: written } }
}

describe.each(UPSTREAMS)("opencode with %s", (upstream) => {
  test("calls its tools in sequence, with cache markers on the newest messages", async () => {
    const head = [
      { role: "system", content: "You are opencode.", ...MARK },
      { role: "user", content: 'call edit {"command":"a"}\ncall bash {"command":"b"}' },
    ]
    let done: readonly object[] = []
    const called: object[] = []
    for (;;) {
      const newest = done.slice(-2).map((message) => ({ ...message, ...MARK }))
      const call = await turn(upstream, [...head, ...done.slice(0, -2), ...newest])
      if (call === undefined) break
      called.push(call.function)
      done = [
        ...done,
        { role: "assistant", content: "", tool_calls: [call] },
        { role: "tool", tool_call_id: call.id, content: "done" },
      ]
    }
    expect(called).toEqual([
      { name: "edit", arguments: '{"command":"a"}' },
      { name: "bash", arguments: '{"command":"b"}' },
    ])
  })

  test("requests a title without tools", async () => {
    const body = {
      model: modelAt(upstream),
      max_tokens: 32_000,
      messages: [
        { role: "system", content: "You are a title generator.", ...MARK },
        { role: "user", content: "Generate a title for this conversation:\n", ...MARK },
        { role: "user", content: "Fix the note", ...MARK },
      ],
      stream: true,
      stream_options: { include_usage: true },
    }
    const path = "/v1/chat/completions"
    const frames = await framesOf(await ask(upstreams, { path, headers: HEADERS, body }))
    const deltas = frames.flatMap(
      (frame) => frame.choices as { readonly delta: { readonly content?: string } }[],
    )
    expect(deltas.map(({ delta }) => delta.content ?? "").join("")).toContain("Fix the note")
  })
})

test("opencode's cache markers on calls are sent to Claude", async () => {
  const call = { id: "a", type: "function", function: { name: "edit", arguments: "{}" }, ...MARK }
  await turn("anthropic-messages", [
    { role: "user", content: "Hello" },
    { role: "assistant", content: "", tool_calls: [call] },
    { role: "tool", tool_call_id: "a", content: "done", ...MARK },
  ])
  expect(upstreams.sent).toMatchObject({
    messages: [
      {},
      { content: [{ type: "tool_use", ...MARK }] },
      { content: [{ type: "tool_result", ...MARK }] },
    ],
  })
})
